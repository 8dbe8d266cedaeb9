// The cosine.
#include "circle.h"

#define BODY(suffix, attributes, mad)                                         \
    static attributes double cos_##suffix(double x) {                         \
        const uint64_t size = SIZE_BITS(x);                                   \
        if (UNLIKELY(size >= INFINITE_BITS)) return x - x;                    \
        const Turned t = turned_##suffix(x);                                  \
        const Rests rests = RESTS(mad, t);                                    \
        const Pair cosine = SINE_AT(suffix, mad, t.n + PLACES / 4, t, rests); \
        return cosine.first + cosine.rest;                                    \
    }

BY_LEVEL_AFTER(double, cos, (double x), (x), BODY, if (IS_SHORT(x)) return short_cosine(x))
