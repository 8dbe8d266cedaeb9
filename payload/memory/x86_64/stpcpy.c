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
#if WIDTH < 64
INLINE void AT(copy_some)(char *d, const char *s, size_t n) {
    if (n <= 16) return copy_short(d, s, n);
    const __m128i head = GET128(s), tail = GET128(s + n - 16);
    PUT128(d, head);
    PUT128(d + n - 16, tail);
}
#endif

// The first n bytes, 1 to WIDTH, and nothing else.
TARGET static char *AT(copy_end)(char *restrict to, const char *restrict from, size_t n) {
#if WIDTH == 64
    _mm512_mask_storeu_epi8(to, LOW(n), _mm512_maskz_loadu_epi8(LOW(n), from));
#else
    AT(copy_some)(to, from, n);
#endif
    return to + n - 1;
}

ENTERED(brawn_stpcpy)
static char *AT(copy)(char *restrict to, const char *restrict from) {
    const vec zero = ZERO;
    const char *p = DOWN(from, WIDTH);
    bits m;
    if (UNLIKELY(!FITS(from))) {
        m = EQ(LOADU_IN(16, p), zero) >> (from - p);
        if (m) return AT(copy_end)(to, from, CTZ(m) + 1);
        // The string goes on in the next page, so that page can be read.
    }
    const vec first = LOADU_IN(16, from);
    m = EQ(first, zero);
    if (LIKELY(m)) {
#if WIDTH == 64
        _mm512_mask_storeu_epi8(to, m ^ (m - 1), first);
#else
        AT(copy_some)(to, from, CTZ(m) + 1);
#endif
        return to + CTZ(m);
    }
    STOREU(to, first);
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
#endif
