// 2^x.
#include "exponential.h"

static COLD float special_value(float x) {
    if (bits_of_float(x) == 0xff800000) return 0;
    if (x > 0) return bits_of_float(x) == 0x7f800000 ? x : too_large(0);
    return too_small(0);
}

#define BODY(suffix, attributes, mad)                                  \
    static attributes float exp2f_##suffix(float x) {                  \
        if (UNLIKELY((bits_of_float(x) & 0x7fffffff) >= 0x43000000)) { \
            if (2 * bits_of_float(x) > 0xff000000) return x + x;       \
            if (!(x < 128 && x > -150)) return special_value(x);       \
        }                                                              \
        double z = (double)x * 32;                                     \
        return (float)POWER_OF_32ND(mad, z);                           \
    }

BY_LEVEL(float, exp2f, (float x), (x), BODY)
