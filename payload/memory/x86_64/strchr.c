// strchr, and strchrnul with it.
#ifndef WIDTH
#define SOURCE "strchr.c"
#include "find-char.h"

// mov $1, %edx
ENTRY_WITH(brawn_strchr, brawn_find_char_avx2, 8, "", "movl $1, %edx")
ENTRY_NAME(strchr, brawn_strchr)

#include "levels.h"

OTHERS(char *, brawn_find_char, (const char *s, int c), s, c, 1)

#else
ENTERED(brawn_strchr)
HIDDEN char *AT(brawn_find_char)(const char *s, int c, int or_null) {
    const vec x = FILL_IN(17, c), zero = ZERO;
    const char *p;
    bits m, is;
    if (LIKELY(FITS(s))) {
        const vec a = LOADU_IN(16, s);
        is = EQ(a, x);
        m = is | EQ(a, zero);
    } else {
        p = DOWN(s, WIDTH);
        const vec a = LOADU_IN(16, p);
        is = EQ(a, x) >> (s - p);
        m = is | EQ(a, zero) >> (s - p);
    }
    // Whether the first of them is c is in the bits, sooner than the byte could be read again.
    if (LIKELY(m)) return or_null && !(is & m & -m) ? NULL : opaque((char *)s + CTZ(m));
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
