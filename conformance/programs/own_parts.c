//# states: a program's own calloc, reallocarray, strdup and posix_memalign stand beside libc's malloc
//# own-heap
//# does-not-link: rewritten@zig-0.15.2: stock does not, since zig has two heaps in one archive
//# link: static static-pie lld gc lto-gcc lto-clang line line-lld zig
#include "check.h"
#include <malloc.h>

/* Compatibility code brings such functions in terms of the others. */
static int callocs, arrays, strings, aligned;
void *calloc(size_t m, size_t n) {
    callocs++;
    void *p = m && n > SIZE_MAX / m ? NULL : malloc(m * n);
    return p ? memset(p, 0, m * n) : NULL;
}
void *reallocarray(void *p, size_t m, size_t n) {
    arrays++;
    return m && n > SIZE_MAX / m ? NULL : realloc(p, m * n);
}
char *strdup(const char *s) {
    strings++;
    char *p = malloc(strlen(s) + 1);
    return p ? strcpy(p, s) : NULL;
}
int posix_memalign(void **p, size_t alignment, size_t n) {
    aligned++;
    void *q = memalign(alignment, n);
    if (q) *p = q;
    return q ? 0 : ENOMEM;
}

int main(void) {
    void *p = calloc(10, 10), *q = reallocarray(NULL, 10, 10), *r = strdup("text"), *s = NULL;
    NEED(p && q && r && !posix_memalign(&s, 4096, 100));
    CHECK(strcmp(r, "text") == 0, "found %s", (char *)r);
    CHECK((uintptr_t)s % 4096 == 0, "%p", s);
    NEED(p = realloc(p, 100000));
    NEED(s = realloc(s, 100000));
    CHECK(malloc_usable_size(s) >= 100000, "%zu", malloc_usable_size(s));
    free(p);
    free(q);
    free(r);
    free(s);
    for (int i = 0; i < 40; i++) NEED(setenv("name", i % 2 ? "a" : "a longer one", 1) == 0);
    CHECK(callocs >= 1 && arrays >= 1 && strings >= 1 && aligned == 1, "%d %d %d %d", callocs,
        arrays, strings, aligned);
    return check_result();
}
