// The sine.
#include "circle.h"

#define BODY(suffix, attributes, mad)                          \
    static attributes double sin_##suffix(double x) {          \
        const uint64_t size = SIZE_BITS(x);                    \
        if (UNLIKELY(size >= INFINITE_BITS)) return x - x;     \
        const Turned t = turned_##suffix(x);                   \
        const Rests rests = RESTS(mad, t);                     \
        const Pair sine = SINE_AT(suffix, mad, t.n, t, rests); \
        return sine.first + sine.rest;                         \
    }

BY_LEVEL_AFTER(double, sin, (double x), (x), BODY, if (IS_SHORT(x)) return short_sine(x))
