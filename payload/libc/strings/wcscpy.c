#ifndef WIDTH
#define SOURCE "../../libc/strings/wcscpy.c"
#include "strings.h"

#include "levels.h"

FIRST(wide *, first, copy, (wide *restrict to, const wide *restrict from), to, from)

HIDDEN wide *brawn_wcscpy(wide *restrict to, const wide *restrict from) { DISPATCH(copy, first, to, from); }
NAME(wcscpy, brawn_wcscpy)

#else
#include "words.h"
#ifndef __x86_64__
#define STOREU(p, x) STORE(p, x)
#endif
TARGET static wide *AT(copy)(wide *restrict to, const wide *restrict from) {
    const vec zero = ZERO;
    const char *p = DOWN((const char *)from, WIDTH);
    bits m;
    if (UNLIKELY(!FITS(from))) {
        m = SKIPPED32(EQ32(LOAD(p), zero), (const char *)from - p);
        if (m) return brawn_memcpy(to, from, (AT32(m) + 1) * sizeof *to);
        // It goes on in the next page, so that can be read.
    }
    const vec first = LOADU(from);
    m = EQ32(first, zero);
    if (LIKELY(m)) {
#if WIDTH == 64
        _mm512_mask_storeu_epi32(to, (__mmask16)(m ^ (m - 1)), first);
        return to;
#else
        return brawn_memcpy(to, from, (AT32(m) + 1) * sizeof *to);
#endif
    }
    STOREU(to, first);
    // At least one vector has been copied, up to p + WIDTH at least.
    const ptrdiff_t apart = (char *)to - (const char *)from;
    vec x;
    for (;;) {
        p += WIDTH;
        x = LOAD(p);
        m = EQ32(x, zero);
        if (m) break;
        STOREU((char *)p + apart, x);
    }
#if WIDTH == 64
    _mm512_mask_storeu_epi32((char *)p + apart, (__mmask16)(m ^ (m - 1)), x);
#else
    // The vector that ends with the end.
    p += AT32(m) * 4;
    STOREU((char *)p + apart - (WIDTH - 4), LOADU(p - (WIDTH - 4)));
#endif
    return to;
}
#endif
