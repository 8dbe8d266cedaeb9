//# states: the most that is resident at once: of large blocks that are kept, of pages with few blocks left, of blocks that
//# states: threads pass on, and the blocks of a fresh page are those that it has room for
//# libc: brawn
//# profile: fast lean
//# case: grows_beside_kept kept_too_large few_left passed_spans passed_blocks all_of_a_page beside_taken again
//# timeout: 60
//# not-covered: qemu/*: the emulator's own memory is counted, too
#include "peak.h"
#include <pthread.h>
#include <sys/wait.h>

enum {
    KIB = 1 << 10,
    MIB = 1 << 20,
};

/* Writes to every page of memory. */
static void *touched(void *p, size_t n) {
    NEED(p);
    for (size_t i = 0; i < n; i += 4096) ((char *)p)[i] = 1;
    return p;
}

/* A table grows to 8 MiB, goes, and grows again: what the first one left does not stay beside the second. */
static void grows_beside_kept(void) {
    long before = peak();
    for (int time = 0; time < 3; time++) {
        char *p = NULL;
        for (size_t n = 128 * KIB; n <= 8 * MIB; n *= 2) p = touched(realloc(p, n), n);
        free(p);
    }
    CHECK_PEAK(before, 11 * KIB);
}

/* Two large blocks go, and are much too large for those that come: they make room for them.  16 MiB are in use at most, and a 32nd of it and
 * 1 MiB may be kept. */
static void kept_too_large(void) {
    enum {
        SMALLER = 130 * KIB,
        COUNT = 8 * MIB / SMALLER,
    };
    long before = peak();
    void *stays[8], *blocks[COUNT];
    for (int i = 0; i < 8; i++) stays[i] = touched(malloc(MIB), MIB);
    for (int i = 0; i < 2; i++) blocks[i] = touched(malloc(4 * MIB), 4 * MIB);
    for (int i = 0; i < 2; i++) free(blocks[i]);
    for (int i = 0; i < COUNT; i++) blocks[i] = touched(malloc(SMALLER), SMALLER);
    CHECK_PEAK(before, 18 * KIB);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    for (int i = 0; i < 8; i++) free(stays[i]);
}

/* 64 MiB of small blocks, of which one in a hundred stays, then as much of larger ones, which are larger than most of the pieces that became
 * free: the peak grows by what is new, as with glibc (66 MiB). */
static void few_left(void) {
    enum {
        SMALL = 64 * MIB / 64,
        LARGE = 64 * MIB / (48 * KIB),
    };
    static void *small[SMALL], *large[LARGE];
    for (int i = 0; i < SMALL; i++) NEED(small[i] = memset(malloc(64), 1, 64));
    long before = peak();
    for (int i = 0; i < SMALL; i++)
        if (i % 100) free(small[i]);
    for (int i = 0; i < LARGE; i++) large[i] = touched(malloc(48 * KIB), 48 * KIB);
    CHECK_PEAK(before, 70 * KIB);
    for (int i = 0; i < LARGE; i++) free(large[i]);
    for (int i = 0; i < SMALL; i += 100) free(small[i]);
}

/* A thread takes blocks and waits; another one frees them, and takes as many: it gets the same. */
enum { PASSED = 1024 };
static void *passed[PASSED];
static pthread_barrier_t both;

static void *taker(void *size) {
    for (int i = 0; i < PASSED; i++) passed[i] = touched(malloc((size_t)size), (size_t)size);
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return NULL;
}

static void pass(size_t size) {
    pthread_t thread;
    NEED(!pthread_barrier_init(&both, NULL, 2));
    NEED(!pthread_create(&thread, NULL, taker, (void *)size));
    pthread_barrier_wait(&both);
    long before = peak();
    for (int i = 0; i < PASSED; i++) {
        free(passed[i]);
        passed[i] = touched(malloc(size), size);
    }
    CHECK_PEAK(before, 3 * KIB);
    pthread_barrier_wait(&both);
    pthread_join(thread, NULL);
    for (int i = 0; i < PASSED; i++) free(passed[i]);
}

