// strncmp of 1 byte or more, and strcmp with a limit that is never reached: that costs less than the space of a second function.
// With AVX-512 strcmp has the first half vector of its own.
#pragma once
#include "memory.h"

HIDDEN int brawn_order_sse2(const char *a, const char *b, size_t n);
HIDDEN int brawn_order_avx2(const char *a, const char *b, size_t n);
HIDDEN int brawn_order_avx512(const char *a, const char *b, size_t n);
// What comes after a first half vector that is the same and has no end; n is more.
HIDDEN int brawn_order_rest(const char *a, const char *b, size_t n);

#define HALF 32
// The bit where two strings differ, or where both end, in the first half vector.
#define STOP_IN_HALF(a, b)                                                                                      \
    ({                                                                                                          \
        const __m256i half = HALF_IN(16, a);                                                                    \
        const __mmask32 ends = _mm256_test_epi8_mask(half, half);                                               \
        (uint32_t)moved(_mm256_mask_cmpeq_epi8_mask(ends, half, _mm256_loadu_si256((const __m256i *)(b)))) + 1; \
    })
