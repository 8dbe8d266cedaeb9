#ifndef WIDTH
#define SOURCE "strchrnul.c"
#include "find-char.h"
#include "levels.h"

FIRST(char *, first, brawn_find_char, (const char *s, int c, int or_null), s, c, or_null)

HIDDEN char *brawn_strchrnul(const char *s, int c) { DISPATCH(brawn_find_char, first, s, c, 0); }
NAME(__strchrnul, brawn_strchrnul)
NAME(strchrnul, brawn_strchrnul)

#else
TARGET HIDDEN char *AT(brawn_find_char)(const char *s, int c, int or_null) {
    const vec x = FILL_IN(17, c), zero = ZERO;
    const char *p;
    bits m;
    if (LIKELY(FITS(s))) {
        const vec a = LOADU_IN(16, s);
        m = EITHER(a, x);
    } else {
        p = DOWN(s, WIDTH);
        const vec a = LOADU_IN(16, p);
        m = EITHER(a, x) >> (s - p);
    }
    if (LIKELY(m)) {
        s += CTZ(m);
        return or_null && (unsigned char)*s != (unsigned char)c ? NULL : opaque((char *)s);
    }
    p = opaque(DOWN((char *)s, WIDTH));
    // Few processors have only this level, so its size matters more than its speed.
    for (int i = 0; WIDTH == 16 || i < 3; i++) {
        p += WIDTH;
        LOOK_UP(p, or_null ? brawn_strchr(p, c) : brawn_strchrnul(p, c));
        const vec a = LOAD(p);
        m = EQ(MIN(a, XOR(a, x)), zero);
        if (m) goto found;
    }
    // Some bytes of the first four vectors are looked at twice.
    for (p = DOWN(p + WIDTH, 4 * WIDTH);; p += 4 * WIDTH) {
        const vec a = LOAD(p), b = LOAD(p + WIDTH), d = LOAD(p + 2 * WIDTH), e = LOAD(p + 3 * WIDTH);
        const vec ax = MIN(a, XOR(a, x)), bx = MIN(b, XOR(b, x)), dx = MIN(d, XOR(d, x)), ex = MIN(e, XOR(e, x));
        const vec ab = MIN(ax, bx);
        if (LIKELY(!EQ(MIN(ab, MIN(dx, ex)), zero))) continue;
        if (EQ(ab, zero)) {
            m = EQ(ax, zero);
            if (!m) p += WIDTH, m = EQ(bx, zero);
        } else {
            p += 2 * WIDTH;
            m = EQ(dx, zero);
            if (!m) p += WIDTH, m = EQ(ex, zero);
        }
        break;
    }
found:
    p += CTZ(m);
    return or_null && *p != (char)c ? NULL : (char *)p;
}
#endif
