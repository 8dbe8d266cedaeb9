// x * y + z of floats with one rounding.  Exact, underflow too, which musl's own (1.2.5, src/math/fmaf.c) tells by
// hand.
#include "fused.h"

#ifdef __x86_64__
static COLD float slow(float x, float y, float z, double result) {
    if (special(x) || special(y) || special(z)) return (float)result;
    Sum sum = fused_sum(x, y, z);
    if (sum.size == 0) return (float)result;
    float rounded = (float)(sum.negative ? -sum.size : sum.size);
    if (sum.exponent < -126 - 62) {
        int carried = sum.exponent == -126 - 63 && (bits_of_float(rounded) << 1) == (bits_of_float(0x1p63f) << 1);
        return (float)subnormal(sum, -149, !carried);
    }
    return (float)((double)rounded * power_of_two(sum.exponent));
}

// The product is exact as a double.  The sum, rounded to a double and then to a float, is what one rounding gives,
// unless it lies in the middle between two floats as a double, or is below the least normal float.
static COLD float fmaf_sse2(float x, float y, float z) {
    const uint64_t below = ((uint64_t)1 << 29) - 1;
    double result = (double)x * y + z;
    uint64_t bits = bits_of(result);
    if ((bits & below) != (below + 1) / 2 && (bits << 1) >= bits_of(0x1p-126) << 1) return (float)result;
    return slow(x, y, z, result);
}

static __attribute__((target("fma"))) float fmaf_fma(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}

HIDDEN float brawn_fmaf(float x, float y, float z) {
    unsigned level = LEVEL();
    if (LIKELY(level >= AVX2)) return fmaf_fma(x, y, z);
    if (level == SSE2) return fmaf_sse2(x, y, z);
    brawn_memory_detect();
    return LEVEL() >= AVX2 ? fmaf_fma(x, y, z) : fmaf_sse2(x, y, z);
}
#elif defined(__aarch64__)
HIDDEN float brawn_fmaf(float x, float y, float z) {
    __asm__ volatile("fmadd %s0, %s0, %s1, %s2" : "+w"(x) : "w"(y), "w"(z));
    return x;
}
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
NAME(fmaf, brawn_fmaf)
