// Sine and cosine at once, as GNU has them.
#include "circle.h"

#define BODY(suffix, attributes, mad)                                                      \
    static attributes void sincos_##suffix(double x, double *to_sine, double *to_cosine) { \
        const uint64_t size = SIZE_BITS(x);                                                \
        if (UNLIKELY(size - SHORT_BITS >= INFINITE_BITS - SHORT_BITS)) {                   \
            *to_sine = size < SHORT_BITS ? short_sine(x) : x - x;                          \
            *to_cosine = size < SHORT_BITS ? short_cosine(x) : *to_sine;                   \
            return;                                                                        \
        }                                                                                  \
        const Turned t = turned_##suffix(x);                                               \
        const Rests rests = RESTS(mad, t);                                                 \
        const Pair sine = SINE_AT(suffix, mad, t.n, t, rests);                             \
        const Pair cosine = SINE_AT(suffix, mad, t.n + PLACES / 4, t, rests);              \
        *to_sine = size < SHORT_SINE_BITS ? short_sine(x) : sine.first + sine.rest;        \
        *to_cosine = cosine.first + cosine.rest;                                           \
    }

BY_LEVEL(void, sincos, (double x, double *to_sine, double *to_cosine), (x, to_sine, to_cosine), BODY)
