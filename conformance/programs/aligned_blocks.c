//# states: alignments up to 64 MiB are kept; aligned blocks can be freed, measured and reallocated
//# case: every_alignment many realloc posix_memalign memalign_small threads
//# link: static static-pie
#include "check.h"
#include <malloc.h>
#include <pthread.h>

static void every_alignment(void) {
    for (size_t a = 1; a <= (size_t)64 << 20; a *= 2)
        for (size_t n = 0; n < 3000000; n = n * 5 + 1) {
            char *p = aligned_alloc(a, n);
            CHECK(p != NULL, "aligned_alloc(%zu, %zu) failed: errno %d", a, n, errno);
            if (!p) continue;
            CHECK((uintptr_t)p % (a < 16 ? 16 : a) == 0, "aligned_alloc(%zu, %zu): %p", a, n, p);
            size_t usable = malloc_usable_size(p);
            CHECK(usable >= n, "aligned_alloc(%zu, %zu): %zu usable", a, n, usable);
            fill(p, n, a);
            CHECK_FILLED(p, n, a);
            free(p);
        }
}
static void many(void) {
    enum { COUNT = 600 };
    static unsigned char *blocks[COUNT];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            size_t a = (size_t)1 << (i % 14), n = i * 13 % 5000;
            NEED(blocks[i] = memalign(a, n));
            CHECK((uintptr_t)blocks[i] % (a < 16 ? 16 : a) == 0, "memalign(%zu, %zu): %p", a, n,
                blocks[i]);
            fill(blocks[i], n, i);
        }
        for (size_t i = 0; i < COUNT; i++) CHECK_FILLED(blocks[i], i * 13 % 5000, i);
        for (size_t i = 0; i < COUNT; i++) free(blocks[i * 7 % COUNT]);
    }
}
static void by_realloc(void) {
    for (size_t a = 16; a <= (size_t)4 << 20; a *= 4)
        for (size_t from = 1; from < 3000000; from = from * 9 + 3)
            for (size_t to = 1; to < 3000000; to = to * 9 + 4) {
                char *p = memalign(a, from);
                NEED(p);
                fill(p, from, a + to);
                NEED(p = realloc(p, to));
                CHECK((uintptr_t)p % 16 == 0, "%p", p);
                size_t kept = from < to ? from : to, wrong = first_wrong(p, kept, a + to);
                CHECK(wrong == (size_t)-1, "alignment %zu, %zu to %zu: byte %zu changed", a, from,
                    to, wrong);
                fill(p, to, 1);
                free(p);
            }
}
static void by_posix_memalign(void) {
    for (size_t a = sizeof(void *); a <= (size_t)1 << 20; a *= 2) {
        void *p = NULL;
        errno = 33;
        CHECK_SAME(posix_memalign(&p, a, 100), 0);
        CHECK_SAME(errno, 33);
        CHECK(p && (uintptr_t)p % a == 0, "alignment %zu: %p", a, p);
        free(p);
    }
}
static void memalign_small(void) {
    for (size_t a = 1; a <= 16; a *= 2)
        for (size_t n = 0; n < 200; n++) {
            void *p = memalign(a, n);
            CHECK(p && (uintptr_t)p % 16 == 0, "memalign(%zu, %zu): %p", a, n, p);
            free(p);
        }
}
static void *free_it(void *p) {
    free(p);
    return hidden(memalign(1024, 3000));
}
static void threads(void) {
    for (int i = 0; i < 200; i++) {
        pthread_t id;
        void *p = memalign((size_t)16 << (i % 12), i * 100), *q;
        NEED(p && pthread_create(&id, NULL, free_it, p) == 0);
        pthread_join(id, &q);
        CHECK((uintptr_t)q % 1024 == 0, "%p", q);
        q = realloc(q, 100000);
        free(q);
    }
}
RUN_CASES({"every_alignment", every_alignment}, {"many", many}, {"realloc", by_realloc},
    {"posix_memalign", by_posix_memalign}, {"memalign_small", memalign_small},
    {"threads", threads})
