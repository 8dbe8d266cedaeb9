// The logarithm to base 10: the natural one in two parts, times 1 / log(10).  That of a power of ten is exact.
#include "log_table.h"

#define BODY(suffix, attributes, mad)                                                             \
    static attributes double log10_##suffix(uint64_t bits) {                                      \
        if (UNLIKELY(bits == ONE_BITS)) return 0;                                                 \
        WideSplit parts = wide_split(bits);                                                       \
        const LogRow *row = &brawn_log_table[parts.i];                                            \
        double r = product_less_one_##suffix(parts.z, row->inverse);                              \
        double big = mad(parts.k, LN2, row->log), first = big + r;                                \
        double rest = (big - first + r) + mad(parts.k, LN2_LOW, row->log_low);                    \
        rest = mad(r * r, POLYNOMIAL_OF_6(mad, NEAR, r), rest);                                   \
        double scaled = first * PER_LN10, lost = product_error_##suffix(first, PER_LN10, scaled); \
        return scaled + mad(rest, PER_LN10, mad(first, PER_LN10_LOW, lost));                      \
    }

// As in musl, a NaN that signals raises nothing, unless it is negative.
WIDE_LOGARITHM(log10, BODY, if (bits > INFINITE_BITS && !(bits >> 63)) return x)
