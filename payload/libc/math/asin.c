// The angle of a sine.
#include "arc.h"

#define TINY_BITS ((uint64_t)(0x3ff - 27) << 52)

EARLY double special_arc_sine(double x) {
    const uint64_t size = SIZE_BITS(x);
    if (size > ONE_BITS) return 0 / hidden(x - x);
    if (size < TINY_BITS) return small_itself(x);
    if (size < SHORT_BITS) return x + x * short_arc_more(x * x);
    return x * HALF_PI + hidden(0x1p-120);
}

#define BODY(suffix, attributes, mad)                                             \
    static attributes double asin_##suffix(double x) {                            \
        const uint64_t size = SIZE_BITS(x);                                       \
        if (size < HALF_BITS) return mad(x, ARC_MORE(mad, x * x), x);             \
        const Folded f = FOLDED(suffix, mad, x);                                  \
        const double angle = LESS(HALF_PI, 2 * f.root, HALF_PI_LOW - 2 * f.more); \
        return double_of(bits_of(angle) | (bits_of(x) & MINUS_BIT));              \
    }

BY_LEVEL_AFTER(double, asin, (double x), (x), BODY,
    if (UNLIKELY(SIZE_BITS(x) - SHORT_BITS >= ONE_BITS - SHORT_BITS)) return special_arc_sine(x))
