//# states: realloc keeps contents in every direction, and leaves other blocks alone
//# case: every_pair every_growth random_walk growing shrinking to_one_gib in_threads kept_and_larger
//# link: static zig
//# timeout: 60
#include "check.h"
#include <malloc.h>
#include <pthread.h>

/* Around every limit at which heaps change their ways: size classes, pages, mmap thresholds. */
static const size_t sizes[] = {1, 8, 15, 16, 17, 31, 33,
    63, 65, 100, 128, 129, 255, 257, 511,
    1000, 1024, 1025, 2047, 4095, 4096, 4097, 8191,
    8193, 16384, 16385, 32769, 65535, 65537, 131000, 131073,
    200000, 262145, 524289, 1048575, 1048577, 2097153, 4194305};
enum { COUNT = sizeof sizes / sizeof *sizes };

/* An emulator takes seconds for megabytes: there it is a third of the pairs with a large block. */
static void every_pair(void) {
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++) {
            if ((sizes[i] > 200000 || sizes[j] > 200000) && (i + j) % 3 && check_emulated()) continue;
            size_t from = sizes[i], to = sizes[j], kept = from < to ? from : to;
            char *p = malloc(from), *guard = malloc(64);
            NEED(p && guard);
            fill(p, from, i);
            fill(guard, 64, j);
            NEED(p = realloc(p, to));
            CHECK((uintptr_t)p % 16 == 0, "%zu to %zu: %p", from, to, p);
            size_t wrong = first_wrong(p, kept, i);
            CHECK(wrong == (size_t)-1, "%zu to %zu: byte %zu changed", from, to, wrong);
            CHECK(malloc_usable_size(p) >= to, "%zu to %zu: %zu usable", from, to,
                malloc_usable_size(p));
            fill(p, to, j + 1);
            CHECK_FILLED(guard, 64, j);
            free(p);
            free(guard);
        }
}

/* From every size to one that is a third larger, where heaps give what grows more room than it needs. */
static void every_growth(void) {
    for (size_t from = 4000; from < 140000; from += 61) {
        const size_t to = from + from / 3;
        unsigned char *p = malloc(from);
        NEED(p);
        fill(p, from, from);
        for (size_t size = from; size < to; size += 1 + from / 16) {
            NEED(p = realloc(p, size));
            p[size - 1] = size == from ? p[size - 1] : 1;
        }
        NEED(p = realloc(p, to));
        CHECK_FILLED(p, from, from);
        fill(p, to, to);
        free(p);
    }
}

struct walker {
    uint64_t state;
    int steps;
};
static void *walk(void *argument) {
    struct walker *w = argument;
    enum { LIVE = 64 };
    struct {
        unsigned char *p;
        size_t n;
        unsigned seed;
    } live[LIVE];
    memset(live, 0, sizeof live);
    for (int step = 0; step < w->steps; step++) {
        uint64_t r = next_random(&w->state);
        int k = r % LIVE;
        /* Small sizes often, large ones now and then. */
        size_t n = (r >> 8) % ((size_t)16 << ((r >> 40) % 15)) + 1;
        CHECK_FILLED(live[k].p, live[k].n, live[k].seed);
        size_t kept = n < live[k].n ? n : live[k].n;
        unsigned char *p = realloc(live[k].p, n);
        NEED(p);
        CHECK_FILLED(p, kept, live[k].seed);
        live[k].p = p;
        live[k].n = n;
        live[k].seed = step;
        fill(p, n, step);
    }
    for (int k = 0; k < LIVE; k++) {
        CHECK_FILLED(live[k].p, live[k].n, live[k].seed);
        free(live[k].p);
    }
    return NULL;
}
static void random_walk(void) { walk(&(struct walker){88172645463325252u, (int)check_share(20000)}); }
static void in_threads(void) {
    pthread_t ids[4];
    struct walker walkers[4];
    for (int i = 0; i < 4; i++) {
        walkers[i] = (struct walker){12345678u + i * 977u, (int)check_share(5000)};
        NEED(pthread_create(&ids[i], NULL, walk, &walkers[i]) == 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
}
static void growing(void) {
    char *p = NULL;
    for (size_t n = 1; n < 300000; n += 1 + n / 50) {
        NEED(p = realloc(p, n));
        p[n - 1] = (char)n;
    }
    for (size_t n = 1; n < 300000; n += 1 + n / 50)
        CHECK(p[n - 1] == (char)n, "byte %zu changed", n - 1);
    free(p);
}
static void shrinking(void) {
    size_t n = 4000000;
    char *p = malloc(n);
    NEED(p);
    fill(p, n, 9);
    while (n > 1) {
        n -= 1 + n / 20;
        NEED(p = realloc(p, n));
        CHECK_FILLED(p, n, 9);
    }
    free(p);
}
static void to_one_gib(void) {
    /* Two blocks take turns, so that neither can simply grow at the end of the heap. */
    size_t *blocks[2] = {NULL, NULL};
    for (size_t n = 4096; n <= (size_t)1 << 30; n *= 2)
        for (int k = 0; k < 2; k++) {
            NEED(blocks[k] = realloc(blocks[k], n));
            for (size_t m = 4096; m < n; m *= 2)
                CHECK(blocks[k][m / 8 - 1] == m + k, "block of %zu: changed before %zu", n, m);
            blocks[k][n / 8 - 1] = n + k;
        }
    for (size_t n = (size_t)1 << 29; n >= 4096; n /= 2)
        for (int k = 0; k < 2; k++) {
            NEED(blocks[k] = realloc(blocks[k], n));
            CHECK_SAME(blocks[k][n / 8 - 1], n + k);
        }
    free(blocks[0]);
    free(blocks[1]);
}
/* A block of whole pages gets a mapping that was kept, and grows into what that has more. */
static void kept_and_larger(void) {
    const size_t kib = 1024;
    for (size_t n = 128; n <= 400; n += 16) {
        unsigned char *large[2], *p;
        for (int i = 0; i < 2; i++) {
            NEED(large[i] = malloc((1300 - 500 * i) * kib));
            memset(large[i], 0x55, (1300 - 500 * i) * kib);
        }
        free(large[0]);
        free(large[1]);
        NEED(p = malloc(n * kib));
        memset(p, 1, n * kib);
        NEED(p = realloc(p, 1200 * kib));
        CHECK_SAME(p[n * kib - 1], 1);
        free(p);
    }
}
RUN_CASES({"every_pair", every_pair}, {"every_growth", every_growth}, {"random_walk", random_walk}, {"growing", growing},
    {"shrinking", shrinking}, {"to_one_gib", to_one_gib}, {"in_threads", in_threads}, {"kept_and_larger", kept_and_larger})
