/* A whole malloc family, as jemalloc or tcmalloc bring one. */
#define POOL_HERE
#include "pool.h"
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void *take(size_t alignment, size_t n) {
    void *p = pool_take(alignment, n);
    if (!p) errno = ENOMEM;
    return p;
}
void *malloc(size_t n) { return take(16, n); }
void free(void *p) { pool_free(p); }
void *calloc(size_t m, size_t n) {
    size_t whole;
    if (__builtin_mul_overflow(m, n, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return take(16, whole); /* never used before, so zero */
}
void *realloc(void *p, size_t n) {
    void *q = take(16, n);
    if (q && p) memcpy(q, p, pool_size(p) < n ? pool_size(p) : n);
    if (q) pool_free(p);
    return q;
}
#ifndef ONLY_BASICS
void *reallocarray(void *p, size_t m, size_t n) {
    size_t whole;
    if (!__builtin_mul_overflow(m, n, &whole)) return realloc(p, whole);
    errno = ENOMEM;
    return NULL;
}
void *aligned_alloc(size_t alignment, size_t n) { return take(alignment, n); }
void *memalign(size_t alignment, size_t n) { return take(alignment, n); }
void *valloc(size_t n) { return take(4096, n); }
int posix_memalign(void **p, size_t alignment, size_t n) {
    void *q = pool_take(alignment, n);
    if (!q) return ENOMEM;
    *p = q;
    return 0;
}
size_t malloc_usable_size(void *p) { return p ? pool_size(p) : 0; }
#endif
