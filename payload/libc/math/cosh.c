// The hyperbolic cosine, (e^x + e^-x) / 2, by our expm1.  musl's function divides by e^x where nothing is
// left to see of it, and where 1 / e^x is subnormal, which takes the processor long.
#include "double.h"

#define SIZE_BITS(x) (bits_of(x) & ~MINUS_BIT)
#define TINY_BITS ((uint64_t)(0x3ff - 26) << 52)
#define LN2_BITS 0x3fe62e4200000000
#define ALONE_BITS 0x4044000000000000  // 40: e^40 is more than 2^57.
#define MOST_BITS 0x40862e4200000000  // 709.78: the largest that has a power.

HIDDEN double brawn_expm1(double);

HIDDEN double brawn_cosh(double x) {
    const uint64_t size = SIZE_BITS(x);
    x = double_of(size);
    if (size >= ALONE_BITS) {
        // One less is too little to see.
        if (size < MOST_BITS) return 0.5 * brawn_expm1(x);
        const double root = brawn_expm1(0.5 * x);
        return 0.5 * root * root;
    }
    if (size < TINY_BITS) {
        hidden(x + hidden(0x1p120));
        return 1;
    }
    const double less = brawn_expm1(x);
    if (size >= LN2_BITS) return 0.5 * (1 + less + 1 / (1 + less));
    return 1 + less * less / (2 * (1 + less));
}
NAME(cosh, brawn_cosh)
