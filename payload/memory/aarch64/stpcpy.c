#include "vector.h"

// Copies n bytes, 1 to 16.
INLINE char *copy_short(char *restrict d, const char *restrict s, size_t n) {
    if (n >= 8) {
        const uint64_t head = GET64(s), tail = GET64(s + n - 8);
        PUT64(d, head);
        PUT64(d + n - 8, tail);
    } else if (n >= 4) {
        const uint32_t head = GET32(s), tail = GET32(s + n - 4);
        PUT32(d, head);
        PUT32(d + n - 4, tail);
    } else if (n >= 2) {
        const uint16_t head = GET16(s), tail = GET16(s + n - 2);
        PUT16(d, head);
        PUT16(d + n - 2, tail);
    } else d[0] = 0;
    return d + n - 1;
}

HIDDEN char *brawn_stpcpy(char *restrict to, const char *restrict from) {
    const vec zero = ZERO;
    const char *p = DOWN(from, WIDTH);
    bits m;
    if (UNLIKELY(!FITS(from))) {
        m = SKIP(EQ(LOAD(p), zero), from - p);
        if (m) return copy_short(to, from, CTZ(m) + 1);
        // It goes on in the next page, so that can be read.
    }
    const vec first = LOAD(from);
    m = EQ(first, zero);
    if (LIKELY(m)) return copy_short(to, from, CTZ(m) + 1);
    STORE(to, first);
    // At least one vector has been copied, up to p + WIDTH at least.
    const ptrdiff_t apart = to - from;
    for (;;) {
        p += WIDTH;
        vec x = LOAD(p);
        m = EQ(x, zero);
        if (m) break;
        STORE((char *)p + apart, x);
        p += WIDTH;
        x = LOAD(p);
        m = EQ(x, zero);
        if (m) break;
        STORE((char *)p + apart, x);
    }
    // The vector that ends with the end.
    p += CTZ(m);
    STORE((char *)p + apart - (WIDTH - 1), LOAD(p - (WIDTH - 1)));
    return (char *)p + apart;
}
NAME(__stpcpy, brawn_stpcpy)
NAME(stpcpy, brawn_stpcpy)
