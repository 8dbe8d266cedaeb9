// What logf, log2f and powf begin with: x = 2^k * z, z in the i-th of sixteen intervals from 0.7 to 1.4.
#pragma once
#include "float.h"
#include "tables-float.h"

typedef struct {
    double z;
    int k;
    unsigned i;
} Split;

// For the bits of a positive normal number, or of one times 2^23 with the exponent less 23.
INLINE Split split(uint32_t bits) {
    uint32_t from_start = bits - 0x3f330000;
    Split parts = {float_of(bits - (from_start & 0xff800000)), (int32_t)from_start >> 23, from_start >> 19 & 15};
    return parts;
}

// Whether bits are those of a negative number, a subnormal one, zero, infinity or a NaN.
INLINE int is_special_float(uint32_t bits) {
    return bits - 0x00800000 >= 0x7f800000 - 0x00800000;
}

// By a sum, which is exact: processors take a hundred cycles to multiply a subnormal number, and a conversion or a search for the
// first bit would wait for what the register had before, which is the last call's result.
INLINE uint32_t normal_bits(uint32_t bits) {
    return bits_of_float(float_of(bits | bits_of_float(0x1p23f)) - 0x1p23f) - ((uint32_t)149 << 23);
}

// The logarithm of the numbers for which is_special_float() is true, but for subnormal ones.
EARLY float special_logarithm(float x) {
    uint32_t bits = bits_of_float(x);
    if (bits == 0x7f800000 || bits << 1 > 0xff000000) return x;
    return bits << 1 == 0 ? infinite(1) : invalid(x);
}

// Defines a logarithm by its BODY for the bits of a positive number for which is_special_float() is false.
#define LOGARITHM(name, BODY)                                                                                           \
    BY_LEVEL_AFTER(                                                                                                     \
        float, name, (float x), (bits), BODY, uint32_t bits = bits_of_float(x); if (UNLIKELY(is_special_float(bits))) { \
            if (bits - 1 >= 0x7f800000 - 1) return special_logarithm(x);                                                \
            bits = normal_bits(bits);                                                                                   \
        })
