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

BY_LEVEL_AFTER(double, sin, (double x), (x), BODY, if (UNLIKELY(SIZE_BITS(x) < SHORT_SINE_BITS)) return short_sine(x))
