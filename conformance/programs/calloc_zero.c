//# states: calloc gives zeros, whatever the memory held before
//# case: classes large passed_between_threads locked refused
#include "check.h"
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

static size_t first_set(const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i]) return i;
    return (size_t)-1;
}
static void check_zero(size_t n) {
    unsigned char *p = calloc(1, n);
    NEED(p);
    size_t at = first_set(p, n);
    CHECK(at == (size_t)-1, "calloc of %zu bytes: byte %zu is %d", n, at, p[at]);
    memset(p, 0xa5, n);
    free(p);
}
static void dirty(size_t n, int count) {
    void *blocks[64];
    for (int i = 0; i < count; i++) {
        NEED(blocks[i] = malloc(n));
        memset(blocks[i], 0x5a, malloc_usable_size(blocks[i]));
    }
    for (int i = 0; i < count; i++) free(blocks[i]);
}
static void classes(void) {
    for (int round = 0; round < 2; round++)
        for (size_t n = 1; n < 70000; n += 1 + n / 24) {
            dirty(n, 16);
            for (int i = 0; i < 16; i++) check_zero(n);
        }
}
static void large(void) {
    for (size_t n = 65536; n < 20000000; n += n / 3) {
        dirty(n, 3);
        for (int i = 0; i < 4; i++) check_zero(n);
        /* Memory of a large block may come back as several small ones. */
        check_zero(n / 7);
    }
}
static void *free_dirty(void *block) {
    memset(block, 0x77, malloc_usable_size(block));
    free(block);
    return NULL;
}
static void passed_between_threads(void) {
    for (size_t n = 16; n < 300000; n *= 2) {
        void *blocks[16];
        pthread_t ids[16];
        for (int i = 0; i < 16; i++) NEED(blocks[i] = malloc(n));
        for (int i = 0; i < 16; i++)
            NEED(pthread_create(&ids[i], NULL, free_dirty, blocks[i]) == 0);
        for (int i = 0; i < 16; i++) pthread_join(ids[i], NULL);
        for (int i = 0; i < 32; i++) check_zero(n);
    }
}
/* The kernel does not take back what is locked in memory (as root, or within RLIMIT_MEMLOCK). */
static void locked(void) {
    const size_t mib = 1 << 20;
    NEED(!mlockall(MCL_CURRENT | MCL_FUTURE));
    unsigned char *used = malloc(100 * mib), *p;  // so that the others are kept
    NEED(used);
    used[0] = 1;
    NEED(p = malloc(40 * mib));
    memset(p, 0xa5, 40 * mib);
    free(hidden(p));
    check_zero(40 * mib);
    free(used);
    NEED(p = malloc(8 * mib));
    memset(p, 0xa5, 8 * mib);
    NEED(p = realloc(hidden(p), 3 * mib));
    free(p);
    check_zero(7 * mib);
}
/* A process that may have no more data cannot make pages accessible that are not: it still gives back what it had. */
static void refused(void) {
    const size_t sizes[] = {100000, 300000, 500000, 900000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *p = malloc(1 << 20);
        NEED(p);
        memset(p, 0xa5, 1 << 20);
        free(hidden(p));
        NEED(p = malloc(sizes[i]));
        struct rlimit before, none;
        NEED(!getrlimit(RLIMIT_DATA, &before));
        none = before;
        none.rlim_cur = 4096;
        NEED(!setrlimit(RLIMIT_DATA, &none));
        free(hidden(p));
        NEED(!setrlimit(RLIMIT_DATA, &before));
        for (size_t n = 700000; n < 1500000; n += 400000) check_zero(n);
    }
}
RUN_CASES({"classes", classes}, {"large", large},
    {"passed_between_threads", passed_between_threads}, {"locked", locked}, {"refused", refused})
