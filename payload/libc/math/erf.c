// The error function and what it lacks to 1: by polynomials around the middle of each eighth up to 6, and, for erfc from
// 1 on, as e^(-x^2) times a slow function.
#include "exp_table.h"
#include "tables-error.h"

#define SIZE_BITS(x) (bits_of(x) & ~MINUS_BIT)
#define TINY_BITS ((uint64_t)(0x3ff - 28) << 52)
#define SIX_BITS 0x4018000000000000
#define PER_ROOT 0x1.06eba8214db69p-3  // 2 / sqrt(pi) - 1

enum { FIRST_ROW = 3 };

// A value in two parts.
typedef struct {
    double first, rest;
} Parted;

#define POLYNOMIAL_9(mad, c, z)                                                            \
    ({                                                                                     \
        const double square_ = (z) * (z), fourth_ = square_ * square_;                     \
        const double low_ = mad(square_, mad((c)[3], z, (c)[2]), mad((c)[1], z, (c)[0]));  \
        const double high_ = mad(square_, mad((c)[7], z, (c)[6]), mad((c)[5], z, (c)[4])); \
        mad(fourth_, mad(fourth_, (c)[8], high_), low_);                                   \
    })

// For x from 0 to 6, but for the last number below: of that and 8 the sum is 14.
#define ERF_PARTS(mad, x)                                                                                      \
    ({                                                                                                         \
        /* Of x + 8, the first six bits of the fraction are x's eighth; in integers, for any rounding mode. */ \
        const uint64_t bits_ = bits_of((x) + 8), i_ = bits_ >> 46 & 63;                                        \
        const int is_small_ = i_ <= FIRST_ROW;                                                                 \
        const ErrorRow *row_ = &ERF_ROWS[is_small_ ? 0 : i_ - FIRST_ROW];                                      \
        /* Exact: x is from an eighth to the next. */                                                          \
        const double t_ = (x) - (double_of(bits_ >> 46 << 46) - (8 - 0.0625));                                 \
        const double z_ = is_small_ ? (x) * (x) : t_, by_ = is_small_ ? (x) : t_;                              \
        (Parted){is_small_ ? (x) : row_->first, mad(by_, POLYNOMIAL_9(mad, row_->terms, z_), row_->rest)};     \
    })

EARLY double special_error(double x) {
    if (SIZE_BITS(x) > INFINITE_BITS) return x + x;
    const double one = double_of(ONE_BITS | (bits_of(x) & MINUS_BIT));
    if (SIZE_BITS(x) == INFINITE_BITS) return one;
    if (SIZE_BITS(x) < TINY_BITS) return 0.0625 * (16 * x + 16 * PER_ROOT * x);
    return one - double_of(LEAST_NORMAL | (bits_of(x) & MINUS_BIT));
}

#define ERF_BODY(suffix, attributes, mad)                                               \
    static attributes double erf_##suffix(double x) {                                   \
        const uint64_t size = SIZE_BITS(x);                                             \
        const double positive = double_of(size);                                        \
        const Parted parts = ERF_PARTS(mad, positive);                                  \
        return double_of(bits_of(parts.first + parts.rest) | (bits_of(x) & MINUS_BIT)); \
    }

BY_LEVEL_AFTER(double, erf, (double x), (x), ERF_BODY,
    if (UNLIKELY(SIZE_BITS(x) - TINY_BITS >= SIX_BITS - 1 - TINY_BITS)) return special_error(x))

// Below the first 1 is the result, below the second a few terms of the series do.
#define NOTHING_BITS ((uint64_t)(0x3ff - 60) << 52)
#define SHORT_BITS ((uint64_t)(0x3ff - 6) << 52)
#define LAST_BITS 0x403c000000000000  // 28
#define SCALE 200

EARLY double special_complement(double x) {
    const uint64_t minus = bits_of(x) & MINUS_BIT;
    if (SIZE_BITS(x) >= INFINITE_BITS) return double_of(minus >> 1) + 1 / x;
    if (SIZE_BITS(x) < NOTHING_BITS) return 1 - x;
    if (SIZE_BITS(x) < SHORT_BITS) {
        const double s = x * x;
        return 1 - x * (1 + PER_ROOT + s * (-(1 + PER_ROOT) / 3 + s * ((1 + PER_ROOT) / 10 + s * (-(1 + PER_ROOT) / 42))));
    }
    return minus ? 2 - hidden(0x1p-1022) : hidden(0x1p-1022) * 0x1p-1022;
}

#define ERFC_BODY(suffix, attributes, mad)                                                                                \
    static attributes double erfc_##suffix(double x) {                                                                    \
        const uint64_t bits = bits_of(x), size = SIZE_BITS(x);                                                            \
        if (UNLIKELY(bits >> 63 && size >= SIX_BITS - 1)) return 2 - hidden(0x1p-1022);                                   \
        if (size < ONE_BITS || bits >> 63) {                                                                              \
            const double positive = double_of(size), sign = bits >> 63 ? -1 : 1;                                          \
            const Parted parts = ERF_PARTS(mad, positive);                                                                \
            const double first = 1 - sign * parts.first, lost = 1 - first - sign * parts.first;                           \
            return first + (lost - sign * parts.rest);                                                                    \
        }                                                                                                                 \
        const double square = -x * x, square_lost = product_error_##suffix(-x, x, square);                                \
        const double shifted = mad(square, PER_STEP, NEAREST), k = shifted - NEAREST;                                     \
        const ExpRow *row = &brawn_exp_table[bits_of(shifted) % STEPS];                                                   \
        const double r = mad(k, -STEP, square), all = r + (mad(k, -STEP_LOW, row->rest) + square_lost);                   \
        const double z = all * all, more = mad(z * z, mad(all, 1 / 120.0, 1 / 24.0), z * mad(all, 1 / 6.0, 0.5));         \
        /* Times 2^200, and less at the end: it may be subnormal. */                                                      \
        const double power = double_of(row->bits + (bits_of(shifted) << 45) + ((uint64_t)SCALE << 52));                   \
        const double below = x + 4, below_lost = x - (below - 4), inverse = 1 / below, y = (x - 4) * inverse;             \
        double slow = ERFC[21];                                                                                           \
        for (int i = 20; i > 0; i--) slow = mad(slow, y, ERFC[i]);                                                        \
        const double product = slow * y, whole = ERFC[0] + product, lost = ERFC[0] - whole + product;                     \
        /* What y, whole and below lack, in parts of the whole; the slope is about -0.55. */                              \
        const double y_lost = (product_error_##suffix(y, below, x - 4) + y * below_lost) * inverse;                       \
        const double parts = lost / whole + 0.55 * y_lost - below_lost * inverse;                                         \
        const double quotient = whole / below, quotient_lost = -product_error_##suffix(quotient, below, whole) * inverse; \
        const double result = power * quotient, result_lost = product_error_##suffix(power, quotient, result);            \
        const double rest = mad(result, all + (more + parts), mad(power, quotient_lost, result_lost));                    \
        return (result + rest) * 0x1p-200;                                                                                \
    }

BY_LEVEL_AFTER(double, erfc, (double x), (x), ERFC_BODY,
    if (UNLIKELY(SIZE_BITS(x) - SHORT_BITS >= LAST_BITS - SHORT_BITS)) return special_complement(x))
