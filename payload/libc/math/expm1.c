// e^x - 1.
#include "less_one.h"

#define TINY_BITS ((uint64_t)(0x3ff - 54) << 52)
#define FAR_BITS 0x4042000000000000  // 36, below which the power is below 2^53.
#define HUGE_BITS 0x40862e28f5c28f5c  // 709.77
#define LOW_BITS 0x4086200000000000  // 708
#define LARGEST 0x1.62e42fefa39efp9

// Up to the largest that has a power.
static COLD double large_less_one(double x) {
    // One less is too little to see.
    const Parted half = LESS_ONE(times_plus_plain, large_power_less_one, x - 1);
    const double e = 0x1.5bf0a8b145769p1, e_low = 0x1.4d57ee2b1013ap-53, whole = half.first * e;
    return whole + (product_error_plain(half.first * 0x1p-100, e, whole * 0x1p-100) * 0x1p100 + half.rest * e + half.first * e_low);
}

// What has no normal power.
EARLY double special_less_one(double x) {
    if (SIZE_BITS(x) >= HUGE_BITS) {
        if (SIZE_BITS(x) > INFINITE_BITS || bits_of(x) == INFINITE_BITS) return x;
        if (bits_of(x) >> 63) return SIZE_BITS(x) == INFINITE_BITS ? -1 : hidden(0x1p-60) - 1;
        return x > LARGEST ? overflowing(0) : large_less_one(x);
    }
    if (SIZE_BITS(x) < TINY_BITS) return small_itself(x);
    const double s = x * x, more = 1 / 24.0 + x * (1 / 120.0) + s * (1 / 720.0 + x * (1 / 5040.0) + s * (1 / 40320.0));
    return x + s * (0.5 + x * (1 / 6.0) + s * more);
}

#define BODY(suffix, attributes, mad)                                                 \
    static attributes COLD double expm1_far_##suffix(double x) {                      \
        if (bits_of(x) >> 63 && SIZE_BITS(x) >= LOW_BITS) return hidden(0x1p-60) - 1; \
        const Parted less = LESS_ONE(mad, power_less_one, x);                         \
        return less.first + less.rest;                                                \
    }                                                                                 \
    static attributes double expm1_##suffix(double x) {                               \
        if (UNLIKELY(SIZE_BITS(x) >= FAR_BITS)) return expm1_far_##suffix(x);         \
        const Parted less = LESS_ONE(mad, small_power_less_one, x);                   \
        return less.first + less.rest;                                                \
    }

BY_LEVEL_AFTER(double, expm1, (double x), (x), BODY,
    if (UNLIKELY(SIZE_BITS(x) - SHORT_BITS >= HUGE_BITS - SHORT_BITS)) return special_less_one(x))
