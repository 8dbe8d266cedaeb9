//# states: a program that brings aligned_alloc alone: memalign, posix_memalign and valloc take its blocks
//# own-heap
//# link: static static-pie lld gc lto-gcc lto-clang line line-lld zig
//# fails: glibc: its memalign takes its own blocks
#define POOL_HERE
#include "check.h"
#include "own/pool.h"
#include <malloc.h>

void *aligned_alloc(size_t alignment, size_t n) { return pool_take(alignment, n); }

int main(void) {
    void *p = aligned_alloc(64, 100), *q = memalign(64, 100), *r = NULL, *s = valloc(100);
    CHECK_SAME(posix_memalign(&r, 256, 100), 0);
    CHECK(in_pool(p) && in_pool(q) && in_pool(r) && in_pool(s), "%p %p %p %p", p, q, r, s);
    p = malloc(100);
    q = calloc(10, 10);
    CHECK(!in_pool(p) && !in_pool(q), "%p %p", p, q);
    NEED(p = realloc(p, 100000));
    free(p);
    free(q);
    return check_result();
}
