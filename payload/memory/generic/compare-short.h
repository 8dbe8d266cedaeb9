// Comparisons of few bytes.
#pragma once
#include "memory.h"

// By how much the first bytes that differ do so, as musl's memcmp says it: some programs keep no more of the answer than its last byte.
// 0 if none differs.
INLINE int differ(uint64_t a, uint64_t b) {
    // Of words that are the same, this looks at the last byte.
    const unsigned shift = (unsigned)__builtin_ctzll((a ^ b) | (uint64_t)1 << 63) & 56;
    return (int)(a >> shift & 255) - (int)(b >> shift & 255);
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
    return differ(a[0] | a[n / 2] << 8 | a[n - 1] << 16, b[0] | b[n / 2] << 8 | b[n - 1] << 16);
}
