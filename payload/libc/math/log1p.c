// The logarithm of 1 + x: of the sum, and of what it lacks.
#include "log_table.h"

#define SIZE_BITS(x) (bits_of(x) & ~MINUS_BIT)
#define TWO_BITS ((uint64_t)0x400 << 52)
#define TINY_BITS ((uint64_t)(0x3ff - 54) << 52)

EARLY double special_log1p(double x) {
    if (SIZE_BITS(x) < TINY_BITS) return small_itself(x);
    if (!(bits_of(x) >> 63)) return x;
    return bits_of(x) == (ONE_BITS | MINUS_BIT) ? -1 / hidden(0.0) : no_number(x);
}

#define BODY(suffix, attributes, mad)                                                                            \
    static attributes double log1p_##suffix(double x) {                                                          \
        const double sum = 1 + x, of_x = sum - 1, lost = (1 - (sum - of_x)) + (x - of_x);                        \
        const WideSplit parts = wide_split(bits_of(sum));                                                        \
        const LogRow *row = &brawn_log_table[parts.i];                                                           \
        const double r = product_less_one_##suffix(parts.z, row->inverse);                                       \
        /* What the sum lacks, as r has it: nothing that can be seen where 2^(1 - k) is zero. */                 \
        const double scale = double_of(bits_of(parts.z) - bits_of(sum) + TWO_BITS);                              \
        const double r_lost = lost * scale * (0.5 * row->inverse);                                               \
        const double big = mad(parts.k, LN2, row->log), first = big + r;                                         \
        const double rest = (big - first + r) + (mad(parts.k, LN2_LOW, row->log_low) + mad(-r, r_lost, r_lost)); \
        return first + mad(r * r, POLYNOMIAL_OF_6(mad, NEAR, r), rest);                                          \
    }

BY_LEVEL_AFTER(double, log1p, (double x), (x), BODY,
    if (UNLIKELY(SIZE_BITS(x) - TINY_BITS >= INFINITE_BITS - TINY_BITS || bits_of(x) >= (ONE_BITS | MINUS_BIT))) return special_log1p(x))
