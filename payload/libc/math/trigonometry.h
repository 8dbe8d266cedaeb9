// x modulo pi/2 in double, and sine and cosine of what is left, for sinf, cosf and sincosf.
#pragma once
#define NEEDS_TRIGONOMETRY
#include "float.h"
#include "tables-float.h"

typedef struct {
    double r;  // From -pi/4 to pi/4, or a little further.
    unsigned n;  // Quarters of the circle that were taken away.
} Angle;

// Of a number from 2^20 on: its 24 bits times 96 of 2/pi's, without those that make whole circles (M. Payne and
// R. Hanek, "Radian reduction for trigonometric functions", 1983).
static COLD Angle large_angle(float x) {
    uint32_t bits = bits_of_float(x);
    // x = size * 2^shift.
    uint64_t size = (bits & 0x7fffff) | 0x800000;
    int shift = (int)(bits >> 23 & 0xff) - 150;
    // 96 bits of 2/pi from the place on at which size makes at most four quarters: bit 2^-first is the first of them.
    int first = shift < 2 ? 0 : shift - 2, word = first / 32, bit = first % 32;
    const uint32_t *w = TWO_OVER_PI + word;
    uint64_t high = (uint64_t)w[0] << 32 | w[1], low = (uint64_t)w[2] << 32 | w[3];
    if (bit) {
        high = high << bit | low >> (64 - bit);
        low = low << bit | (uint64_t)w[4] >> (32 - bit);
    }
    // The word in front of the point is 0: high:low is 2/pi * 2^(first + 96) modulo 2^128, and times size * 2^shift is
    // the number of quarters times 2^(96 + first - shift).
    __extension__ unsigned __int128 all = ((unsigned __int128)high << 64 | low) * size;
    all <<= 30 + shift - first;
    // Now two bits of quarters are in front, and 126 of the fraction behind them; the nearest quarter is taken away.
    uint64_t top = (uint64_t)(all >> 64);
    uint64_t rounded = top + ((uint64_t)1 << 61);
    double fraction = (double)(int64_t)(top - (rounded & ((uint64_t)3 << 62))) * 0x1p-62;
    Angle angle = {fraction * 0x1.921fb54442d18p0, (unsigned)(rounded >> 62)};
    if (bits >> 31) angle.r = -angle.r, angle.n = 0 - angle.n;
    return angle;
}

// `fused` is the same whatever the level: the first part has so few bits that its products are exact.
#define ANGLE(mad, x)                                                              \
    __extension__({                                                                \
        Angle angle_;                                                              \
        uint32_t size_ = bits_of_float(x) & 0x7fffffff;                            \
        if (LIKELY(size_ < 0x49800000)) {                                          \
            double wide_ = (x), turned_ = wide_ * 0x1.45f306dc9c883p-1 + 0x1.8p52; \
            double whole_ = turned_ - 0x1.8p52;                                    \
            angle_.n = (unsigned)bits_of(turned_);                                 \
            angle_.r = mad(whole_, -HALF_PI[1], mad(whole_, -HALF_PI[0], wide_));  \
        } else {                                                                   \
            angle_ = large_angle(x);                                               \
        }                                                                          \
        angle_;                                                                    \
    })

#define SINE(mad, r, s) mad((r) * (s), POLYNOMIAL_4(mad, SIN, s), r)
#define COSINE(mad, r, s) mad(s, POLYNOMIAL_5(mad, COS, s), 1.0)

// Infinite or no number.
INLINE int no_angle(float x) {
    return (bits_of_float(x) & 0x7fffffff) >= 0x7f800000;
}

// Below this a sine is its argument, and a cosine 1, to the last bit.
INLINE int tiny(float x) {
    return (bits_of_float(x) & 0x7fffffff) < 0x39800000;
}
