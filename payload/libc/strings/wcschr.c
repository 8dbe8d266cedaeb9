// wcschr, and wcslen with it.
#ifndef WIDTH
#define SOURCE "../../libc/strings/wcschr.c"
#include "strings.h"

#include "levels.h"

FIRST(wide *, first, find, (const wide *s, wide c), s, c)

HIDDEN wide *brawn_wcschr(const wide *s, wide c) { DISPATCH(find, first, s, c); }
NAME(wcschr, brawn_wcschr)

#else
#include "words.h"
TARGET HIDDEN wide *AT(brawn_find_wide)(const wide *s, wide c) {
    const vec x = FILL32_IN(17, c);
    const char *p = DOWN((const char *)s, WIDTH);
    bits m;
    if (LIKELY(FITS(s))) {
        const vec a = LOADU_IN(16, s);
        m = EITHER32(a, x);
    } else {
        const vec a = LOADU_IN(16, p);
        m = SKIPPED32(EITHER32(a, x), (const char *)s - p);
    }
    if (LIKELY(m)) return (wide *)s + AT32(m);
    // Space counts more than the speed of a level that few processors are left with.
    for (int i = 0; ONLY_SSE2 || i < 3; i++) {
        p += WIDTH;
        LOOK_UP(p, brawn_wcschr((const wide *)p, c) ?: (wide *)p + brawn_wcslen((const wide *)p));
        const vec a = LOAD(p);
        m = EITHER32(a, x);
        if (m) return (wide *)p + AT32(m);
    }
#ifdef MIN32
    const vec zero = ZERO;
    // What has been seen of the first four is looked at again.
    p = DOWN(p + WIDTH, 4 * WIDTH);
    for (; c; p += 4 * WIDTH) {
        const vec a = LOAD(p), b = LOAD(p + WIDTH), d = LOAD(p + 2 * WIDTH), e = LOAD(p + 3 * WIDTH);
        const vec ax = MIN32(a, XOR(a, x)), bx = MIN32(b, XOR(b, x)), dx = MIN32(d, XOR(d, x)), ex = MIN32(e, XOR(e, x));
        if (UNLIKELY(EQ32(MIN32(MIN32(ax, bx), MIN32(dx, ex)), zero))) break;
    }
    for (; !c; p += 4 * WIDTH)
        if (UNLIKELY(EQ32(MIN32(MIN32(LOAD(p), LOAD(p + WIDTH)), MIN32(LOAD(p + 2 * WIDTH), LOAD(p + 3 * WIDTH))), zero))) break;
    for (;; p += WIDTH) {
        const vec a = LOAD(p);
        m = EITHER32(a, x);
        if (m) return (wide *)p + AT32(m);
    }
#endif
}

// The first vector here, too, so that most calls are over with it.
TARGET static wide *AT(find)(const wide *s, wide c) {
    const wide *p = s;
    if (LIKELY(FITS(s))) {
        const bits m = EITHER32(LOADU_IN(16, s), FILL32_IN(17, c));
        if (LIKELY(m)) {
            p += AT32(m);
            return *p == c ? opaque((void *)p) : NULL;
        }
    }
    p = AT(brawn_find_wide)(s, c);
    return *p == c ? opaque((void *)p) : NULL;
}
#endif
