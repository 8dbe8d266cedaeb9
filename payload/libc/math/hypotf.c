// The square root of x^2 + y^2 of floats.  The squares are exact as doubles, and their sum is rounded to a double and then to a
// float, as in musl's (1.2.5, src/math/hypotf.c), whose results and exceptions these are; but nothing is exchanged, since the
// processor cannot foresee which of the two is larger.
#include "math.h"

#define INFINITE 0x7f800000u
// A larger one, or from here on the larger one alone, is scaled as musl does it.
#define LARGE_BITS ((0x7fu + 60) << 23)
#define SMALL_BITS ((0x7fu - 60) << 23)
// From 2^25 times on the smaller one is too small to see.
#define FAR (25u << 23)

#define IS_USUAL(a) LIKELY((a) - SMALL_BITS < LARGE_BITS - SMALL_BITS)

INLINE float root(double square) {
    return __builtin_sqrtf((float)square);
}

static COLD float unusual(uint32_t most, uint32_t least) {
    float x = float_of(most), y = float_of(least), scale = 1;
    if (least == INFINITE) return y;
    if (most >= INFINITE || least == 0 || most - least >= FAR) return x + y;
    if (most >= LARGE_BITS) scale = 0x1p90f, x *= 0x1p-90f, y *= 0x1p-90f;
    else if (least < SMALL_BITS) scale = 0x1p-90f, x *= 0x1p90f, y *= 0x1p90f;
    return scale * root((double)x * x + (double)y * y);
}

HIDDEN float brawn_hypotf(float x, float y) {
    const uint32_t a = bits_of_float(x) & 0x7fffffff, b = bits_of_float(y) & 0x7fffffff;
    if (IS_USUAL(a) && IS_USUAL(b) && LIKELY(a - b + FAR - 1 < 2 * FAR - 1)) return root((double)x * x + (double)y * y);
    return a > b ? unusual(a, b) : unusual(b, a);
}
NAME(hypotf, brawn_hypotf)
