//# states: a program's own realloc, in terms of libc's malloc and free, is the one that libc uses
//# own-heap
//# link: static static-pie lld gc lto-gcc lto-clang line line-lld zig
#include "check.h"
#include <malloc.h>

static int calls;
void *realloc(void *p, size_t n) {
    calls++;
    void *q = malloc(n);
    if (!q) return NULL;
    size_t old = malloc_usable_size(p);
    if (p) memcpy(q, p, old < n ? old : n);
    free(p);
    return q;
}

int main(void) {
    char *p = realloc(NULL, 10), *line = NULL;
    size_t length = 0;
    fill(p, 10, 1);
    NEED(p = realloc(p, 100000));
    CHECK_FILLED(p, 10, 1);
    free(p);
    calls = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    NEED(f && getline(&line, &length, f) > 0);
    fclose(f);
    free(line);
#ifndef __GLIBC__
    CHECK(calls > 0, "getline did not come by");
#endif
    return check_result();
}
