#include "vector.h"

HIDDEN char *brawn_strrchr(const char *s, int c) {
    const vec x = FILL(c), zero = ZERO;
    // The place of the last match so far: `last`, or somewhere in the four vectors at `block`.
    const char *p = DOWN(s, WIDTH), *last = NULL, *block = NULL;
    bits m, end;
    if (LIKELY(FITS(s))) {
        const vec a = LOAD(s);
        end = EQ(a, zero);
        m = EQ(a, x);
    } else {
        const vec a = LOAD(p);
        end = SKIP(EQ(a, zero), s - p);
        m = SKIP(EQ(a, x), s - p);
    }
    if (LIKELY(end)) {
        m &= UP_TO(end);
        return m ? (char *)s + TOP(m) : NULL;
    }
    if (m) last = s + TOP(m);
    p += WIDTH;
    for (;;) {
        do {
            const vec a = LOAD(p);
            m = EQ(a, x);
            end = EQ(a, zero);
            if (end) goto at_end;
            if (m) last = p + TOP(m), block = NULL;
            p += WIDTH;
        } while ((uintptr_t)p & 63);
        for (;; p += 64) {
            const vec a = LOAD(p), b = LOAD(p + 16), d = LOAD(p + 32), e = LOAD(p + 48);
            if (UNLIKELY(EQ(MIN(MIN(a, b), MIN(d, e)), zero))) break;
            if (HITS(OR(OR(SAME(a, x), SAME(b, x)), OR(SAME(d, x), SAME(e, x))))) block = p;
        }
    }
at_end:
    m &= UP_TO(end);
    if (m) return (char *)p + TOP(m);
    if (!block) return (char *)last;
    for (p = block + 48;; p -= WIDTH) {
        m = EQ(LOAD(p), x);
        if (m) return (char *)p + TOP(m);
    }
}
NAME(strrchr, brawn_strrchr)
