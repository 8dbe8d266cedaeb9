// What the functions of doubles are written with: logarithms by a table of 1/c, and results that raise exceptions.
//
// Each is written once and compiled twice, as the functions of floats are (float.h).  1/c has so few bits that
// z / c - 1 is exact, with the processor's fused multiply-add and without.  The algorithm is P. T. P. Tang's
// ("Table-driven implementation of the logarithm function", 1990), with tables fine enough that the series is short,
// and with 1 itself in the table, so that nothing cancels near it.
#pragma once
#include "float.h"
#include "tables-double.h"

#define ONE_BITS ((uint64_t)0x3ff << 52)
#define INFINITE_BITS ((uint64_t)0x7ff << 52)
#define LEAST_NORMAL ((uint64_t)1 << 52)
#define MINUS_BIT ((uint64_t)1 << 63)

// Results that raise their exceptions, as musl's (src/math/__math_oflow.c and its kin).
INLINE double overflowing(int negative) {
    return hidden(negative ? -0x1p769 : 0x1p769) * 0x1p769;
}

INLINE double underflowing(int negative) {
    return hidden(negative ? -0x1p-767 : 0x1p-767) * 0x1p-767;
}

INLINE double no_number(double x) {
    double y = (x - x) / hidden(x - x);
    return x != x ? x : y;
}

// a * b - 1 for a product near 1, exactly if that is a double; b has at most 9 bits.
INLINE double product_less_one_plain(double a, double b) {
    double first = double_of(bits_of(a) & ~(uint64_t)0xffffff);
    return (first * b - 1) + (a - first) * b;
}

// a * b - product, exactly (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
INLINE double product_error_plain(double a, double b, double product) {
    double a_first = double_of(bits_of(a) & ~(uint64_t)0x7ffffff), b_first = double_of(bits_of(b) & ~(uint64_t)0x7ffffff);
    double a_rest = a - a_first, b_rest = b - b_first;
    return ((a_first * b_first - product) + a_first * b_rest + a_rest * b_first) + a_rest * b_rest;
}

#ifdef __x86_64__
INLINE FUSED double product_less_one_fused(double a, double b) {
    return __builtin_fma(a, b, -1.0);
}

INLINE FUSED double product_error_fused(double a, double b, double product) {
    return __builtin_fma(a, b, -product);
}
#endif

// x = 2^k * z, z in the i-th of 128 intervals from 0.68 to 1.37.
typedef struct {
    double z, k;
    unsigned i;
} WideSplit;

// For the bits of a positive normal number, or of one times 2^52 with the exponent less 52.
INLINE WideSplit wide_split(uint64_t bits) {
    uint64_t from_start = bits - LOG_START;
    uint64_t k = (uint64_t)((int64_t)from_start >> 52);
    // By the bits of 1.5 * 2^52 + k: the processor's conversion would wait for what its register had before.
    double whole = double_of(bits_of(0x1.8p52) + k) - 0x1.8p52;
    return (WideSplit){double_of(bits - (k << 52)), whole, from_start >> 45 & 127};
}

// Whether bits are those of a negative number, a subnormal one, zero, infinity or a NaN.
INLINE int is_special(uint64_t bits) {
    return bits - LEAST_NORMAL >= INFINITE_BITS - LEAST_NORMAL;
}

// As integers: processors take a hundred cycles to multiply a subnormal number.
INLINE uint64_t bits_of_subnormal(uint64_t bits) {
    const uint64_t shift = (unsigned)__builtin_clzll(bits) - 11;
    return (bits << shift) - (shift << 52);
}

// The logarithm of the numbers for which is_special() is true, but for subnormal ones.
EARLY double special_wide_logarithm(double x) {
    uint64_t bits = bits_of(x);
    if (bits == INFINITE_BITS || bits << 1 > INFINITE_BITS << 1) return x + x;
    return bits << 1 == 0 ? -1 / hidden(0.0) : no_number(x);
}

// Defines a logarithm by its BODY for the bits of a positive number; of a subnormal one as wide_split() wants them.  `if_special` is a
// statement, or none, for `bits` for which is_special() is true.
#define WIDE_LOGARITHM(name, BODY, if_special)                                                                \
    BY_LEVEL_AFTER(                                                                                           \
        double, name, (double x), (bits), BODY, uint64_t bits = bits_of(x); if (UNLIKELY(is_special(bits))) { \
            if_special;                                                                                       \
            if (bits - 1 >= INFINITE_BITS - 1) return special_wide_logarithm(x);                              \
            bits = bits_of_subnormal(bits);                                                                   \
        })

// c[0] + c[1] * z + ...
#define POLYNOMIAL_7(mad, c, z)                                                                           \
    ({                                                                                                    \
        const double square = (z) * (z), first = mad((c)[1], z, (c)[0]), second = mad((c)[3], z, (c)[2]); \
        const double third = mad((c)[6], square, mad((c)[5], z, (c)[4]));                                 \
        mad(square * square, third, mad(square, second, first));                                          \
    })

#define POLYNOMIAL_OF_6(mad, c, z)                                                                        \
    ({                                                                                                    \
        const double square = (z) * (z), first = mad((c)[1], z, (c)[0]), second = mad((c)[3], z, (c)[2]); \
        mad(square, mad(square, mad((c)[5], z, (c)[4]), second), first);                                  \
    })
