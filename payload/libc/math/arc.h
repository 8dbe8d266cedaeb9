// What asin and acos are written with: asin(x) = x + x^3 * ARC(x^2) up to a half; from there on asin of the angle's half,
// asin(x) = pi / 2 - 2 * asin(sqrt((1 - x) / 2)).  musl's functions divide one polynomial by another and wait for the result.
// Here one polynomial is enough, and the only division is done beside it.
#pragma once
#include "double.h"
#include "tables-arc.h"

#define SIZE_BITS(x) (bits_of(x) & ~MINUS_BIT)
#define HALF_BITS ((uint64_t)(0x3ff - 1) << 52)
// Below this, 2^-6, a few terms of the series do.
#define SHORT_BITS ((uint64_t)(0x3ff - 6) << 52)
#define HALF_PI 0x1.921fb54442d18p0
#define HALF_PI_LOW 0x1.1a62633145c07p-54

// (asin(x) - x) / x for `square`, x^2.
#define ARC_MORE(mad, square)                                                                              \
    ({                                                                                                     \
        const double y_ = (square), y2_ = y_ * y_, y4_ = y2_ * y2_, y8_ = y4_ * y4_;                       \
        const double a_ = mad(mad(ARC[3], y_, ARC[2]), y2_, mad(ARC[1], y_, ARC[0]));                      \
        const double b_ = mad(mad(ARC[7], y_, ARC[6]), y2_, mad(ARC[5], y_, ARC[4]));                      \
        const double c_ = mad(ARC[12], y4_, mad(mad(ARC[11], y_, ARC[10]), y2_, mad(ARC[9], y_, ARC[8]))); \
        y_ *mad(c_, y8_, mad(b_, y4_, a_));                                                                \
    })

// The same for |x| below 2^-6.
INLINE double short_arc_more(double s) {
    return s * (1 / 6.0 + s * (3 / 40.0) + s * s * (15 / 336.0 + s * (105 / 3456.0)));
}

#define ROOT(x) _mm_cvtsd_f64(_mm_sqrt_sd(_mm_set_sd(x), _mm_set_sd(x)))

// For |x| from a half to below one: the root of (1 - |x|) / 2, which is half of the sum, and what the angle is more.
typedef struct {
    double root, more;
} Folded;

#define FOLDED(suffix, mad, x)                                                               \
    ({                                                                                       \
        const double z_ = mad(double_of(SIZE_BITS(x)), -0.5, 0.5), s_ = ROOT(z_);            \
        /* The root's square lacks this: half of it over the root is what the root lacks. */ \
        const double lost_ = -product_error_##suffix(s_, s_, z_) / (s_ + s_);                \
        (Folded){s_, mad(s_, ARC_MORE(mad, z_), lost_)};                                     \
    })

// first - second and what it lacks, for a first that is no smaller.
#define LESS(first, second, rest)                                      \
    ({                                                                 \
        const double difference_ = (first) - (second);                 \
        difference_ + ((((first) - difference_) - (second)) + (rest)); \
    })
