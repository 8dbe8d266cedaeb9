// The logarithm to base 10: the natural one in double, times 1 / log(10).
#define NEEDS_LOG
#include "logarithm.h"

#define BODY(suffix, attributes, mad)                                                          \
    static attributes float log10f_##suffix(uint32_t bits) {                                   \
        if (UNLIKELY(bits == 0x3f800000)) return 0;                                            \
        Split parts = split(bits);                                                             \
        double r = mad(parts.z, LOG_TABLE[2 * parts.i], -1.0);                                 \
        double big = mad((double)parts.k, 0x1.62e42fefa39efp-1, LOG_TABLE[2 * parts.i + 1]);   \
        return (float)(mad(r * r, POLYNOMIAL_4(mad, LOG, r), big + r) * 0x1.bcb7b1526e50ep-2); \
    }

LOGARITHM(log10f, BODY)
