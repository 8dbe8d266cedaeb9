// The cosine.
#include "trigonometry.h"

EARLY float tiny_cosine(float x) {
    hidden_float(x + hidden_float(0x1p120f));
    return 1;
}

#define BODY(suffix, attributes, mad)                                             \
    static attributes float cosf_##suffix(float x) {                              \
        if (UNLIKELY(no_angle(x))) return x - x;                                  \
        Angle angle = ANGLE(suffix, mad, x);                                      \
        double s = angle.r * angle.r;                                             \
        double y = angle.n & 1 ? SINE(mad, angle.r, s) : COSINE(mad, angle.r, s); \
        return (float)((angle.n + 1) & 2 ? -y : y);                               \
    }

BY_LEVEL_AFTER(float, cosf, (float x), (x), BODY, if (UNLIKELY(tiny(x))) return tiny_cosine(x))
