#ifndef WIDTH
#define SOURCE "strnlen.c"
#include "levels.h"

static COLD size_t first(const char *s, size_t n) {
    brawn_memory_detect();
    return brawn_strnlen(s, n);
}

HIDDEN size_t brawn_strnlen(const char *s, size_t n) { DISPATCH(length, first, s, n); }
NAME(strnlen, brawn_strnlen)

// What goes on after `seen` bytes.
static __attribute__((noinline)) size_t long_length(const char *s, size_t n, size_t seen) {
    const char *const end = seen < n ? brawn_memchr(s + seen, 0, n - seen) : NULL;
    return end ? (size_t)(end - s) : n;
}

#else
static size_t long_length(const char *s, size_t n, size_t seen);

TARGET static size_t AT(length)(const char *s, size_t n) {
    const vec zero = ZERO;
    if (UNLIKELY(!n || !FITS(s))) return long_length(s, n, 0);
    size_t i = 0;
    bits m = EQ(LOADU(s), zero);
    if (LIKELY(m)) goto found;
    i -= (uintptr_t)s & (WIDTH - 1);
    for (int k = 0; k < 3; k++) {
        i += WIDTH;
        if (i >= n) return n;
        m = EQ(LOAD(s + i), zero);
        if (m) goto found;
    }
    return long_length(s, n, i + WIDTH);
found:
    i += CTZ(m);
    return i < n ? i : n;
}
#endif
