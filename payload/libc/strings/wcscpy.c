#ifndef WIDTH
#define SOURCE "../../libc/strings/wcscpy.c"
#include "strings.h"

#include "levels.h"

FIRST(wide *, first, copy, (wide *restrict to, const wide *restrict from), to, from)

HIDDEN wide *brawn_wcscpy(wide *restrict to, const wide *restrict from) { DISPATCH(copy, first, to, from); }
NAME(wcscpy, brawn_wcscpy)

#else
#include "words.h"
#ifdef __aarch64__
#define STOREU(p, x) STORE(p, x)
#endif
// The first vector, which has no end, and the rest.
TARGET static __attribute__((aligned(64))) wide *AT(copy_on)(wide *restrict to, const wide *restrict from) {
    const vec zero = ZERO;
    const char *p = DOWN((const char *)from, WIDTH);
    STOREU(to, LOADU_IN(16, from));
    // At least one vector has been copied, up to p + WIDTH at least.
    const ptrdiff_t apart = (char *)to - (const char *)from;
    bits m;
    vec x;
    for (;;) {
        p += WIDTH;
        x = LOAD(p);
        m = EQ32(x, zero);
        if (m) break;
        STOREU((char *)p + apart, x);
    }
#if WIDTH == 64
    if (LIKELY(FITS(p + apart))) {
        PUT_SOME32((char *)p + apart, (__mmask16)(m ^ (m - 1)), x);
        return opaque((void *)to);
    }
#endif
    // The vector that ends with the end.
    p += AT32(m) * 4;
    STOREU((char *)p + apart - (WIDTH - 4), LOADU(p - (WIDTH - 4)));
    return opaque((void *)to);
}

TARGET static wide *AT(copy)(wide *restrict to, const wide *restrict from) {
    bits m;
    if (UNLIKELY(!FITS(from))) {
        const char *const p = DOWN((const char *)from, WIDTH);
        m = SKIPPED32(EQ32(LOADU_IN(16, p), ZERO), (const char *)from - p);
        if (m) return brawn_memcpy(to, from, (AT32(m) + 1) * sizeof *to);
        // It goes on in the next page, so that can be read.
    }
    const vec first = LOADU_IN(16, from);
    m = EQ32(first, ZERO);
    if (UNLIKELY(!m)) return AT(copy_on)(to, from);
#if WIDTH == 64
    if (LIKELY(FITS(to))) {
        PUT_SOME32(to, (__mmask16)(m ^ (m - 1)), first);
        return to;
    }
#endif
    return brawn_memcpy(to, from, (AT32(m) + 1) * sizeof *to);
}
#endif
