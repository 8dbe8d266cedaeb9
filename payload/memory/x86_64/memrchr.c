#ifndef WIDTH
#define SOURCE "memrchr.c"
#include "levels.h"

FIRST(void *, first, find_last, (const void *s, int c, size_t n), s, c, n)

HIDDEN void *brawn_memrchr(const void *s, int c, size_t n) { DISPATCH(find_last, first, s, c, n); }
NAME(__memrchr, brawn_memrchr)
NAME(memrchr, brawn_memrchr)

#else
TARGET static void *AT(find_last)(const void *from, int c, size_t n) {
    const char *const s = from, *const end = s + n;
    if (UNLIKELY(!n)) return NULL;
    const vec x = FILL_IN(17, c);
    // The vector that ends at the end or, if it would begin on another page, the one that contains the end.
    const char *p = end - WIDTH;
    bits m;
    if (LIKELY(FITS(p))) {
        m = EQ(LOADU_IN(16, p), x);
        if (LIKELY(m)) {
            p += TOP(m);
            return p >= s ? opaque((char *)p) : NULL;
        }
        if (n <= WIDTH) return NULL;
    } else {
        p = DOWN(end - 1, WIDTH);
        m = EQ(LOADU_IN(16, p), x) & (bits)(ALL >> (WIDTH - (end - p)));
        if (m) {
            p += TOP(m);
            return p >= s ? opaque((char *)p) : NULL;
        }
    }
    p = DOWN(end - 1, WIDTH);
    // Few processors have only this level, so its size matters more than its speed.
    for (int i = 0; WIDTH == 16 || i < 3; i++) {
        if (p <= s) return NULL;
        LOOK_UP(p, brawn_memrchr(s, c, (size_t)(p - s)));
        p -= WIDTH;
        m = EQ(LOAD(p), x);
        if (m) goto found;
    }
    // Some bytes of the last four vectors are looked at twice.
    for (p = DOWN(p + 4 * WIDTH - 1, 4 * WIDTH); p > s;) {
        p -= 4 * WIDTH;
        const vec a = SAME(LOAD(p), x), b = SAME(LOAD(p + WIDTH), x), d = SAME(LOAD(p + 2 * WIDTH), x), e = SAME(LOAD(p + 3 * WIDTH), x);
        const vec de = JOIN(d, e);
        if (LIKELY(!HITS(JOIN(de, JOIN(a, b))))) continue;
        if (HITS(de)) {
            p += 3 * WIDTH;
            m = HITS(e);
            if (!m) p -= WIDTH, m = HITS(d);
        } else {
            p += WIDTH;
            m = HITS(b);
            if (!m) p -= WIDTH, m = HITS(a);
        }
        goto found;
    }
    return NULL;
found:
    p += TOP(m);
    return p >= s ? (void *)p : NULL;
}
#endif
