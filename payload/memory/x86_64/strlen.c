#ifndef WIDTH
#define SOURCE "strlen.c"
#include "memory.h"

ENTRY(brawn_strlen, length)
ENTRY_NAME(strlen, brawn_strlen)

#include "levels.h"

OTHERS(size_t, length, (const char *s), s)

#else
ENTERED(brawn_strlen)
static size_t AT(length)(const char *s) {
    const vec zero = ZERO;
    const char *p = DOWN(s, WIDTH);
    bits m;
    if (LIKELY(FITS(s))) {
#if WIDTH == 64
        const __m256i a = HALF_IN(16, s), b = HALF_IN(17, s + 32);
        m = BY_HALVES(_mm256_testn_epi8_mask(a, a), _mm256_testn_epi8_mask(b, b));
#else
        m = EQ(LOADU(s), zero);
#endif
    } else m = EQ(LOADU_IN(16, p), zero) >> (s - p);
    if (LIKELY(m)) return CTZ(m);
#define STEP                                           \
    do {                                               \
        p += WIDTH;                                    \
        LOOK_UP(p, (size_t)(p - s) + brawn_strlen(p)); \
        m = EQ(LOAD(p), zero);                         \
        if (m) return (size_t)(p - s) + CTZ(m);        \
    } while (0)
#if WIDTH == 16
    // Few processors have only this level, so its size matters more than its speed.
    for (;;) STEP;
#else
    STEP;
    STEP;
    STEP;
    // Some bytes of the first four vectors are looked at twice.
    p = DOWN(p + WIDTH, 4 * WIDTH);
    for (;; p += 4 * WIDTH) {
        const vec a = LOAD(p), b = LOAD(p + WIDTH), c = LOAD(p + 2 * WIDTH), d = LOAD(p + 3 * WIDTH);
        const vec ab = MIN(a, b);
        if (LIKELY(!EQ(MIN(ab, MIN(c, d)), zero))) continue;
        if (EQ(ab, zero)) {
            m = EQ(a, zero);
            if (!m) p += WIDTH, m = EQ(b, zero);
        } else {
            p += 2 * WIDTH;
            m = EQ(c, zero);
            if (!m) p += WIDTH, m = EQ(d, zero);
        }
        return (size_t)(p - s) + CTZ(m);
    }
#endif
#undef STEP
}
#endif
