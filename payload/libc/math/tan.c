// The tangent: sine by cosine, both in two parts, divided once.
#include "circle.h"

#define BODY(suffix, attributes, mad)                                                                     \
    static attributes double tan_##suffix(double x) {                                                     \
        const uint64_t size = SIZE_BITS(x);                                                               \
        if (UNLIKELY(size >= INFINITE_BITS)) return x - x;                                                \
        const Turned t = turned_##suffix(x);                                                              \
        const Rests rests = RESTS(mad, t);                                                                \
        const Pair sine = SINE_AT(suffix, mad, t.n, t, rests);                                            \
        const Pair cosine = SINE_AT(suffix, mad, t.n + PLACES / 4, t, rests);                             \
        const double above = sine.first + sine.rest, above_rest = sine.first - above + sine.rest;         \
        const double below = cosine.first + cosine.rest, below_rest = cosine.first - below + cosine.rest; \
        const double inverse = 1 / below, y = above * inverse;                                            \
        const double lost = mad(-y, below_rest, above_rest) - product_error_##suffix(y, below, above);    \
        return mad(lost, inverse, y);                                                                     \
    }

BY_LEVEL_AFTER(double, tan, (double x), (x), BODY, if (IS_SHORT(x)) return short_tangent(x))
