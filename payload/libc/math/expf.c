// e^x.
#include "exponential.h"

EARLY float special_value(float x) {
    if (bits_of_float(x) == 0xff800000) return 0;
    // Comparing a NaN would be "invalid".
    if ((bits_of_float(x) & 0x7fffffff) >= 0x7f800000) return x + x;
    return x > 0 ? too_large(0) : too_small(0);
}

// The bounds are the logarithms of the largest float and of half the least one.
#define BODY(suffix, attributes, mad)                \
    static attributes float expf_##suffix(float x) { \
        double z = 0x1.71547652b82fep+5 * (double)x; \
        return (float)POWER_OF_32ND(mad, z);         \
    }

BY_LEVEL_AFTER(
    float, expf, (float x), (x), BODY, if (UNLIKELY((bits_of_float(x) & 0x7fffffff) >= 0x42b00000)) {
        if ((bits_of_float(x) & 0x7fffffff) >= 0x7f800000 || !(x <= 0x1.62e42ep6f && x >= -0x1.9fe368p6f)) return special_value(x);
    })
