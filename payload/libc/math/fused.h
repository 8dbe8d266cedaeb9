// x * y + z rounded once, in integers, for a processor without the instruction.  Exact, in every rounding mode.
//
// Product and summand become integers of 128 bits at one exponent; what falls below them is remembered in their last
// bit.  The conversion of the sum's first 63 bits rounds as the processor is told to and raises "inexact"; scaling by
// powers of two does the rest, but for subnormal results, which would be rounded a second time.
#pragma once
#include "math.h"

__extension__ typedef unsigned __int128 u128;

// What is told apart: size * 2^exponent.
typedef struct {
    uint64_t size;
    int exponent;
    unsigned negative;
} Parts;

INLINE Parts parts_of(double x) {
    uint64_t bits = bits_of(x), fraction = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    Parts parts = {fraction, -1074, (unsigned)(bits >> 63)};
    if (exponent) {
        parts.size |= (uint64_t)1 << 52;
        parts.exponent = exponent - 1075;
    } else {
        int shift = __builtin_clzll(fraction) - 11;
        parts.size <<= shift;
        parts.exponent -= shift;
    }
    return parts;
}

// value >> by, its last bit set if any bit that went was.
INLINE u128 shifted(u128 value, int by) {
    if (by <= 0) return value;
    if (by > 127) return value != 0;
    return value >> by | ((value << (128 - by)) != 0);
}

// What is left to round: `size` is below 2^63 and, but for zero, at least 2^62; its last bit stands for all below it.
typedef struct {
    int64_t size;
    int exponent;
    unsigned negative;
} Sum;

// x, y and z are finite, and not zero.
INLINE Sum fused_sum(double x, double y, double z) {
    Parts a = parts_of(x), b = parts_of(y), c = parts_of(z);
    // The product has 105 or 106 bits, its first is bit 125 or 126 here; the summand's is bit 125.
    u128 product = ((u128)a.size * b.size) << 21, summand = (u128)c.size << 73;
    int exponent = a.exponent + b.exponent - 21, other = c.exponent - 73;
    unsigned negative = a.negative ^ b.negative;
    if (other > exponent) {
        product = shifted(product, other - exponent);
        exponent = other;
    } else {
        summand = shifted(summand, exponent - other);
    }
    if (negative == c.negative) {
        product += summand;
    } else if (product >= summand) {
        product -= summand;
    } else {
        product = summand - product;
        negative = c.negative;
    }
    if (product == 0) return (Sum){0, 0, 0};
    uint64_t high = (uint64_t)(product >> 64);
    int first = high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)product);
    if (first <= 62) return (Sum){(int64_t)(product << (62 - first)), exponent - (62 - first), negative};
    return (Sum){(int64_t)shifted(product, first - 62), exponent + (first - 62), negative};
}

// 2^exponent, which must be a normal number.
INLINE double power_of_two(int exponent) {
    return double_of((uint64_t)(exponent + 1023) << 52);
}

#ifdef __x86_64__
// A result below the least normal number of its type, as a double: `sum` is cut at the place 2^least, and what is cut
// off, as two bits, is added to a number whose last place that is.  `tiny` says whether it is below the least normal
// number even after rounding: then, and if it is not exact, it raises "underflow" (Intel SDM volume 1, 4.9.1.5).
static COLD double subnormal(Sum sum, int least, int tiny) {
    int cut = least - sum.exponent;
    uint64_t whole = cut > 63 ? 0 : (uint64_t)sum.size >> cut;
    unsigned rest = (unsigned)shifted((u128)(uint64_t)sum.size << 2, cut) & 3;
    double sign = sum.negative ? -1 : 1, place = 0x1p52 * sign;
    double sized = hidden(place + sign * (double)(int64_t)whole) + sign * (double)(int)rest * 0.25;
    double result = (hidden(sized) - place) * power_of_two(least < -1022 ? -1022 : least);
    if (least < -1022) result = hidden(result) * power_of_two(least + 1022);
    if (rest && tiny) {
        double small = hidden(0x1p-1022);
        hidden(small * small);
    }
    const uint64_t minus = (uint64_t)1 << 63;
    return double_of((bits_of(result) & ~minus) | (sum.negative ? minus : 0));
}

// Zero, infinite or no number.
INLINE int special(double x) {
    return (bits_of(x) << 1) - 1 >= ((uint64_t)0x7ff << 53) - 1;
}
#endif
