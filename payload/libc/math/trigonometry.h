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
static APART Angle large_angle(float x) {
    const uint32_t bits = bits_of_float(x);
    // x = size * 2^(place - 6).  From the place on the bits of 2/pi make no whole circles with size; the table has eight bits
    // in front of the point.  The place's byte is where it is read, the place's bits in the byte are size's.
    const unsigned place = (bits >> 23 & 0xff) - 144;
    const uint64_t size = (uint64_t)((bits & 0x7fffff) | 0x800000) << place % 8;
    const unsigned char *const from = TWO_OVER_PI + place / 8;
    const uint64_t high = __builtin_bswap64(GET64(from)), low = __builtin_bswap32(GET32(from + 8));
    // Two bits of quarters are in front, and 62 of the fraction behind them; the nearest quarter is taken away.
    const uint64_t top = high * size + (low * size >> 32);
    const uint64_t rounded = top + ((uint64_t)1 << 61);
    double fraction = (double)(int64_t)(top - (rounded & ((uint64_t)3 << 62))) * 0x1p-62;
    Angle angle = {fraction * 0x1.921fb54442d18p0, (unsigned)(rounded >> 62)};
    if (bits >> 31) angle.r = -angle.r, angle.n = 0 - angle.n;
    return angle;
}

// Up to here what is left is known well enough.  Fused, the product with the number of quarters is exact, so pi/2's first part
// may be a whole double.
#define NEAR_plain 0x49800000  // 2^20
#define NEAR_fused 0x54000000  // 2^41
#define HALF_PI_plain HALF_PI[0]
#define HALF_PI_LOW_plain HALF_PI[1]
#define HALF_PI_fused 0x1.921fb54442d18p0
#define HALF_PI_LOW_fused 0x1.1a62633145c07p-54

#define ANGLE(suffix, mad, x)                                                                     \
    __extension__({                                                                               \
        Angle angle_;                                                                             \
        uint32_t size_ = bits_of_float(x) & 0x7fffffff;                                           \
        if (LIKELY(size_ < NEAR_##suffix)) {                                                      \
            double wide_ = (x), turned_ = wide_ * 0x1.45f306dc9c883p-1 + 0x1.8p52;                \
            double whole_ = turned_ - 0x1.8p52;                                                   \
            angle_.n = (unsigned)bits_of(turned_);                                                \
            angle_.r = mad(whole_, -HALF_PI_LOW_##suffix, mad(whole_, -HALF_PI_##suffix, wide_)); \
        } else {                                                                                  \
            angle_ = large_angle(x);                                                              \
        }                                                                                         \
        angle_;                                                                                   \
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
