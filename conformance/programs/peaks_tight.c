//# states: where every byte counts, large blocks in use and kept ones take no more than those in use ever took
//# libc: brawn
//# profile: lean
//# case: smaller_ones grow_again two_threads
//# timeout: 60
//# not-covered: qemu/*: the emulator's own memory is counted, too
#include "peak.h"
#include <pthread.h>

enum {
    KIB = 1 << 10,
    MIB = 1 << 20,
    COUNT = 16,
    SMALLER = 600 * KIB,
};

static unsigned char *filled(void *p, size_t n, int byte) {
    NEED(p);
    return memset(p, byte, n);
}

static void holds(const unsigned char *p, size_t n, int byte) {
    for (size_t i = 0; i < n; i++) CHECK(p[i] == (unsigned char)byte, "byte %zu is %d and not %d", i, p[i], byte);
}

/* Blocks of 1 MiB go, smaller ones take their places: what those do not need serves others. */
static void smaller_ones(void) {
    enum { MORE = 27 };
    static unsigned char *blocks[MORE], *stay[8];
    long before = peak();
    for (int i = 0; i < 8; i++) stay[i] = filled(malloc(MIB), MIB, i);
    for (int i = 0; i < COUNT; i++) blocks[i] = filled(malloc(MIB), MIB, i);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    for (int i = 0; i < MORE; i++) blocks[i] = filled(malloc(SMALLER), SMALLER, i);
    /* At most 25 MiB are in use, and a sixteenth more is kept. */
    CHECK_PEAK(before, 25 * KIB * 17 / 16 + KIB / 2);
    for (int i = 0; i < MORE; i++) holds(blocks[i], SMALLER, i);
    for (int i = 0; i < 8; i++) free(stay[i]);
    for (int i = 0; i < MORE; i++) free(blocks[i]);
}

/* Such a smaller one grows again, before and after what it does not need went. */
static void grow_again(void) {
    static unsigned char *blocks[COUNT], *others[COUNT];
    for (int i = 0; i < COUNT; i++) blocks[i] = filled(malloc(MIB), MIB, i);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    for (int i = 0; i < COUNT; i++) blocks[i] = filled(malloc(SMALLER), SMALLER, i);
    for (int i = 0; i < COUNT; i++) {
        if (i % 2) others[i] = filled(malloc(900 * KIB), 900 * KIB, 99);
        for (size_t n = SMALLER; n < 2 * MIB; n += n / 4) {
            NEED(blocks[i] = realloc(blocks[i], n));
            holds(blocks[i], SMALLER, i);
            memset(blocks[i] + SMALLER, 77, n - SMALLER);
        }
        NEED(blocks[i] = realloc(blocks[i], SMALLER));
        holds(blocks[i], SMALLER, i);
    }
    for (int i = 1; i < COUNT; i += 2) holds(others[i], 900 * KIB, 99);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    for (int i = 1; i < COUNT; i += 2) free(others[i]);
}

/* Two threads take, change and give back what the other one took. */
enum { PLACES = 24 };
static _Atomic(unsigned char *) places[PLACES];

static void *changes(void *from) {
    unsigned state = (unsigned)(size_t)from;
    for (int i = 0; i < 4000; i++) {
        state = state * 1664525 + 1013904223;
        size_t n = 100 * KIB + (state >> 12) % (900 * KIB);
        unsigned char *p = __atomic_exchange_n((unsigned char **)&places[state >> 8 & 15], NULL, __ATOMIC_ACQ_REL);
        if (p && i % 3 == 0) {
            int byte = p[0];
            holds(p, 100 * KIB, byte);
            NEED(p = realloc(p, n));
            holds(p, 100 * KIB, byte);
            memset(p, byte, n);
        } else {
            free(p);
            p = filled(malloc(n), n, (int)(state >> 24));
        }
        free(__atomic_exchange_n((unsigned char **)&places[state >> 4 & 15], p, __ATOMIC_ACQ_REL));
    }
    return NULL;
}

static void two_threads(void) {
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) NEED(!pthread_create(&threads[i], NULL, changes, (void *)(i + 1)));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < PLACES; i++) free(places[i]);
}

RUN_CASES({"smaller_ones", smaller_ones}, {"grow_again", grow_again}, {"two_threads", two_threads})
