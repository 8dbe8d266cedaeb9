// What sin, cos, sincos and tan of doubles are written with: the nearest of 128 places of the circle, and how far x is
// from there, as two doubles.  Sine and cosine of the place are in a table, those of the rest are short polynomials, and
// sin(a + r) = sin(a) cos(r) + cos(a) sin(r) joins them (S. Gal, B. Bachelis, "An accurate elementary mathematical
// library for the IEEE floating point standard", 1991, has tables for this).  No branch depends on the quarter.
//
// Each is written once and compiled twice, as the logarithms are (double.h); the errors are below 0.56 of the last bit,
// and a tangent's below 0.62, which the test measures.
#pragma once
#include "double.h"
#include "tables-circle.h"

enum { PLACES = 128 };
extern HIDDEN const CircleRow brawn_circle_table[PLACES];

typedef struct {
    double r, low;  // From -pi/128 to pi/128.
    unsigned n;  // The place, and whole circles of 128.
} Turned;

// Two doubles that are one number, the first one the larger.
typedef struct {
    double first, rest;
} Pair;

#define SIZE_BITS(x) (bits_of(x) & ~MINUS_BIT)
// Where a sine is its argument to the last bit, and a cosine 1: below 2^-27.
#define SMALL_BITS ((uint64_t)(0x3ff - 27) << 52)
// Up to here all parts of a product with the number of the place are exact.
#define FAR_PLAIN ((uint64_t)(0x3ff + 15) << 52)
#define FAR_FUSED ((uint64_t)(0x3ff + 22) << 52)
// What is left may be from 2^-28, so that what is not known of it counts for nothing, to what rounding makes of pi/128.
#define LEAST_TURNED ((uint64_t)(0x3ff - 28) << 52)
#define MOST_TURNED 0x3f99220000000000

// Of a number that is far, or near a place: its 53 bits times 192 of 2/pi's, without those that make whole circles
// (M. Payne and R. Hanek, "Radian reduction for trigonometric functions", 1983).
static COLD Pair rest_of_far(double x, unsigned *nearest) {
    __extension__ typedef unsigned __int128 u128;
    const uint64_t bits = bits_of(x);
    // x = size * 2^exponent.
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    *nearest = 0;
    if (exponent < -59) return (Pair){x, 0};
    const uint64_t size = (bits & (LEAST_NORMAL - 1)) | LEAST_NORMAL;
    // The first bit of 2/pi that does not make whole circles; the table has 64 bits before its point.
    const unsigned first = (unsigned)(exponent + 62), bit = first % 64;
    const uint64_t *const w = TWO_OVER_PI + first / 64;
    uint64_t a = w[0], b = w[1], c = w[2];
    if (bit) {
        a = a << bit | b >> (64 - bit);
        b = b << bit | c >> (64 - bit);
        c = c << bit | w[3] >> (64 - bit);
    }
    // The number of quarters, times 2^190, modulo 2^192.
    const u128 last = (u128)c * size, middle = (u128)b * size + (uint64_t)(last >> 64);
    uint64_t high = a * size + (uint64_t)(middle >> 64), mid = (uint64_t)middle, low = (uint64_t)last;
    // The nearest 32nd of a quarter is taken away.
    const unsigned n = (unsigned)((high + ((uint64_t)1 << 56)) >> 57);
    high -= (uint64_t)n << 57;
    const int negative = (int)(high >> 63);
    if (negative) {
        low = -low;
        mid = ~mid + !low;
        high = ~high + !(low | mid);
    }
    int zeros = 0;
    if (!high) {
        zeros = 64;
        high = mid;
        mid = low;
        low = 0;
    }
    const int more = __builtin_clzll(high | 1);
    if (more) {
        high = high << more | mid >> (64 - more);
        mid = mid << more | low >> (64 - more);
    }
    const double place = double_of((uint64_t)(0x3ff + 2 - 64 - zeros - more) << 52);
    const double part = (double)(int64_t)(high >> 11) * 0x1p11;
    const double rest = (double)(int64_t)((high & 0x7ff) << 52 | mid >> 12) * 0x1p-52;
    const double product = part * QUARTER;
    double r_low = product_error_plain(part, QUARTER, product) + (part * QUARTER_LOW + rest * QUARTER);
    const double r = product + r_low, sign = (negative ? -place : place) * (bits >> 63 ? -1.0 : 1.0);
    r_low = product - r + r_low;
    *nearest = bits >> 63 ? -n : n;
    return (Pair){sign * r, sign * r_low};
}

// Two doubles come back in registers, and a Turned would not: then whoever may call this would have it in memory always.
INLINE Turned turned_far(double x) {
    unsigned place;
    const Pair rest = rest_of_far(x, &place);
    return (Turned){rest.first, rest.rest, place};
}

