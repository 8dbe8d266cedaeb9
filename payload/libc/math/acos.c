// The angle of a cosine.
#include "arc.h"

#define TINY_BITS ((uint64_t)(0x3ff - 57) << 52)

EARLY double special_arc_cosine(double x) {
    const uint64_t size = SIZE_BITS(x);
    if (size > ONE_BITS) return 0 / hidden(x - x);
    if (size < TINY_BITS) return HALF_PI + hidden(0x1p-120);
    if (size < SHORT_BITS) return LESS(HALF_PI, x, HALF_PI_LOW - x * short_arc_more(x * x));
    return bits_of(x) >> 63 ? 2 * HALF_PI + hidden(0x1p-120) : 0;
}

#define BODY(suffix, attributes, mad)                                                              \
    static attributes double acos_##suffix(double x) {                                             \
        const uint64_t size = SIZE_BITS(x);                                                        \
        if (size < HALF_BITS) return LESS(HALF_PI, x, mad(-x, ARC_MORE(mad, x * x), HALF_PI_LOW)); \
        const Folded f = FOLDED(suffix, mad, x);                                                   \
        if (bits_of(x) >> 63) return LESS(2 * HALF_PI, 2 * f.root, 2 * HALF_PI_LOW - 2 * f.more);  \
        return mad(2.0, f.more, 2 * f.root);                                                       \
    }

BY_LEVEL_AFTER(double, acos, (double x), (x), BODY,
    if (UNLIKELY(SIZE_BITS(x) - SHORT_BITS >= ONE_BITS - SHORT_BITS)) return special_arc_cosine(x))
