// 2^x.
#include "exponential.h"

EARLY float special_value(float x) {
    if (bits_of_float(x) == 0xff800000) return 0;
    // Comparing a NaN would be "invalid".
    if ((bits_of_float(x) & 0x7fffffff) >= 0x7f800000) return x + x;
    return x > 0 ? too_large(0) : too_small(0);
}

#define BODY(suffix, attributes, mad)                 \
    static attributes float exp2f_##suffix(float x) { \
        double z = (double)x * 32;                    \
        return (float)POWER_OF_32ND(mad, z);          \
    }

BY_LEVEL_AFTER(
    float, exp2f, (float x), (x), BODY, if (UNLIKELY((bits_of_float(x) & 0x7fffffff) >= 0x43000000)) {
        if ((bits_of_float(x) & 0x7fffffff) >= 0x7f800000 || !(x < 128 && x > -150)) return special_value(x);
    })
