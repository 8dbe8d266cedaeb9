// The sine.
#include "trigonometry.h"

// As musl, "underflow" for a subnormal argument, else "inexact" but for zero.
static COLD float small_sine(float x) {
    float size = float_of(bits_of_float(x) & 0x7fffffff);
    if (size < 0x1p-126f) hidden_float(x * hidden_float(0x1p-120f));
    else hidden_float(x + hidden_float(0x1p120f));
    return x;
}

#define BODY(suffix, attributes, mad)                                             \
    static attributes float sinf_##suffix(float x) {                              \
        if (UNLIKELY(tiny(x))) return small_sine(x);                              \
        if (UNLIKELY(no_angle(x))) return x - x;                                  \
        Angle angle = ANGLE(mad, x);                                              \
        double s = angle.r * angle.r;                                             \
        double y = angle.n & 1 ? COSINE(mad, angle.r, s) : SINE(mad, angle.r, s); \
        return (float)(angle.n & 2 ? -y : y);                                     \
    }

BY_LEVEL(float, sinf, (float x), (x), BODY)
