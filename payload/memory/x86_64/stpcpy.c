#ifndef WIDTH
#define SOURCE "stpcpy.c"
#include "../generic/copy-short.h"
#include "memory.h"

ENTRY(brawn_stpcpy, copy)
ENTRY_NAME(__stpcpy, brawn_stpcpy)
ENTRY_NAME(stpcpy, brawn_stpcpy)

#include "levels.h"

OTHERS(char *, copy, (char *restrict to, const char *restrict from), to, from)

#else
#if WIDTH == 64
#define copy_some_avx512 brawn_memcpy
#else
INLINE void AT(copy_some)(char *d, const char *s, size_t n) {
    if (n <= 16) return copy_short(d, s, n);
    const __m128i head = GET128(s), tail = GET128(s + n - 16);
    PUT128(d, head);
    PUT128(d + n - 16, tail);
}
#endif

static char *AT(copy)(char *restrict to, const char *restrict from);
// The first n bytes, 1 to WIDTH, and nothing else.
TARGET static char *AT(copy_end)(char *restrict to, const char *restrict from, size_t n) {
    AT(copy_some)(to, from, n);
    return to + n - 1;
}
// The first vector does not lie in one page: what is in the first page, and then, if the string goes on, the rest.
TARGET static char *AT(copy_page)(char *restrict to, const char *restrict from) {
    const char *const p = DOWN(from, WIDTH);
    const bits m = EQ(LOADU_IN(16, p), ZERO) >> (from - p);
    if (m) return AT(copy_end)(to, from, CTZ(m) + 1);
    const size_t n = (size_t)(p + WIDTH - from);
    AT(copy_some)(to, from, n);
    return AT(copy)(to + n, from + n);
}

// The first vector, which has no end, and the rest.  What copies the second one lies in one cache line.
TARGET HIDDEN __attribute__((aligned(64))) char *AT(brawn_copy_on)(char *restrict to, const char *restrict from) {
    const vec zero = ZERO;
    const char *p = DOWN(from, WIDTH);
    bits m;
    STOREU(to, LOADU_IN(16, from));
    // At least one vector has been copied, up to p + WIDTH at least.
    const ptrdiff_t apart = to - from;
    for (;;) {
        p += WIDTH;
        LOOK_UP(DOWN(p, 2 * WIDTH), brawn_stpcpy((char *)p + apart, p));
        vec x = LOAD(p);
        m = EQ(x, zero);
        if (m) break;
        STOREU((char *)p + apart, x);
        p += WIDTH;
        x = LOAD(p);
        m = EQ(x, zero);
        if (m) break;
        STOREU((char *)p + apart, x);
    }
    // The vector that ends at the string's end.
    p += CTZ(m);
    STOREU((char *)p + apart - (WIDTH - 1), LOADU(p - (WIDTH - 1)));
    return (char *)p + apart;
}

ENTERED(brawn_stpcpy)
static char *AT(copy)(char *restrict to, const char *restrict from) {
    if (UNLIKELY(!FITS(from))) return AT(copy_page)(to, from);
    const vec first = LOADU_IN(16, from);
    const bits m = EQ(first, ZERO);
    if (LIKELY(m)) {
#if WIDTH == 64
        if (UNLIKELY(!FITS(to))) return AT(copy_end)(to, from, CTZ(m) + 1);
        PUT_SOME(to, m ^ (m - 1), first);
#else
        AT(copy_some)(to, from, CTZ(m) + 1);
#endif
        return to + CTZ(m);
    }
    return AT(brawn_copy_on)(to, from);
}
#endif
