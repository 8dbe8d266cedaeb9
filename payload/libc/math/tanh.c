// The hyperbolic tangent, (e^2x - 1) / (e^2x + 1).
#include "less_one.h"

#define TINY_BITS ((uint64_t)(0x3ff - 28) << 52)
#define LARGE_BITS 0x4036000000000000  // 22

EARLY double special_tangent(double x) {
    if (SIZE_BITS(x) >= LARGE_BITS) return double_of(ONE_BITS | (bits_of(x) & MINUS_BIT)) - 0 / x;
    if (SIZE_BITS(x) < TINY_BITS) return small_itself(x);
    const double s = x * x;
    return x + x * s * (-1 / 3.0 + s * (2 / 15.0 + s * (-17 / 315.0 + s * (62 / 2835.0))));
}

#define BODY(suffix, attributes, mad)                                                            \
    static attributes double tanh_##suffix(double x) {                                           \
        const uint64_t size = SIZE_BITS(x);                                                      \
        const double twice = 2 * double_of(size);                                                \
        const Parted less = LESS_ONE(mad, large_power_less_one, twice);                          \
        const double all = less.first + less.rest, y = all / (all + 2), from_one = 1 - y;        \
        /* What the dividend lacks, as the quotient has it. */                                   \
        const double lost = 0.5 * (less.first - all + less.rest);                                \
        return double_of(bits_of(mad(lost, from_one * from_one, y)) | (bits_of(x) & MINUS_BIT)); \
    }

BY_LEVEL_AFTER(double, tanh, (double x), (x), BODY, if (UNLIKELY(SIZE_BITS(x) - SHORT_BITS >= LARGE_BITS - SHORT_BITS)) return special_tangent(x))
