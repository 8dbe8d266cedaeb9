#include "vector.h"

HIDDEN void *brawn_memrchr(const void *from, int c, size_t n) {
    const char *const s = from, *const end = s + n;
    const vec x = FILL(c);
    if (UNLIKELY(!n)) return NULL;
    // The vector that ends at the end or, if it would begin on another page, the one that contains the end.
    const char *p = end - WIDTH;
    bits m;
    if (LIKELY(FITS(p))) m = EQ(LOAD(p), x);
    else {
        p = DOWN(end - 1, WIDTH);
        m = EQ(LOAD(p), x) & SKIP(ALL, WIDTH - (end - p));
    }
    if (m) goto found;
    p = DOWN(end - 1, WIDTH);
#define STEP                     \
    do {                         \
        if (p <= s) return NULL; \
        p -= WIDTH;              \
        m = EQ(LOAD(p), x);      \
        if (m) goto found;       \
    } while (0)
    STEP;
    STEP;
    STEP;
#undef STEP
    // Some bytes of the last four vectors are looked at twice.
    for (p = DOWN(p + 63, 64); p > s;) {
        p -= 64;
        const vec a = SAME(LOAD(p), x), b = SAME(LOAD(p + 16), x), d = SAME(LOAD(p + 32), x), e = SAME(LOAD(p + 48), x);
        const vec de = OR(d, e);
        if (LIKELY(!HITS(OR(de, OR(a, b))))) continue;
        if (HITS(de)) {
            p += 48;
            m = HITS(e);
            if (!m) p -= 16, m = HITS(d);
        } else {
            p += 16;
            m = HITS(b);
            if (!m) p -= 16, m = HITS(a);
        }
        goto found;
    }
    return NULL;
found:
    p += TOP(m);
    return p >= s ? (void *)p : NULL;
}
NAME(__memrchr, brawn_memrchr)
NAME(memrchr, brawn_memrchr)
