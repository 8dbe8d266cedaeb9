#ifndef WIDTH
#define SOURCE "strnlen.c"
#include "memory.h"

ENTRY(brawn_strnlen, length)
ENTRY_NAME(strnlen, brawn_strnlen)

#include "levels.h"

OTHERS(size_t, length, (const char *s, size_t n), s, n)

// What goes on after `seen` bytes.
static __attribute__((noinline)) size_t long_length(const char *s, size_t n, size_t seen) {
    const char *const end = seen < n ? brawn_memchr(s + seen, 0, n - seen) : NULL;
    return end ? (size_t)(end - s) : n;
}

#else
static size_t long_length(const char *s, size_t n, size_t seen);

ENTERED(brawn_strnlen)
static size_t AT(length)(const char *s, size_t n) {
    if (UNLIKELY(!n)) return 0;
    if (UNLIKELY(!FITS(s))) return long_length(s, n, 0);
    const bits m = EQ(LOADU_IN(16, s), ZERO);
    if (LIKELY(m)) return CTZ(m) < n ? CTZ(m) : n;
    size_t i = WIDTH;
#if WIDTH == 64
    i -= (uintptr_t)s & (WIDTH - 1);
    for (const size_t most = n < 5 * WIDTH ? n : 5 * WIDTH; i < most; i += WIDTH) {
        const bits more = EQ(LOADU_IN(16, s + i), ZERO);
        if (more) return i + CTZ(more) < n ? i + CTZ(more) : n;
    }
#endif
    return long_length(s, n, i);
}
#endif
