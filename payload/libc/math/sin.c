// The sine.
#include "circle.h"

#define BODY(suffix, attributes, mad)                                  \
    static attributes double sin_##suffix(double x) {                  \
        const uint64_t size = SIZE_BITS(x);                            \
        if (UNLIKELY(size - SMALL_BITS >= INFINITE_BITS - SMALL_BITS)) \
            return size < SMALL_BITS ? small_angle(x) : x - x;         \
        const Turned t = turned_##suffix(x);                           \
        const Rests rests = RESTS(mad, t);                             \
        const Pair sine = SINE_AT(suffix, mad, t.n, t, rests);         \
        return sine.first + sine.rest;                                 \
    }

BY_LEVEL(double, sin, (double x), (x), BODY)
