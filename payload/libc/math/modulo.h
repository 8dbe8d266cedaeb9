// What is left of a division, in integers: exact, and raises nothing, as musl's fmod and remainder (musl 1.2.5,
// src/math/fmod.c and remquo.c), which take one bit of the quotient after the other.
//
// Both sizes are integers at powers of two: x = a * 2^(s - 1075), y = b * 2^(t - 1075), s >= t.  Without b's zeros
// at the end, and with x as far to the left as its 64 bits let it, few divisions are left: mostly one.
#pragma once
#include "math.h"

#define FRACTION (((uint64_t)1 << 52) - 1)
#define SIGN ((uint64_t)1 << 63)
#define INFINITE ((uint64_t)0x7ff << 52)

typedef struct {
    uint64_t rest;  // Of x; below `unit`.
    uint64_t unit;  // y.
    int exponent;  // Of both, as above.
    unsigned odd;  // Whether the quotient is.
} Modulo;

// The bits of a finite number without its sign.
INLINE uint64_t integer_of(uint64_t bits, int *exponent) {
    uint64_t implicit = bits > FRACTION;
    *exponent = (int)(bits >> 52) + !implicit;
    return (bits & FRACTION) | implicit << 52;
}

#ifdef __x86_64__
// One division for up to 63 bits of the quotient: the processor divides 128 bits.
#define STEP 63
INLINE uint64_t divided(uint64_t *rest, int by, uint64_t b) {
    uint64_t low = *rest << by, high = *rest >> (64 - by), quotient;
    __asm__("divq %4" : "=a"(quotient), "=d"(*rest) : "a"(low), "d"(high), "r"(b) : "cc");
    return quotient;
}
#else  // any other
#define STEP 11
INLINE uint64_t divided(uint64_t *rest, int by, uint64_t b) {
    uint64_t from = *rest << by, quotient = from / b;
    *rest = from - quotient * b;
    return quotient;
}
#endif

// `more` bits, at least one, are still to come.
INLINE uint64_t divided_on(uint64_t *rest, int more, uint64_t b) {
    int step = STEP;
    if (STEP == 11) step = __builtin_clzll(b);
    while (more > step) {
        divided(rest, step, b);
        more -= step;
    }
    return divided(rest, more, b);
}

// For sizes without their signs, x >= y > 0, finite.
INLINE Modulo modulo(uint64_t x, uint64_t y) {
    int s, t;
    uint64_t a = integer_of(x, &s), b = integer_of(y, &t), quotient;
    int zeros = __builtin_ctzll(b), more = s - t - zeros;
    uint64_t short_b = b >> zeros;
    if (LIKELY(more <= 0)) {
        // What is below y's last bit that is set stays as it is.
        quotient = (a >> -more) / short_b;
        return (Modulo){a - ((quotient * short_b) << -more), short_b << -more, s, quotient & 1};
    }
    if (LIKELY(more <= 11)) {
        quotient = (a << more) / short_b;
        return (Modulo){(a << more) - quotient * short_b, short_b, t + zeros, quotient & 1};
    }
    uint64_t rest = a % short_b;
    quotient = divided_on(&rest, more, short_b);
    return (Modulo){rest, short_b, t + zeros, quotient & 1};
}

// rest * 2^(exponent - 1075), with this sign: rest is below 2^53.
INLINE double from_integer(uint64_t rest, int exponent, uint64_t sign) {
    if (rest == 0) return double_of(sign);
    int up = __builtin_clzll(rest) - 11;
    if (UNLIKELY(up >= exponent)) up = exponent - 1, exponent = 0;
    else exponent -= up + 1;
    // The bit in front of the fraction adds one to the exponent.
    return double_of(((rest << up) + ((uint64_t)exponent << 52)) | sign);
}

// Whether there is a quotient at all: y is not zero, x is finite, and none is a NaN.
INLINE int divisible(uint64_t x, uint64_t y) {
    return x < INFINITE && y - 1 < INFINITE;
}

static COLD double indivisible(double x, double y) {
    double product = hidden(x * y);
    return product / hidden(product);
}
