// The logarithm to base 2.
#define NEEDS_LOG2
#include "double.h"

static const LogRow TABLE[128] = LOG2_ROWS;

#define BODY(suffix, attributes, mad)                                                      \
    static attributes double log2_##suffix(uint64_t bits) {                                \
        if (UNLIKELY(bits == ONE_BITS)) return 0;                                          \
        WideSplit parts = wide_split(bits);                                                \
        const LogRow *row = &TABLE[parts.i];                                               \
        double r = product_less_one_##suffix(parts.z, row->inverse);                       \
        double scaled = r * PER_LN2, lost = product_error_##suffix(r, PER_LN2, scaled);    \
        /* Exact: both have few enough bits. */                                            \
        double big = parts.k + row->log, first = big + scaled;                             \
        double rest = (big - first + scaled) + (mad(r, PER_LN2_LOW, lost) + row->log_low); \
        return first + mad(r * r, POLYNOMIAL_OF_6(mad, NEAR_2, r), rest);                  \
    }

WIDE_LOGARITHM(log2, BODY, )
