#include "vector.h"

// What goes on after `seen` bytes.
static __attribute__((noinline)) size_t long_length(const char *s, size_t n, size_t seen) {
    const char *const end = seen < n ? brawn_memchr(s + seen, 0, n - seen) : NULL;
    return end ? (size_t)(end - s) : n;
}

HIDDEN size_t brawn_strnlen(const char *s, size_t n) {
    const vec zero = ZERO;
    if (UNLIKELY(!n || !FITS(s))) return long_length(s, n, 0);
    size_t i = 0;
    bits m = EQ(LOAD(s), zero);
    if (LIKELY(m)) goto found;
    i -= (uintptr_t)s & (WIDTH - 1);
#define STEP                       \
    do {                           \
        i += WIDTH;                \
        if (i >= n) return n;      \
        m = EQ(LOAD(s + i), zero); \
        if (m) goto found;         \
    } while (0)
    STEP;
    STEP;
    STEP;
#undef STEP
    return long_length(s, n, i + WIDTH);
found:
    i += CTZ(m);
    return i < n ? i : n;
}
NAME(strnlen, brawn_strnlen)
