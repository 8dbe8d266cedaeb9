// The tangent: sine by cosine in double, divided once.
#include "trigonometry.h"

#define BODY(suffix, attributes, mad)                                                \
    static attributes float tanf_##suffix(float x) {                                 \
        if (UNLIKELY(no_angle(x))) return x - x;                                     \
        const Angle angle = ANGLE(suffix, mad, x);                                   \
        const double s = angle.r * angle.r;                                          \
        const double sine = SINE(mad, angle.r, s), cosine = COSINE(mad, angle.r, s); \
        return (float)(angle.n & 1 ? -cosine / sine : sine / cosine);                \
    }

BY_LEVEL_AFTER(float, tanf, (float x), (x), BODY, if (UNLIKELY(tiny(x))) return small_itself_float(x))
