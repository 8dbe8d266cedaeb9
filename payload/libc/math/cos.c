// The cosine.
#include "circle.h"

#define BODY(suffix, attributes, mad)                                          \
    static attributes double cos_##suffix(double x) {                          \
        const uint64_t size = SIZE_BITS(x);                                    \
        if (UNLIKELY(size - SMALL_BITS >= INFINITE_BITS - SMALL_BITS))         \
            return size < SMALL_BITS ? 1 - hidden(size ? 0x1p-60 : 0) : x - x; \
        const Turned t = turned_##suffix(x);                                   \
        const Rests rests = RESTS(mad, t);                                     \
        const Pair cosine = SINE_AT(suffix, mad, t.n + PLACES / 4, t, rests);  \
        return cosine.first + cosine.rest;                                     \
    }

BY_LEVEL(double, cos, (double x), (x), BODY)
