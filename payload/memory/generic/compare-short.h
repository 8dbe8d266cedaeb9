// Comparisons of few bytes.
#pragma once
#include "memory.h"

INLINE int differ(uint64_t a, uint64_t b) {
    a = __builtin_bswap64(a);
    b = __builtin_bswap64(b);
    return (a > b) - (a < b);
}
// Up to 16 bytes, at most two branches.
INLINE int compare_short(const unsigned char *a, const unsigned char *b, size_t n) {
    if (n >= 8) {
        const uint64_t x = GET64(a), y = GET64(b);
        if (x != y) return differ(x, y);
        return differ(GET64(a + n - 8), GET64(b + n - 8));
    }
    if (n >= 4) return differ(GET32(a) | (uint64_t)GET32(a + n - 4) << 32, GET32(b) | (uint64_t)GET32(b + n - 4) << 32);
    if (!n) return 0;
    const int x = a[0] << 16 | a[n / 2] << 8 | a[n - 1], y = b[0] << 16 | b[n / 2] << 8 | b[n - 1];
    return x - y;
}
