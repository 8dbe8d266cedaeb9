//# states: every block is aligned to 16, small ones and moved ones too, and blocks do not overlap
//# link: static static-pie line zig
//# case: malloc calloc realloc reallocarray large threads
#include "check.h"
#include <pthread.h>

enum { SIZES = 4097 };
static void *blocks[SIZES];

static void check_all(const char *how) {
    for (size_t n = 0; n < SIZES; n++) {
        CHECK((uintptr_t)blocks[n] % 16 == 0, "%s of %zu bytes gave %p", how, n, blocks[n]);
        CHECK_FILLED(blocks[n], n, n);
    }
}
static void free_all(void) {
    /* Odd ones first, so that neighbours are freed at different times. */
    for (size_t n = 1; n < SIZES; n += 2) free(blocks[n]);
    for (size_t n = 0; n < SIZES; n += 2) free(blocks[n]);
}
static void take_malloc(void) {
    for (size_t n = 0; n < SIZES; n++) {
        NEED(blocks[n] = malloc(n));
        fill(blocks[n], n, n);
    }
}
static void by_malloc(void) {
    for (int round = 0; round < 3; round++) {
        take_malloc();
        check_all("malloc");
        free_all();
    }
}
static void by_calloc(void) {
    for (int round = 0; round < 3; round++) {
        for (size_t n = 0; n < SIZES; n++) {
            unsigned char *p = calloc(n, 1);
            NEED(p);
            for (size_t i = 0; i < n; i++) CHECK(p[i] == 0, "byte %zu of %zu is %d", i, n, p[i]);
            fill(p, n, n);
            blocks[n] = p;
        }
        check_all("calloc");
        free_all();
    }
}
static void by_realloc(void) {
    take_malloc();
    for (size_t n = 1; n < SIZES - 1; n++) {
        size_t other = SIZES - 1 - n, kept = n < other ? n : other;
        NEED(blocks[n] = realloc(blocks[n], other));
        CHECK((uintptr_t)blocks[n] % 16 == 0, "realloc %zu to %zu: %p", n, other, blocks[n]);
        CHECK_FILLED(blocks[n], kept, n);
        NEED(blocks[n] = realloc(blocks[n], n));
        fill(blocks[n], n, n);
    }
    check_all("realloc");
    free_all();
}
static void by_reallocarray(void) {
    for (size_t n = 0; n < SIZES; n++) {
        NEED(blocks[n] = reallocarray(NULL, n, 1));
        fill(blocks[n], n, n);
    }
    check_all("reallocarray");
    free_all();
}
static void large(void) {
    for (size_t n = 4096; n < 40000000; n += n / 7) {
        char *p = malloc(n), *q = malloc(n + 1), *r = calloc(1, n - 1);
        NEED(p && q && r);
        CHECK(((uintptr_t)p | (uintptr_t)q | (uintptr_t)r) % 16 == 0, "%zu: %p %p %p", n, p, q, r);
        p[0] = q[0] = r[0] = p[n - 1] = q[n] = r[n - 2] = 1;
        free(p);
        free(q);
        free(r);
    }
}
static void *small_ones(void *unused) {
    for (int round = 0; round < 20; round++)
        for (size_t n = 0; n < 300; n++) {
            void *p = hidden(malloc(n)), *q = hidden(calloc(n, 1));
            CHECK(((uintptr_t)p | (uintptr_t)q) % 16 == 0, "%zu: %p %p", n, p, q);
            q = hidden(realloc(q, 300 - n));
            CHECK((uintptr_t)q % 16 == 0, "%zu: %p", 300 - n, q);
            free(q);
            free(p);
        }
    return unused;
}
static void threads(void) {
    pthread_t ids[8];
    for (int i = 0; i < 8; i++) NEED(pthread_create(&ids[i], NULL, small_ones, NULL) == 0);
    for (int i = 0; i < 8; i++) pthread_join(ids[i], NULL);
}
RUN_CASES({"malloc", by_malloc}, {"calloc", by_calloc}, {"realloc", by_realloc},
    {"reallocarray", by_reallocarray}, {"large", large}, {"threads", threads})
