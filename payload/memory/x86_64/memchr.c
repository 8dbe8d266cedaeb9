#ifndef WIDTH
#define SOURCE "memchr.c"
#include "memory.h"

ENTRY(brawn_memchr, find)
ENTRY_NAME(memchr, brawn_memchr)

#include "levels.h"

OTHERS(void *, find, (const void *s, int c, size_t n), s, c, n)

#else
ENTERED(brawn_memchr)
static void *AT(find)(const void *from, int c, size_t n) {
    const char *s = from, *p;
    if (UNLIKELY(!n)) return NULL;
    const vec x = FILL_IN(17, c);
    bits m;
    if (LIKELY(FITS(s))) {
        m = EQ(LOADU_IN(16, s), x);
        if (m) return CTZ(m) < n ? (void *)(s + CTZ(m)) : NULL;
        if (LIKELY(n <= WIDTH)) return NULL;
        p = DOWN(s, WIDTH);
    } else {
        p = DOWN(s, WIDTH);
        m = EQ(LOADU_IN(16, p), x) >> (s - p);
        if (m) return CTZ(m) < n ? (void *)(s + CTZ(m)) : NULL;
    }
    // Callers that know that the byte is there may pass SIZE_MAX.
    uintptr_t sum;
    if (UNLIKELY(__builtin_add_overflow((uintptr_t)s, n, &sum))) sum = UINTPTR_MAX;
    const char *const end = (const char *)sum;
#define STEP                                               \
    do {                                                   \
        p += WIDTH;                                        \
        if (p >= end) return NULL;                         \
        LOOK_UP(p, brawn_memchr(p, c, (size_t)(end - p))); \
        m = EQ(LOAD(p), x);                                \
        if (m) goto found;                                 \
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
    for (; p < end; p += 4 * WIDTH) {
        const vec a = SAME(LOAD(p), x), b = SAME(LOAD(p + WIDTH), x), d = SAME(LOAD(p + 2 * WIDTH), x), e = SAME(LOAD(p + 3 * WIDTH), x);
        const vec ab = JOIN(a, b);
        if (LIKELY(!HITS(JOIN(ab, JOIN(d, e))))) continue;
        if (HITS(ab)) {
            m = HITS(a);
            if (!m) p += WIDTH, m = HITS(b);
        } else {
            p += 2 * WIDTH;
            m = HITS(d);
            if (!m) p += WIDTH, m = HITS(e);
        }
        goto found;
    }
    return NULL;
#endif
#undef STEP
found:
    p += CTZ(m);
    return p < end ? (void *)p : NULL;
}
#endif
