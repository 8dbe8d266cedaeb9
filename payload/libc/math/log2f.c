// The logarithm to base 2.
#define NEEDS_LOG2
#include "logarithm.h"

#define BODY(suffix, attributes, mad)                                \
    static attributes float log2f_##suffix(float x) {                \
        uint32_t bits = bits_of_float(x);                            \
        if (UNLIKELY(bits == 0x3f800000)) return 0;                  \
        if (UNLIKELY(odd(bits))) {                                   \
            int done;                                                \
            float result = odd_logarithm(x, &done);                  \
            if (done) return result;                                 \
            bits = normal_bits(bits);                                \
        }                                                            \
        Split parts = split(bits);                                   \
        double r = mad(parts.z, LOG2_TABLE[2 * parts.i], -1.0);      \
        double big = (double)parts.k + LOG2_TABLE[2 * parts.i + 1];  \
        return (float)mad(r, POLYNOMIAL_5(mad, LOG2_SHORT, r), big); \
    }

BY_LEVEL(float, log2f, (float x), (x), BODY)
