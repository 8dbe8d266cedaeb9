// x^y, as exp(y * log(x)), with a logarithm of 68 bits.
//
// exp is P. T. P. Tang's ("Table-driven implementation of the exponential function", 1989), with 128 steps.
#include "exp_table.h"
#include "log_table.h"

enum {
    EVEN = 2,
    ODD = 1,
};

// 0 for what is no integer.
INLINE int integer_kind(uint64_t bits) {
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent < 0x3ff) return 0;
    if (exponent > 0x3ff + 52) return EVEN;
    uint64_t last = (uint64_t)1 << (0x3ff + 52 - exponent);
    if (bits & (last - 1)) return 0;
    return bits & last ? ODD : EVEN;
}

INLINE int zero_infinite_or_nan(uint64_t bits) {
    return 2 * bits - 1 >= 2 * INFINITE_BITS - 1;
}

// Where an argument is zero, infinite or a NaN (C11, F.10.4.4).
static COLD double special_power(double x, double y) {
    uint64_t a = bits_of(x), b = bits_of(y);
    if (zero_infinite_or_nan(b)) {
        if (2 * b == 0 || a == ONE_BITS) return 1;
        if (2 * a > 2 * INFINITE_BITS || 2 * b > 2 * INFINITE_BITS) return x + y;
        if (2 * a == 2 * ONE_BITS) return 1;
        return (2 * a < 2 * ONE_BITS) == !(b >> 63) ? 0 : y * y;
    }
    double square = x * x;
    if (a >> 63 && integer_kind(b) == ODD) square = -square;
    return b >> 63 ? 1 / hidden(square) : square;
}

// scale * (1 + rest) where the result, or the scale, is no normal number; the scale's exponent has run over, and
// `k`, of which it is made, says which way.
static COLD double at_the_edge(uint64_t scale_bits, double rest, uint64_t k) {
    if (!(k & 0x80000000)) {
        double scale = double_of(scale_bits - ((uint64_t)1009 << 52));
        return 0x1p1009 * (scale + scale * rest);
    }
    double scale = double_of(scale_bits + ((uint64_t)1022 << 52)), result = scale + scale * rest;
    double size = result < 0 ? -result : result;
    if (size < 1) {
        // The result will have fewer bits: it is rounded to them here, once.
        double one = result < 0 ? -1.0 : 1.0, lost = (scale - result) + scale * rest;
        double first = one + result;
        lost = (one - first) + result + lost;
        result = (first + lost) - one;
        if (result == 0) result = one < 0 ? -0.0 : 0.0;
        // "Underflow" is raised where something was lost.
        hidden(hidden(0x1p-1022) * 0x1p-1022);
    }
    return 0x1p-1022 * result;
}

#define BODY(suffix, attributes, mad)                                                                     \
    static attributes double pow_##suffix(double x, double y) {                                           \
        uint64_t bits = bits_of(x), exponent = bits_of(y), sign = 0;                                      \
        unsigned size = (unsigned)(exponent >> 52) & 0x7ff;                                               \
        /* Nothing is special about y between 2^-65 and 2^63. */                                          \
        if (UNLIKELY(is_special(bits) || size - 0x3be >= 0x43e - 0x3be)) {                                \
            if (zero_infinite_or_nan(bits) || zero_infinite_or_nan(exponent)) return special_power(x, y); \
            if (bits >> 63) {                                                                             \
                int kind = integer_kind(exponent);                                                        \
                if (kind == 0) return no_number(x);                                                       \
                /* Its place is where the table's index meets k. */                                       \
                if (kind == ODD) sign = (uint64_t)0x800 * STEPS;                                          \
                bits &= ~MINUS_BIT;                                                                       \
            }                                                                                             \
            if (size - 0x3be >= 0x43e - 0x3be) {                                                          \
                if (bits == ONE_BITS) return sign ? -1 : 1;                                               \
                /* Too near to 0 for any x, or too large for any x but 1. */                              \
                if (size < 0x3be) return hidden(1.0) + y;                                                 \
                return (bits > ONE_BITS) == !(exponent >> 63) ? overflowing(0) : underflowing(0);         \
            }                                                                                             \
            if (bits < LEAST_NORMAL) bits = bits_of_subnormal(bits);                                      \
        }                                                                                                 \
        WideSplit parts = wide_split(bits);                                                               \
        const LogRow *row = &brawn_log_table[parts.i];                                                    \
        double r = product_less_one_##suffix(parts.z, row->inverse);                                      \
        double big = mad(parts.k, LN2, row->log), second = big + r;                                       \
        double lost = (big - second + r) + mad(parts.k, LN2_LOW, row->log_low);                           \
        double half = -0.5 * r, square = r * half, square_lost = product_error_##suffix(r, half, square); \
        double third = second + square;                                                                   \
        lost += (second - third + square) + square_lost;                                                  \
        lost = mad(r * (r * r), POLYNOMIAL_7(mad, SERIES + 1, r), lost);                                  \
        double log = third + lost, log_low = third - log + lost;                                          \
        double power = y * log, power_low = mad(y, log_low, product_error_##suffix(y, log, power));       \
        unsigned power_size = (unsigned)(bits_of(power) >> 52) & 0x7ff;                                   \
        int is_wide = 0;                                                                                  \
        if (UNLIKELY(power_size - 0x3c9 >= 0x408 - 0x3c9)) {                                              \
            if (power_size < 0x3c9) return sign ? -1.0 - hidden(power) : 1.0 + hidden(power);             \
            if (power_size >= 0x409) return power < 0 ? underflowing(sign != 0) : overflowing(sign != 0); \
            is_wide = 1;                                                                                  \
        }                                                                                                 \
        double shifted = mad(power, PER_STEP, NEAREST);                                                   \
        uint64_t k = bits_of(shifted);                                                                    \
        shifted -= NEAREST;                                                                               \
        double rest = mad(shifted, -STEP_LOW, mad(shifted, -STEP, power)) + power_low;                    \
        uint64_t scale_bits = brawn_exp_table[k % STEPS].bits + ((k + sign) << 45);                       \
        double more = brawn_exp_table[k % STEPS].rest + rest, rest2 = rest * rest;                        \
        more = mad(rest2, mad(rest, 1 / 6.0, 0.5), more);                                                 \
        more = mad(rest2 * rest2, mad(rest, 1 / 120.0, 1 / 24.0), more);                                  \
        if (UNLIKELY(is_wide)) return at_the_edge(scale_bits, more, k);                                   \
        double scale = double_of(scale_bits);                                                             \
        return mad(scale, more, scale);                                                                   \
    }

BY_LEVEL(double, pow, (double x, double y), (x, y), BODY)
