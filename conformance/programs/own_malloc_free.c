//# states: a program that brings malloc and free alone: libc's calloc and strdup take the program's blocks
//# own-heap
//# link: static static-pie lld gc lto-gcc lto-clang line line-lld zig
//# fails: glibc: its calloc takes its own blocks
#define POOL_HERE
#include "check.h"
#include "own/pool.h"

void *malloc(size_t n) {
    void *p = pool_take(16, n);
    if (p) memset(p, 0x5a, n);
    return p;
}
void free(void *p) { pool_free(p); }

int main(void) {
    char *p = malloc(10), *q = strdup("text"), *r = calloc(1000, 10), *s = strndup("text", 3);
    CHECK(in_pool(p) && in_pool(q) && in_pool(s), "%p %p %p", (void *)p, (void *)q, (void *)s);
    CHECK(in_pool(r), "calloc gave %p", (void *)r);
    for (int i = 0; i < 10000; i++) CHECK(r[i] == 0, "byte %d is %d", i, r[i]);
    free(p);
    free(q);
    free(r);
    free(s);
    FILE *f = fopen("/dev/null", "r");
    CHECK(in_pool(f), "fopen gave %p", (void *)f);
    fclose(f);
    errno = 0;
    CHECK(calloc(hidden_size(SIZE_MAX), 2) == NULL && errno == ENOMEM, "errno %d", errno);
    CHECK_SAME(pool_foreign, 0);
    CHECK(pool_taken == pool_freed, "%zu taken, %zu freed", pool_taken, pool_freed);
    return check_result();
}
