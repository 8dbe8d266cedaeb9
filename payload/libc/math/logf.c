// The natural logarithm.
#define NEEDS_LOG
#include "logarithm.h"

#define BODY(suffix, attributes, mad)                                                        \
    static attributes float logf_##suffix(uint32_t bits) {                                   \
        if (UNLIKELY(bits == 0x3f800000)) return 0;                                          \
        Split parts = split(bits);                                                           \
        double r = mad(parts.z, LOG_TABLE[2 * parts.i], -1.0);                               \
        double big = mad((double)parts.k, 0x1.62e42fefa39efp-1, LOG_TABLE[2 * parts.i + 1]); \
        return (float)mad(r * r, POLYNOMIAL_4(mad, LOG, r), big + r);                        \
    }

LOGARITHM(logf, BODY)