INLINE int is_unsure(double r) {
    return SIZE_BITS(r) - LEAST_TURNED > MOST_TURNED - LEAST_TURNED;
}

// For what is finite.
INLINE Turned turned_plain(double x) {
    if (UNLIKELY(SIZE_BITS(x) >= FAR_PLAIN)) return turned_far(x);
    const double shifted = x * PER_PART + 0x1.8p52, whole = shifted - 0x1.8p52;
    // All of it is exact but the last product.
    const double first = x - whole * PART_PLAIN[0], second = first - whole * PART_PLAIN[1];
    const double rest = (first - second - whole * PART_PLAIN[1]) - whole * PART_PLAIN[2], r = second + rest;
    if (UNLIKELY(is_unsure(r))) return turned_far(x);
    return (Turned){r, second - r + rest, (unsigned)bits_of(shifted)};
}

#ifdef __x86_64__
INLINE FUSED Turned turned_fused(double x) {
    if (UNLIKELY(SIZE_BITS(x) >= FAR_FUSED)) return turned_far(x);
    const double shifted = __builtin_fma(x, PER_PART, 0x1.8p52), whole = shifted - 0x1.8p52;
    // Exact: both have no bit below 2^-58, and what is left is below 2^-5.
    const double first = __builtin_fma(-whole, PART_FUSED[0], x), r = __builtin_fma(-whole, PART_FUSED[1], first);
    if (UNLIKELY(is_unsure(r))) return turned_far(x);
    const double low = __builtin_fma(-whole, PART_FUSED[1], first - r);
    return (Turned){r, __builtin_fma(-whole, PART_FUSED[2], low), (unsigned)bits_of(shifted)};
}
#endif

// sin(r + low) - r and cos(r) - 1.
typedef struct {
    double sine, cosine;
} Rests;

#define RESTS(mad, t)                                                            \
    ({                                                                           \
        const double s_ = (t).r * (t).r;                                         \
        const double sine_ = mad(s_, mad(s_, -1 / 5040.0, 1 / 120.0), -1 / 6.0); \
        const double cosine_ = mad(s_, mad(s_, -1 / 720.0, 1 / 24.0), -0.5);     \
        (Rests){mad((t).r * s_, sine_, (t).low), s_ * cosine_};                  \
    })

INLINE const CircleRow *row_of(unsigned place) {
    return &brawn_circle_table[place % PLACES];
}

// The sine at a place and the rest behind it; the cosine is the sine a quarter further on.
#define SINE_AT(suffix, mad, place, t, rests)                                                      \
    ({                                                                                             \
        const CircleRow *sine_row = row_of(place), *cosine_row = row_of((place) + PLACES / 4);     \
        const double s_ = sine_row->first, c_ = cosine_row->first, product_ = c_ * (t).r;          \
        const double first_ = s_ + product_;                                                       \
        const double lost_ = s_ - first_ + product_ + product_error_##suffix(c_, (t).r, product_); \
        const double small_ = mad(cosine_row->rest, (t).r, sine_row->rest) + lost_;                \
        (Pair){first_, mad(c_, (rests).sine, mad(s_, (rests).cosine, small_))};                    \
    })

// Below 2^-6 a few terms of the series do: what they round is so much smaller than the first that it does not count.
#define SHORT_BITS ((uint64_t)(0x3ff - 6) << 52)
#define IS_SHORT(x) UNLIKELY(SIZE_BITS(x) < SHORT_BITS)

// The sine's are as short up to a quarter: what is added to x is a hundredth of it.
#define SHORT_SINE_BITS ((uint64_t)(0x3ff - 2) << 52)

INLINE double short_sine(double x) {
    if (SIZE_BITS(x) < SMALL_BITS) return small_itself(x);
    const double s = x * x, s2 = s * s;
    const double more = -1 / 5040.0 + s * (1 / 362880.0) + s2 * (-1 / 39916800.0 + s * (1 / 6227020800.0));
    return x + x * s * (-1 / 6.0 + s * (1 / 120.0) + s2 * more);
}

INLINE double short_cosine(double x) {
    if (SIZE_BITS(x) < SMALL_BITS) return 1 - hidden(SIZE_BITS(x) ? 0x1p-60 : 0);
    const double s = x * x;
    return 1 - s * (0.5 - s * (1 / 24.0 - s * (1 / 720.0)));
}

INLINE double short_tangent(double x) {
    if (SIZE_BITS(x) < SMALL_BITS) return small_itself(x);
    const double s = x * x;
    return x + x * s * (1 / 3.0 + s * (2 / 15.0 + s * (17 / 315.0 + s * (62 / 2835.0))));
}
