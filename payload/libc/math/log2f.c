// The logarithm to base 2.
#define NEEDS_LOG2
#include "logarithm.h"

#define BODY(suffix, attributes, mad)                                \
    static attributes float log2f_##suffix(uint32_t bits) {          \
        if (UNLIKELY(bits == 0x3f800000)) return 0;                  \
        Split parts = split(bits);                                   \
        double r = mad(parts.z, LOG2_TABLE[2 * parts.i], -1.0);      \
        double big = (double)parts.k + LOG2_TABLE[2 * parts.i + 1];  \
        return (float)mad(r, POLYNOMIAL_5(mad, LOG2_SHORT, r), big); \
    }

LOGARITHM(log2f, BODY)