static void passed_spans(void) { pass(40 * KIB); }

static void passed_blocks(void) { pass(9000); }

/* Of each size as many blocks as two pages of any size have: none overlaps another, all are aligned. */
static void all_of_a_page(void) {
    for (size_t size = 16; size <= 16384; size += 16) {
        enum { COUNT = 64 };
        unsigned char *blocks[COUNT];
        for (int i = 0; i < COUNT; i++) {
            NEED(blocks[i] = malloc(size));
            CHECK((uintptr_t)blocks[i] % 16 == 0, "%zu bytes at %p", size, (void *)blocks[i]);
            memset(blocks[i], i, size);
        }
        for (int i = 0; i < COUNT; i++) {
            CHECK(blocks[i][0] == i && blocks[i][size - 1] == i, "block %d of %zu bytes was written to", i, size);
            free(blocks[i]);
        }
    }
}

/* Of three neighbours two go, and something smaller takes a part of their place.  What is left there is too small for the blocks that
 * come then: these take new memory, no more than with glibc (15.4 MiB). */
static void beside_taken(void) {
    enum {
        MANY = 1023,
        LARGER = 256,
    };
    static void *blocks[MANY], *smaller[MANY / 3], *larger[LARGER];
    for (int i = 0; i < MANY; i++) blocks[i] = touched(malloc(24 * KIB), 24 * KIB);
    long before = peak();
    for (int i = 0; i < MANY; i++)
        if (i % 3) free(blocks[i]);
    for (int i = 0; i < MANY / 3; i++) smaller[i] = touched(malloc(32 * KIB), 32 * KIB);
    for (int i = 0; i < LARGER; i++) larger[i] = touched(malloc(60 * KIB), 60 * KIB);
    CHECK_PEAK(before, 16 * KIB);
    for (int i = 0; i < LARGER; i++) free(larger[i]);
    for (int i = 0; i < MANY / 3; i++) free(smaller[i]);
    for (int i = 0; i < MANY; i += 3) free(blocks[i]);
}

/* Six segments and a half of blocks of many sizes, over and over.  By how many KiB the peak grows after the first round.  (Pages of blocks of at most
 * 1 KiB are larger where there are many of them, and take as much as with glibc: 600 KiB more after the first round of 20,000 such blocks.) */
static long grows_again(void) {
    enum {
        COUNT = 1300,
        ROUNDS = 10,
    };
    static char *blocks[COUNT];
    uint64_t state = 1;
    long first = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            const size_t size = 1040 + next_random(&state) % 7000;
            NEED(blocks[i] = memset(malloc(size), 1, size));
        }
        if (round == 0) first = peak();
        for (int i = COUNT - 1; i >= 0; i--) {
            size_t other = next_random(&state) % (size_t)(i + 1);
            char *p = blocks[other];
            blocks[other] = blocks[i];
            free(p);
        }
    }
    return peak() - first;
}

/* What was written to serves before the half segment that was not.  A run takes a twentieth of a second.  At the turn of one the heap forgets half of
 * what it needed lately, and gives some of it back: so of three runs one has no such turn. */
static void again(void) {
    /* 152 KiB are the heap's (628 where fresh slices serve as well); and of code that nothing ran before, the kernel maps 64 KiB at a time. */
    const long most = 300 + (peak(), peak_inexact);
    for (int run = 0; run < 3; run++) {
        const pid_t child = fork();
        NEED(child >= 0);
        if (child == 0) _exit(grows_again() >= most);
        int status;
        NEED(waitpid(child, &status, 0) == child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    }
    CHECK(0, "the peak grew by %ld KiB or more in each of three runs", most);
}

RUN_CASES({"grows_beside_kept", grows_beside_kept}, {"kept_too_large", kept_too_large}, {"few_left", few_left}, {"passed_spans", passed_spans},
    {"passed_blocks", passed_blocks}, {"all_of_a_page", all_of_a_page},
    {"beside_taken", beside_taken}, {"again", again})
