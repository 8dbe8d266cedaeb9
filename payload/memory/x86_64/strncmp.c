#ifndef WIDTH
#define SOURCE "strncmp.c"
#include "order.h"

// 0 at once if n is 0.
ENTRY_WITH(brawn_strncmp, brawn_order_avx2, 8, "xorl %eax, %eax\nret", "testq %rdx, %rdx\njz 0b")
ENTRY_NAME(strncmp, brawn_strncmp)

#include "levels.h"

OTHERS(int, brawn_order, (const char *a, const char *b, size_t n), a, b, n)

#else
#undef FOUND
#define FOUND(i, m)                     \
    do {                                \
        const size_t at = (i) + CTZ(m); \
        if (at >= n) return 0;          \
        return a[at] - b[at];           \
    } while (0)

// After the first i bytes, a vector or more, which both strings go beyond.
TARGET static int AT(order_on)(const unsigned char *a, const unsigned char *b, size_t n, size_t i) {
    const vec zero = ZERO;
    bits m;
    vec x;
    // a is aligned from now on, so that only b's vectors may lie on two pages.
    i -= (uintptr_t)a & (WIDTH - 1);
    for (;;) {
        // As long as both continue in their pages.
        size_t room = room_of(a + i, b + i);
        for (; room >= 4 * WIDTH; room -= 4 * WIDTH) {
            const vec c = LOAD(a + i), d = LOAD(a + i + WIDTH), e = LOAD(a + i + 2 * WIDTH), f = LOAD(a + i + 3 * WIDTH);
            const vec cd = OR(XOR(c, LOADU(b + i)), XOR(d, LOADU(b + i + WIDTH)));
            const vec ef = OR(XOR(e, LOADU(b + i + 2 * WIDTH)), XOR(f, LOADU(b + i + 3 * WIDTH)));
            if (UNLIKELY(NE(OR(cd, ef), zero) || EQ(MIN(MIN(c, d), MIN(e, f)), zero))) break;
            i += 4 * WIDTH;
            if (i >= n) return 0;
        }
        for (; room >= WIDTH; room -= WIDTH) {
            x = LOAD(a + i);
            m = STOP(x, LOADU(b + i));
            if (m) FOUND(i, m);
            i += WIDTH;
            if (i >= n) return 0;
        }
        if (!room) goto page;
        // b's page ends within the next vector.  First compare the vector that ends at the page's end, unless the very
        // first vector already covered it; then the next one, since b continues there.
        if (i + room > WIDTH) {
            const size_t j = i + room - WIDTH;
            x = LOADU(a + j);
            m = STOP(x, LOADU(b + j));
            if (m) FOUND(j, m);
            if (j + WIDTH >= n) return 0;
        }
        x = LOAD(a + i);
        m = STOP(x, LOADU(b + i));
        if (m) FOUND(i, m);
        i += WIDTH;
        if (i >= n) return 0;
    page:
        LOOK_UP(0, brawn_strncmp((const char *)a + i, (const char *)b + i, n - i));
    }
}

// If a page ends within the first vector: compare the bytes before the page's end, then start again behind it.
TARGET static int AT(order_at_edge)(const unsigned char *a, const unsigned char *b, size_t n) {
    const size_t room = room_of(a, b), before = WIDTH - room;
    if (LIKELY(FITS(a - before) && FITS(b - before))) {
        const vec x = LOADU_IN(16, a - before), y = LOADU_IN(17, b - before);
        const bits m = (NE(x, y) | EQ(x, ZERO)) >> before;
        if (LIKELY(m)) FOUND(0, m);
    } else
        // One of them is at the beginning of its page.
        for (size_t i = 0; i < room; i++)
            if (i >= n || a[i] != b[i] || !a[i]) return i >= n ? 0 : a[i] - b[i];
    if (n <= room) return 0;
    return AT(brawn_order)((const char *)a + room, (const char *)b + room, n - room);
}

#if WIDTH == 64
ENTERED(brawn_strncmp)
HIDDEN int AT(brawn_order)(const char *left, const char *right, size_t n) {
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    // Half a vector first, since fewer halves lie on two pages or cache lines.  Two conditions give shorter code than
    // one.
    if (LIKELY(FITS_IN(a, HALF)))
        if (LIKELY(FITS_IN(b, HALF))) {
            const uint32_t stop = STOP_IN_HALF(a, b);
            if (LIKELY(stop)) FOUND(0, stop);
            if (n <= HALF) return 0;
            return brawn_order_rest(left, right, n);
        }
    return AT(order_at_edge)(a, b, n);
}
#endif

// With AVX-512 what comes after the first half vector, at other levels all of it.
#if WIDTH == 64
TARGET HIDDEN int brawn_order_rest(const char *left, const char *right, size_t n) {
#else
ENTERED(brawn_strncmp)
HIDDEN int AT(brawn_order)(const char *left, const char *right, size_t n) {
#endif
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    size_t i = WIDTH, most;
    bits m;
    vec x;
#if WIDTH == 64
    // Most strings of up to 95 bytes end within the vector after it.
    if (LIKELY(FITS_IN(a, HALF + WIDTH) && FITS_IN(b, HALF + WIDTH))) {
        const vec next = LOADU_IN(16, a + HALF);
        m = STOP(next, LOADU(b + HALF));
        if (LIKELY(m)) FOUND(HALF, m);
        if (n <= HALF + WIDTH) return 0;
        i = HALF + WIDTH;
        goto on;
    }
#endif
    if (UNLIKELY(!FITS(a) || !FITS(b))) return AT(order_at_edge)(a, b, n);
    x = LOADU_IN(16, a);
    m = STOP(x, LOADU(b));
    if (LIKELY(m)) FOUND(0, m);
#if WIDTH == 64
on:
#endif
    // As long as both continue in their pages.
    most = i + DOWN(room_of(a + i, b + i), WIDTH);
    if (most > 7 * WIDTH) most = 7 * WIDTH;
    if (most > n) most = n;
    for (; i < most; i += WIDTH) {
        x = LOADU_IN(16, a + i);
        m = STOP(x, LOADU(b + i));
        if (m) FOUND(i, m);
    }
    if (i >= n) return 0;
    // The aligned loads need a whole number of vectors, so some bytes after the first half vector are looked at twice.
    return AT(order_on)(a, b, n, DOWN(i, WIDTH));
}
#endif
