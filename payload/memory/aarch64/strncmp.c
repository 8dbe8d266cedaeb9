#include "vector.h"

#define FOUND(i, m)                     \
    do {                                \
        const size_t at = (i) + CTZ(m); \
        if (at >= n) return 0;          \
        return a[at] - b[at];           \
    } while (0)

// After the first vector, which both strings go beyond.
static __attribute__((noinline)) int order_on(const unsigned char *a, const unsigned char *b, size_t n) {
    const vec zero = ZERO;
    bits m;
    // a is aligned from now on, so that only b's vectors may lie on two pages.
    size_t i = WIDTH - ((uintptr_t)a & (WIDTH - 1));
    for (;;) {
        // As long as b continues in its page.
        size_t room = PAGE - ((uintptr_t)(b + i) & (PAGE - 1));
        // First one vector at a time, until four vectors of a are aligned, and so lie in one page.
        for (int k = 0; room >= WIDTH && (k < 3 || (uintptr_t)(a + i) & 63); k++, room -= WIDTH) {
            m = STOP(LOAD(a + i), LOAD(b + i));
            if (m) FOUND(i, m);
            i += WIDTH;
            if (i >= n) return 0;
        }
        for (; room >= 64; room -= 64) {
            const vec c = LOAD(a + i), d = LOAD(a + i + 16), e = LOAD(a + i + 32), f = LOAD(a + i + 48);
            const vec cd = AND(SAME(c, LOAD(b + i)), SAME(d, LOAD(b + i + 16)));
            const vec ef = AND(SAME(e, LOAD(b + i + 32)), SAME(f, LOAD(b + i + 48)));
            // 0 where the strings differ, and where a ends.
            if (UNLIKELY(EQ(MIN(AND(cd, ef), MIN(MIN(c, d), MIN(e, f))), zero))) break;
            i += 64;
            if (i >= n) return 0;
        }
        for (; room >= WIDTH; room -= WIDTH) {
            m = STOP(LOAD(a + i), LOAD(b + i));
            if (m) FOUND(i, m);
            i += WIDTH;
            if (i >= n) return 0;
        }
        if (!room) continue;
        // b's page ends within the next vector.  First compare the vector that ends at the page's end, unless the very
        // first vector already covered it; then the next one, since b continues there.
        if (i + room > WIDTH) {
            const size_t j = i + room - WIDTH;
            m = STOP(LOAD(a + j), LOAD(b + j));
            if (m) FOUND(j, m);
            if (j + WIDTH >= n) return 0;
        }
        m = STOP(LOAD(a + i), LOAD(b + i));
        if (m) FOUND(i, m);
        i += WIDTH;
        if (i >= n) return 0;
    }
}

// How many bytes a string has in its page, including its end, at most WIDTH.
static size_t in_page(const unsigned char *s) {
    if (FITS(s)) return WIDTH;
    const unsigned char *p = DOWN(s, WIDTH);
    const bits end = SKIP(EQ(LOAD(p), ZERO), s - p);
    return end ? CTZ(end) + 1 : (size_t)(p + WIDTH - s);
}

// If a page ends within the first vector: compare the bytes before the page's end, then start again behind it.
static __attribute__((noinline)) int order_at_edge(const unsigned char *a, const unsigned char *b, size_t n) {
    const size_t some_a = in_page(a), some_b = in_page(b);
    size_t some = some_a < some_b ? some_a : some_b;
    if (some > n) some = n;
    const int order = brawn_memcmp(a, b, some);
    if (order || !a[some - 1] || some == n) return order;
    return brawn_strncmp((const char *)a + some, (const char *)b + some, n - some);
}

HIDDEN int brawn_strncmp(const char *left, const char *right, size_t n) {
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    if (UNLIKELY(!n)) return 0;
    if (UNLIKELY(!FITS(a) || !FITS(b))) return order_at_edge(a, b, n);
    const bits m = STOP(LOAD(a), LOAD(b));
    if (LIKELY(m)) FOUND(0, m);
    if (n <= WIDTH) return 0;
    return order_on(a, b, n);
}
NAME(strncmp, brawn_strncmp)
