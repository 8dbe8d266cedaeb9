// The tangent: of the nearest of 32 places, up to an eighth of the circle, from a table, and t = tan(r) of what is left:
// tan(b + r) = (B + t) / (1 - B * t), and a quarter further on -(1 - B * t) / (B + t).  Both are in two parts, divided once.
#define NEEDS_TANGENTS
#include "circle.h"

enum { TANGENT_PLACES = 32 };
_Static_assert(sizeof TANGENTS / sizeof *TANGENTS == TANGENT_PLACES && TANGENT_PLACES * 4 == PLACES, "a quarter");

// Below a half the series does, where a product and a sum are rounded together; else it would be off by two thirds of the last bit.
#define IS_MIDDLE_plain(size) 0
#define IS_MIDDLE_fused(size) ((size) < (uint64_t)(0x3ff - 1) << 52)
_Static_assert(sizeof TANGENT / sizeof *TANGENT == 11, "what TERMS has");
#define TERMS(mad, s) mad(POLYNOMIAL_5(mad, TANGENT + 6, s), (s) * (s) * (s) * ((s) * (s) * (s)), POLYNOMIAL_6(mad, TANGENT, s))

#define BODY(suffix, attributes, mad)                                                                              \
    static attributes double tan_##suffix(double x) {                                                              \
        const uint64_t size = SIZE_BITS(x);                                                                        \
        if (UNLIKELY(size >= INFINITE_BITS)) return x - x;                                                         \
        if (IS_MIDDLE_##suffix(size)) return mad(x * (x * x), TERMS(mad, x * x), x);                               \
        const Turned t = turned_##suffix(x);                                                                       \
        const unsigned place = t.n + TANGENT_PLACES / 2;                                                           \
        const CircleRow *const row = &TANGENTS[place % TANGENT_PLACES];                                            \
        /* tan(r) - r: the series' next term is below 2^-60 of r. */                                               \
        const double s = t.r * t.r, terms = mad(s, mad(s, mad(s, 62 / 2835.0, 17 / 315.0), 2 / 15.0), 1 / 3.0);    \
        const double more = mad(t.r * s, terms, t.low), product = row->first * t.r;                                \
        /* Sums of two parts, the first one the larger. */                                                         \
        const double sum = row->first + t.r, sum_rest = (row->first - sum + t.r) + (row->rest + more);             \
        const double less = 1 - product, product_rest = product_error_##suffix(row->first, t.r, product);          \
        const double less_rest = (1 - less - product) - (product_rest + mad(row->first, more, row->rest * t.r));   \
        const double a = sum + sum_rest, b = less + less_rest;                                                     \
        const double a_rest = sum - a + sum_rest, b_rest = less - b + less_rest;                                   \
        /* No branch depends on the quarter: a processor cannot foresee it. */                                     \
        const Pair parts[] = {{b, b_rest}, {a, a_rest}, {-b, -b_rest}};                                            \
        const unsigned turned = place / TANGENT_PLACES % 2;                                                        \
        const Pair below = parts[turned], above = parts[turned + 1];                                               \
        const double inverse = 1 / below.first, y = above.first * inverse;                                         \
        const double lost = mad(-y, below.rest, above.rest) - product_error_##suffix(y, below.first, above.first); \
        return mad(lost, inverse, y);                                                                              \
    }

BY_LEVEL_AFTER(double, tan, (double x), (x), BODY, if (IS_SHORT(x)) return short_tangent(x))
