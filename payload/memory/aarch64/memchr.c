#include "vector.h"

HIDDEN void *brawn_memchr(const void *from, int c, size_t n) {
    const char *s = from, *p = DOWN(s, WIDTH);
    const vec x = FILL(c);
    if (UNLIKELY(!n)) return NULL;
    bits m;
    if (LIKELY(FITS(s))) m = EQ(LOAD(s), x);
    else m = SKIP(EQ(LOAD(p), x), s - p);
    if (m) return CTZ(m) < n ? (void *)(s + CTZ(m)) : NULL;
    // Callers that know that the byte is there may pass SIZE_MAX.
    uintptr_t sum;
    if (UNLIKELY(__builtin_add_overflow((uintptr_t)s, n, &sum))) sum = UINTPTR_MAX;
    const char *const end = (const char *)sum;
#define STEP                       \
    do {                           \
        p += WIDTH;                \
        if (p >= end) return NULL; \
        m = EQ(LOAD(p), x);        \
        if (m) goto found;         \
    } while (0)
    STEP;
    STEP;
    STEP;
#undef STEP
    // Some bytes of the first four vectors are looked at twice.
    for (p = DOWN(p + WIDTH, 64); p < end; p += 64) {
        const vec a = SAME(LOAD(p), x), b = SAME(LOAD(p + 16), x), d = SAME(LOAD(p + 32), x), e = SAME(LOAD(p + 48), x);
        const vec ab = OR(a, b);
        if (LIKELY(!HITS(OR(ab, OR(d, e))))) continue;
        if (HITS(ab)) {
            m = HITS(a);
            if (!m) p += 16, m = HITS(b);
        } else {
            p += 32;
            m = HITS(d);
            if (!m) p += 16, m = HITS(e);
        }
        goto found;
    }
    return NULL;
found:
    p += CTZ(m);
    return p < end ? (void *)p : NULL;
}
NAME(memchr, brawn_memchr)
