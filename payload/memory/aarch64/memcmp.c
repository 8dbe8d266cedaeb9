// memcmp and bcmp.
#include "../generic/compare-short.h"
#include "vector.h"

HIDDEN int brawn_memcmp(const void *left, const void *right, size_t n) {
    const unsigned char *a = left, *b = right;
    if (LIKELY(n <= 16)) return compare_short(a, b, n);
    // One vector at a time up to four, then four at once; the last four overlap the ones before, and end with the data.
    size_t i = 0;
    bits m;
    for (const size_t some = n > 64 ? 64 : n - WIDTH; i < some; i += WIDTH) {
        m = NE(LOAD(a + i), LOAD(b + i));
        if (m) goto found;
    }
    if (n > 64) {
        if (n > 128) {
            // Aligned in one of the two.
            i -= (uintptr_t)a & (WIDTH - 1);
            for (const size_t end = n - 64; i < end; i += 64) {
                const vec c = XOR(LOAD(a + i), LOAD(b + i)), d = XOR(LOAD(a + i + 16), LOAD(b + i + 16));
                const vec e = XOR(LOAD(a + i + 32), LOAD(b + i + 32)), f = XOR(LOAD(a + i + 48), LOAD(b + i + 48));
                if (UNLIKELY(ANY(OR(OR(c, d), OR(e, f))))) goto block;
            }
        }
        i = n - 64;
    block:
        for (const size_t end = i + 48; i < end; i += WIDTH) {
            m = NE(LOAD(a + i), LOAD(b + i));
            if (m) goto found;
        }
    } else i = n - WIDTH;
    m = NE(LOAD(a + i), LOAD(b + i));
    if (!m) return 0;
found:
    i += CTZ(m);
    return a[i] - b[i];
}
NAME(memcmp, brawn_memcmp)
NAME(bcmp, brawn_memcmp)
