// memcmp and bcmp.
#ifndef WIDTH
#define SOURCE "memcmp.c"

#include "../generic/compare-short.h"
#include "memory.h"

ENTRY(brawn_memcmp, compare)
ENTRY_NAME(memcmp, brawn_memcmp)
ENTRY_NAME(bcmp, brawn_memcmp)

#include "levels.h"

__attribute__((noinline, used)) static int others(const void *a, const void *b, size_t n) {
    if (UNLIKELY(LEVEL() == UNKNOWN) && brawn_memory_long(n)) return brawn_memcmp(a, b, n);
    return compare_sse2(a, b, n);
}

#else
#if WIDTH == 64
#define UNLIKE(a, b) ((uint32_t)_mm256_cmpneq_epi8_mask(HALF_IN(16, a), _mm256_loadu_si256((const __m256i *)(b))))
// A return before which the compiler does not put vzeroupper.
INLINE int on_its_own(int order) {
    __asm__("" : "+r"(order));
    return order;
}
#endif

ENTERED(brawn_memcmp)
static int AT(compare)(const void *left, const void *right, size_t n) {
    const unsigned char *a = left, *b = right;
    bits m;
#if WIDTH == 64
    if (LIKELY(n - 1 < 32)) {
        if (UNLIKELY(!FITS_IN(a, 32) || !FITS_IN(b, 32))) return compare_avx2(a, b, n);
        const uint32_t unlike = _bzhi_u32(UNLIKE(a, b), (unsigned)n);
        // If all bytes are equal, this gives the first one, which saves a branch that is hard to predict.
        const unsigned k = (unsigned)_tzcnt_u32(unlike) & 31;
        return on_its_own(a[k] - b[k]);
    }
    if (n - 33 < 32) {
        // Two halves, which may overlap.
        m = UNLIKE(a, b) | (bits)UNLIKE(a + n - 32, b + n - 32) << (n - 32);
        const unsigned k = (unsigned)_tzcnt_u64(m) & 63;
        return on_its_own(a[k] - b[k]);
    }
    if (UNLIKELY(!n)) return 0;
#else
    if (LIKELY(n <= 16)) return compare_short(a, b, n);
#if WIDTH == 32
    if (n <= 32) {
        unsigned k = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(GET128(a), GET128(b))) ^ 0xffff;
        if (!k) a += n - 16, b += n - 16, k = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(GET128(a), GET128(b))) ^ 0xffff;
        if (!k) return 0;
        return a[__builtin_ctz(k)] - b[__builtin_ctz(k)];
    }
#endif
#endif
    // One vector at a time, of more than eight the first four; then four at once, and the rest one at a time.  The last one ends
    // with the data.
    size_t i = WIDTH, some = n > 8 * WIDTH ? 4 * WIDTH : n - WIDTH;
    m = NE(LOADU(a), LOADU(b));
    if (m) {
        i = 0;
        goto found;
    }
    for (;;) {
#if WIDTH > 16
        // Two at once, but for the first one.
        for (; i + WIDTH < some; i += 2 * WIDTH) {
            const vec c = XOR(LOADU(a + i), LOADU(b + i)), d = XOR(LOADU(a + i + WIDTH), LOADU(b + i + WIDTH));
            if (UNLIKELY(NE(OR(c, d), ZERO))) break;
        }
#endif
        for (; i < some; i += WIDTH) {
            m = NE(LOADU(a + i), LOADU(b + i));
            if (m) goto found;
        }
        if (LIKELY(some == n - WIDTH)) break;
        some = n - WIDTH;
        // Aligned in one of the two.
        i -= (uintptr_t)a & (WIDTH - 1);
        for (const size_t end = n - 4 * WIDTH; i < end; i += 4 * WIDTH) {
            const vec c = XOR(LOADU(a + i), LOADU(b + i)), d = XOR(LOADU(a + i + WIDTH), LOADU(b + i + WIDTH));
            const vec e = XOR(LOADU(a + i + 2 * WIDTH), LOADU(b + i + 2 * WIDTH)), f = XOR(LOADU(a + i + 3 * WIDTH), LOADU(b + i + 3 * WIDTH));
            if (UNLIKELY(NE(OR(OR(c, d), OR(e, f)), ZERO))) break;
        }
    }
    i = n - WIDTH;
    m = NE(LOADU(a + i), LOADU(b + i));
    if (!m) return 0;
found:
    i += CTZ(m);
    return a[i] - b[i];
}
#endif
