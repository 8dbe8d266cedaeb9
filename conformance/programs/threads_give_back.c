//# states: what a thread frees of other threads' small blocks comes back, also if it frees few of them, or ends, or the owner does
//# case: few many owners owner_ends in_children
//# timeout: 120
//# not-covered: qemu/*/in_children: qemu-user 7.2 may assert in the child of a fork, with stock as well
#include "forks.h"
#include "peak.h"
#include <pthread.h>

/* A heap may collect such blocks, to hand over several at once.  Each case takes and gives back much more than it may have at a time. */
enum {
    MOST = 400,
    SIZE = 1000,
    LEAST_KIB = 4096,
};
static char *given[MOST];
static size_t count;

/* Under qemu-user the process is qemu, which keeps memory of each thread that there ever was. */
static void check_most(long before) {
    if (!check_emulated()) CHECK_PEAK(before, LEAST_KIB);
}

static void *free_only(void *unused) {
    for (size_t i = 0; i < count; i++) free(given[i]);
    return unused;
}
static void *free_all(void *unused) {
    /* It has a heap of its own. */
    free(hidden(malloc(10)));
    return free_only(unused);
}
/* So much in use that no other thread takes its heap as it is. */
enum { KEPT = 2000 };
static void *kept[KEPT];
static void *free_and_leave(void *unused) {
    for (size_t i = 0; i < KEPT; i++) NEED(kept[i] = malloc(16));
    return free_only(unused);
}
static void *take_all(void *unused) {
    for (size_t i = 0; i < count; i++) {
        NEED(given[i] = malloc(SIZE));
        fill(given[i], SIZE, (unsigned)i);
    }
    return unused;
}
static void check_all(void) {
    for (size_t i = 0; i < count; i++) CHECK_FILLED(given[i], SIZE, (unsigned)i);
}
static void in_thread(void *(*body)(void *)) {
    pthread_t id;
    NEED(!pthread_create(&id, NULL, body, NULL));
    NEED(!pthread_join(id, NULL));
}

/* Threads that end with few such blocks: 5 KB in each of 20,000 rounds. */
static void few(void) {
    void *(*const bodies[])(void *) = {free_all, free_only, free_and_leave};
    count = 5;
    long before = 0;
    const size_t rounds = check_share(20000);
    for (size_t i = 0; i < rounds; i++) {
        take_all(NULL);
        in_thread(bodies[i % 3]);
        for (size_t j = 0; i % 3 == 2 && j < KEPT; j++) free(kept[j]);
        if (i == rounds / 100) before = peak();
    }
    check_most(before);
}

/* As many as go at once, and more: 400 KB a round. */
static void many(void) {
    count = MOST;
    long before = 0;
    const size_t rounds = check_share(2000);
    for (size_t i = 0; i < rounds; i++) {
        take_all(NULL);
        check_all();
        in_thread(i % 2 ? free_all : free_only);
        if (i == rounds / 100) before = peak();
    }
    check_most(before);
}

/* More threads than a heap may tell apart, whose blocks the first thread frees. */
enum { OWNERS = 80 };
static pthread_barrier_t taken, freed;
static void *own(void *argument) {
    const size_t me = (size_t)argument, each = MOST / OWNERS;
    for (size_t round = 0; round < count; round++) {
        for (size_t i = me * each; i < (me + 1) * each; i++) {
            NEED(given[i] = malloc(SIZE));
            fill(given[i], SIZE, (unsigned)i);
        }
        pthread_barrier_wait(&taken);
        pthread_barrier_wait(&freed);
    }
    return NULL;
}
static void owners(void) {
    pthread_t ids[OWNERS];
    long before = 0;
    count = check_share(400);
    NEED(!pthread_barrier_init(&taken, NULL, OWNERS + 1) && !pthread_barrier_init(&freed, NULL, OWNERS + 1));
    for (size_t i = 0; i < OWNERS; i++) NEED(!pthread_create(&ids[i], NULL, own, (void *)i));
    for (size_t round = 0; round < count; round++) {
        pthread_barrier_wait(&taken);
        for (size_t i = 0; i < MOST; i++) {
            CHECK_FILLED(given[i], SIZE, (unsigned)i);
            free(given[i]);
        }
        if (round == count / 10) before = peak();
        pthread_barrier_wait(&freed);
    }
    for (size_t i = 0; i < OWNERS; i++) NEED(!pthread_join(ids[i], NULL));
    check_most(before);
}

/* The owner is gone before its blocks are freed, or while they are: by the first thread, which goes on, and by others, which end. */
static void owner_ends(void) {
    long before = 0;
    const size_t rounds = check_share(4000);
    for (size_t i = 0; i < rounds; i++) {
        count = 1 + i % 37;
        in_thread(take_all);
        check_all();
        if (i % 3 == 0) free_only(NULL);
        else in_thread(i % 3 == 1 ? free_all : free_only);
        if (i == rounds / 10) before = peak();
    }
    check_most(before);
}

/* Threads that hand blocks round without an end, while the first one forks.  Each child frees others' blocks, and takes and checks its own. */
enum { AROUND = 4 };
static _Atomic(char *) around[AROUND][64];
static volatile int over;
static void *hand_round(void *argument) {
    const size_t me = (size_t)argument;
    uint64_t state = 5 + me;
    while (!over) {
        char *block = malloc(16 + next_random(&state) % SIZE);
        NEED(block);
        *block = (char)me;
        free(__atomic_exchange_n((char **)&around[(me + 1) % AROUND][next_random(&state) % 64], block, __ATOMIC_ACQ_REL));
    }
    return NULL;
}
static int as_child(void) {
    for (size_t i = 0; i < AROUND; i++)
        for (size_t j = 0; j < 64; j++) free(__atomic_exchange_n((char **)&around[i][j], NULL, __ATOMIC_ACQ_REL));
    count = MOST;
    for (size_t i = 0; i < 20; i++) {
        take_all(NULL);
        check_all();
        in_thread(free_all);
    }
    return check_result();
}
static void in_children(void) {
    pthread_t ids[AROUND];
    for (size_t i = 0; i < AROUND; i++) NEED(!pthread_create(&ids[i], NULL, hand_round, (void *)i));
    const size_t forks = check_share(40);
    for (size_t i = 0; i < forks; i++) check_child(as_child, i);
    over = 1;
    for (size_t i = 0; i < AROUND; i++) pthread_join(ids[i], NULL);
}

RUN_CASES({"few", few}, {"many", many}, {"owners", owners}, {"owner_ends", owner_ends}, {"in_children", in_children})
