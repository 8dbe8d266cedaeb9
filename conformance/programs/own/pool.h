/* The simplest heap that works: a program's own.  Blocks are never reused; a header before each
 * says how large it is.  Its memory is known, so that a pointer tells whose it is. */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>
#include <stdint.h>

enum { POOL_SIZE = 32 << 20 };
#ifdef __cplusplus
extern "C" {
#endif
extern char pool[POOL_SIZE];
extern size_t pool_used, pool_taken, pool_freed, pool_foreign;

static inline int in_pool(const void *p) {
    return (const char *)p >= pool && (const char *)p < pool + POOL_SIZE;
}
/* NULL if the pool is used up. */
void *pool_take(size_t alignment, size_t n);
size_t pool_size(const void *p);
/* Counts; a pointer from elsewhere is counted apart. */
void pool_free(void *p);
#ifdef __cplusplus
}
#endif

#ifdef POOL_HERE
char pool[POOL_SIZE] __attribute__((aligned(4096)));
size_t pool_used, pool_taken, pool_freed, pool_foreign;

void *pool_take(size_t alignment, size_t n) {
    if (alignment < 16) alignment = 16;
    if (n > POOL_SIZE || alignment > 65536) return NULL;
    size_t whole = n + 2 * alignment;
    size_t start = __atomic_fetch_add(&pool_used, (whole + 15) & ~(size_t)15, __ATOMIC_SEQ_CST);
    if (start + whole > POOL_SIZE) return NULL;
    uintptr_t p = ((uintptr_t)pool + start + 16 + alignment - 1) & ~(uintptr_t)(alignment - 1);
    ((size_t *)p)[-1] = n;
    __atomic_fetch_add(&pool_taken, 1, __ATOMIC_SEQ_CST);
    return (void *)p;
}
size_t pool_size(const void *p) { return ((const size_t *)p)[-1]; }
void pool_free(void *p) {
    if (!p) return;
    __atomic_fetch_add(in_pool(p) ? &pool_freed : &pool_foreign, 1, __ATOMIC_SEQ_CST);
}
#endif
#endif
