// The sine.
#include "trigonometry.h"

#define BODY(suffix, attributes, mad)                                             \
    static attributes float sinf_##suffix(float x) {                              \
        if (UNLIKELY(no_angle(x))) return x - x;                                  \
        Angle angle = ANGLE(suffix, mad, x);                                      \
        double s = angle.r * angle.r;                                             \
        double y = angle.n & 1 ? COSINE(mad, angle.r, s) : SINE(mad, angle.r, s); \
        return (float)(angle.n & 2 ? -y : y);                                     \
    }

BY_LEVEL_AFTER(float, sinf, (float x), (x), BODY, if (UNLIKELY(tiny(x))) return small_itself_float(x))
