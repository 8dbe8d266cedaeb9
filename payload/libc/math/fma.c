// x * y + z with one rounding.  Exact.  The processor's instruction where it has it (musl 1.2.5, src/math/fma.c, has
// it only if the whole of musl is compiled for it).
#include "fused.h"

#ifdef __x86_64__
static COLD double fma_sse2(double x, double y, double z) {
    if (special(x) || special(y)) return x * y + z;
    if (bits_of(z) << 1 == 0) return x * y;
    if (special(z)) return z;
    Sum sum = fused_sum(x, y, z);
    if (sum.size == 0) return x * y + z;
    double rounded = (double)(sum.negative ? -sum.size : sum.size);
    if (UNLIKELY(sum.exponent < -1022 - 62)) {
        int carried = sum.exponent == -1022 - 63 && (bits_of(rounded) << 1) == (bits_of(0x1p63) << 1);
        return subnormal(sum, -1074, !carried);
    }
    int half = sum.exponent / 2;
    return hidden(rounded * power_of_two(half)) * power_of_two(sum.exponent - half);
}

static __attribute__((target("fma"))) double fma_fma(double x, double y, double z) {
    return __builtin_fma(x, y, z);
}

HIDDEN double brawn_fma(double x, double y, double z) {
    unsigned level = LEVEL();
    if (LIKELY(level >= AVX2)) return fma_fma(x, y, z);
    if (level == SSE2) return fma_sse2(x, y, z);
    brawn_memory_detect();
    return LEVEL() >= AVX2 ? fma_fma(x, y, z) : fma_sse2(x, y, z);
}
#elif defined(__aarch64__)
HIDDEN double brawn_fma(double x, double y, double z) {
    __asm__ volatile("fmadd %d0, %d0, %d1, %d2" : "+w"(x) : "w"(y), "w"(z));
    return x;
}
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
NAME(fma, brawn_fma)
