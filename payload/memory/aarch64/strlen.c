#include "vector.h"

HIDDEN size_t brawn_strlen(const char *s) {
    const vec zero = ZERO;
    const char *p = DOWN(s, WIDTH);
    bits m;
    if (LIKELY(FITS(s))) m = EQ(LOAD(s), zero);
    else m = SKIP(EQ(LOAD(p), zero), s - p);
    if (LIKELY(m)) return CTZ(m);
#define STEP                                    \
    do {                                        \
        p += WIDTH;                             \
        m = EQ(LOAD(p), zero);                  \
        if (m) return (size_t)(p - s) + CTZ(m); \
    } while (0)
    STEP;
    STEP;
    STEP;
#undef STEP
    // Some bytes of the first four vectors are looked at twice.
    for (p = DOWN(p + WIDTH, 64);; p += 64) {
        const vec a = LOAD(p), b = LOAD(p + 16), c = LOAD(p + 32), d = LOAD(p + 48);
        const vec ab = MIN(a, b);
        if (LIKELY(!EQ(MIN(ab, MIN(c, d)), zero))) continue;
        if (EQ(ab, zero)) {
            m = EQ(a, zero);
            if (!m) p += 16, m = EQ(b, zero);
        } else {
            p += 32;
            m = EQ(c, zero);
            if (!m) p += 16, m = EQ(d, zero);
        }
        return (size_t)(p - s) + CTZ(m);
    }
}
NAME(strlen, brawn_strlen)
