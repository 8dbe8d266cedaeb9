// x^y, as 2^(y * log2(x)).
#define NEEDS_LOG2
#define NEEDS_EXP
#include "logarithm.h"
#include "exponential.h"

enum {
    ONE = 0x3f800000,
    INFINITE = 0x7f800000,
    EVEN = 2,
    ODD = 1,
};
// Added to the integer of POWER_OF_32ND's number, it is the result's sign.
#define MINUS ((uint64_t)1 << 16)

// 0 for what is no integer.
INLINE int integer_kind(uint32_t bits) {
    int exponent = (int)(bits >> 23 & 0xff);
    if (exponent < 0x7f) return 0;
    if (exponent > 0x7f + 23) return EVEN;
    uint32_t last = (uint32_t)1 << (0x7f + 23 - exponent);
    if (bits & (last - 1)) return 0;
    return bits & last ? ODD : EVEN;
}

INLINE int zero_infinite_or_nan(uint32_t bits) {
    return 2 * bits - 1 >= 2u * INFINITE - 1;
}

// Where an argument is zero, infinite or a NaN (C11, F.10.4.4).
static COLD float special_power(float x, float y) {
    uint32_t a = bits_of_float(x), b = bits_of_float(y);
    if (zero_infinite_or_nan(b)) {
        if (2 * b == 0 || a == ONE) return 1;
        if (2 * a > 2u * INFINITE || 2 * b > 2u * INFINITE) return x + y;
        if (2 * a == 2u * ONE) return 1;
        return (2 * a < 2u * ONE) == !(b >> 31) ? 0 : y * y;
    }
    float square = x * x;
    if (a >> 31 && integer_kind(b) == ODD) square = -square;
    return b >> 31 ? 1 / hidden_float(square) : square;
}

#define BODY(suffix, attributes, mad)                                                                     \
    static attributes float powf_##suffix(float x, float y) {                                             \
        uint32_t bits = bits_of_float(x), exponent = bits_of_float(y);                                    \
        uint64_t sign = 0;                                                                                \
        if (UNLIKELY(is_special_float(bits) || zero_infinite_or_nan(exponent))) {                         \
            if (zero_infinite_or_nan(bits) || zero_infinite_or_nan(exponent)) return special_power(x, y); \
            if (bits >> 31) {                                                                             \
                int kind = integer_kind(exponent);                                                        \
                if (kind == 0) return invalid(x);                                                         \
                if (kind == ODD) sign = MINUS;                                                            \
                bits &= 0x7fffffff;                                                                       \
            }                                                                                             \
            if (bits < 0x00800000) bits = normal_bits(bits);                                              \
        }                                                                                                 \
        Split parts = split(bits);                                                                        \
        double r = mad(parts.z, LOG2_TABLE[2 * parts.i], -1.0);                                           \
        double big = (double)parts.k + LOG2_TABLE[2 * parts.i + 1];                                       \
        double power = mad(r, POLYNOMIAL_5(mad, LOG2_SHORT, r), big) * y;                                 \
        if (UNLIKELY((bits_of(power) << 1) >= bits_of(126.0) << 1)) {                                     \
            if (power > 0x1.fffffffd1d571p+6) return too_large(sign != 0);                                \
            if (power <= -150) return too_small(sign != 0);                                               \
        }                                                                                                 \
        double z = power * 32, shifted = z + INTEGERS;                                                    \
        uint64_t k = bits_of(shifted);                                                                    \
        double rest = z - (shifted - INTEGERS);                                                           \
        double base = double_of(EXP_TABLE[k % 32] + ((k + sign) << 47));                                  \
        return (float)mad(base * rest, POLYNOMIAL_3(mad, EXP, rest), base);                               \
    }

BY_LEVEL(float, powf, (float x, float y), (x, y), BODY)
