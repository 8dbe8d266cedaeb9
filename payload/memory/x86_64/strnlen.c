#ifndef WIDTH
#define SOURCE "strnlen.c"
#include "levels.h"

static COLD size_t first(const char *s, size_t n) {
    brawn_memory_detect();
    return brawn_strnlen(s, n);
}

HIDDEN size_t brawn_strnlen(const char *s, size_t n) { DISPATCH(length, first, s, n); }
NAME(strnlen, brawn_strnlen)

// What goes beyond the first vector.
static __attribute__((noinline)) size_t long_length(const char *s, size_t n) {
    const char *const end = brawn_memchr(s, 0, n);
    return end ? (size_t)(end - s) : n;
}

#else
static size_t long_length(const char *s, size_t n);

TARGET static size_t AT(length)(const char *s, size_t n) {
    if (LIKELY(n && FITS(s))) {
        const bits m = EQ(LOADU(s), ZERO);
        if (m) return CTZ(m) < n ? CTZ(m) : n;
        if (n <= WIDTH) return n;
    }
    return long_length(s, n);
}
#endif
