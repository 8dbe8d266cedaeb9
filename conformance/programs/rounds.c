//# states: memory that a program frees and takes again, in whatever sizes, stays with it after the first rounds, so that later rounds take
//# states: no page faults for it; and what it takes no longer goes back
//# libc: brawn
//# profile: fast lean secure
//# case: two_sizes three_sizes six_sizes large_and_small in_batches two_threads larger goes_back
//# timeout: 60
//# not-covered: qemu/*: the emulator's own faults are counted, too
#include "rounds.h"
#include <pthread.h>
#include <semaphore.h>

/* Writes to every page of memory. */
static void *touched(void *p, size_t n) {
    NEED(p);
    for (size_t i = 0; i < n; i += 4096) ((char *)p)[i] = 1;
    return p;
}

static void in_turn(const int *kib, int count) {
    for (int i = 0; i < count; i++) free(touched(malloc((size_t)kib[i] * KIB), (size_t)kib[i] * KIB));
}
#define IN_TURN(...) in_turn((const int[]){__VA_ARGS__}, sizeof((int[]){__VA_ARGS__}) / sizeof(int))

static void two(void) { IN_TURN(500, 2000); }
static void two_sizes(void) { rounds(two, 2500 * KIB); }

/* Together a little more than the largest one, a part of it, and the least that is kept beside. */
static void three(void) { IN_TURN(1024, 204, 4096); }
static void three_sizes(void) { rounds(three, 5324 * KIB); }

static void six(void) { IN_TURN(64, 3000, 100, 500, 300, 1500); }
static void six_sizes(void) { rounds(six, 5464 * KIB); }

static void one_small(void) { IN_TURN(16000, 100); }
static void large_and_small(void) { rounds(one_small, 16100 * KIB); }

/* 32 MiB of small blocks, freed from the last to the first. */
static void batch(void) {
    enum { COUNT = 16384 };
    static void *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) blocks[i] = touched(malloc(2 * KIB), 2 * KIB);
    for (int i = COUNT; i-- > 0;) free(blocks[i]);
}
static void in_batches(void) { rounds(batch, 32 * MIB); }

static void *eight(void *unused) {
    for (int i = 0; i < 8; i++) IN_TURN(700, 150, 2600);
    return unused;
}
static void both(void) {
    pthread_t other;
    NEED(pthread_create(&other, NULL, eight, NULL) == 0);
    eight(NULL);
    NEED(pthread_join(other, NULL) == 0);
}
static void two_threads(void) { rounds(both, 2 * 8 * 3450 * KIB); }

/* Too large for what a thread keeps for itself where there is another one: it takes what is there, also where that is much larger. */
static sem_t begins, ends;
static void *waits(void *block) {
    *(void **)block = malloc(16);
    sem_post(&begins);
    sem_wait(&ends);
    return block;
}
static void large(void) { IN_TURN(5000, 1000, 12000); }
static void larger(void) {
    pthread_t other;
    static void *block;
    NEED(sem_init(&begins, 0, 0) == 0 && sem_init(&ends, 0, 0) == 0);
    NEED(pthread_create(&other, NULL, waits, &block) == 0);
    NEED(sem_wait(&begins) == 0);
    rounds(large, 1000 * KIB);
    sem_post(&ends);
    NEED(pthread_join(other, NULL) == 0);
    free(block);
}

/* After rounds of 32 MiB the program takes one block of 200 KiB again and again, and never waits. */
static void goes_back(void) {
    enum { LONG = 30 };
    struct timespec begin, now;
    const long before = check_status("VmRSS:");
    for (int i = 0; i < FIRST_ROUNDS; i++) IN_TURN(16000, 9000, 7000);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    long left;
    do {
        IN_TURN(200);
        left = check_status("VmRSS:") - before;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (left > 4 * KIB && now.tv_sec - begin.tv_sec < LONG);
    CHECK(left <= 4 * KIB, "%ld KiB are still there after %d s", left, LONG);
}

RUN_CASES({"two_sizes", two_sizes}, {"three_sizes", three_sizes}, {"six_sizes", six_sizes}, {"large_and_small", large_and_small}, {"in_batches", in_batches},
    {"two_threads", two_threads}, {"larger", larger}, {"goes_back", goes_back})
