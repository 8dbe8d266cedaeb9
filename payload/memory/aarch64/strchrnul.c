#include "vector.h"

// The places where a is c (given by `is`), or where a ends: exactly there, the byte of `is` is not less than a's.
#define HERE(a, is) vcgeq_u8(is, a)

HIDDEN char *brawn_strchrnul(const char *s, int c) {
    const vec x = FILL(c);
    const char *p = DOWN(s, WIDTH);
    vec a;
    bits m;
    if (LIKELY(FITS(s))) {
        a = LOAD(s);
        m = HITS(HERE(a, SAME(a, x)));
    } else {
        a = LOAD(p);
        m = SKIP(HITS(HERE(a, SAME(a, x))), s - p);
    }
    if (m) return (char *)s + CTZ(m);
#define STEP                              \
    do {                                  \
        p += WIDTH;                       \
        a = LOAD(p);                      \
        m = HITS(HERE(a, SAME(a, x)));    \
        if (m) return (char *)p + CTZ(m); \
    } while (0)
    STEP;
    STEP;
    STEP;
#undef STEP
    // Some bytes of the first four vectors are looked at twice.
    for (p = DOWN(p + WIDTH, 64);; p += 64) {
        const vec b = LOAD(p), d = LOAD(p + 16), e = LOAD(p + 32), f = LOAD(p + 48);
        const vec bx = HERE(b, SAME(b, x)), dx = HERE(d, SAME(d, x)), ex = HERE(e, SAME(e, x)), fx = HERE(f, SAME(f, x));
        const vec bd = OR(bx, dx);
        if (LIKELY(!HITS(OR(bd, OR(ex, fx))))) continue;
        if (HITS(bd)) {
            m = HITS(bx);
            if (!m) p += 16, m = HITS(dx);
        } else {
            p += 32;
            m = HITS(ex);
            if (!m) p += 16, m = HITS(fx);
        }
        return (char *)p + CTZ(m);
    }
}
NAME(__strchrnul, brawn_strchrnul)
NAME(strchrnul, brawn_strchrnul)
