// The natural logarithm.
#include "log_table.h"

#define BODY(suffix, attributes, mad)                                          \
    static attributes double log_##suffix(uint64_t bits) {                     \
        if (UNLIKELY(bits == ONE_BITS)) return 0;                              \
        WideSplit parts = wide_split(bits);                                    \
        const LogRow *row = &brawn_log_table[parts.i];                         \
        double r = product_less_one_##suffix(parts.z, row->inverse);           \
        /* Exact: both have few enough bits. */                                \
        double big = mad(parts.k, LN2, row->log), first = big + r;             \
        double rest = (big - first + r) + mad(parts.k, LN2_LOW, row->log_low); \
        return first + mad(r * r, POLYNOMIAL_OF_6(mad, NEAR, r), rest);        \
    }

WIDE_LOGARITHM(log, BODY, )
