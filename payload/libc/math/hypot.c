// The square root of x^2 + y^2: both squares, and what their doubles lack, in one sum.  To nearest, musl's bits (1.2.5,
// src/math/hypot.c), which has the squares' errors by T. J. Dekker's way; in other rounding modes this is nearer.
#include "double.h"

// From here on a square is too large, and below this its error may be too small.
#define LARGE_BITS ((uint64_t)(0x3ff + 511) << 52)
#define SMALL_BITS ((uint64_t)(0x3ff - 450) << 52)

#ifdef __x86_64__
#define ROOT(x) _mm_cvtsd_f64(_mm_sqrt_sd(_mm_set_sd(x), _mm_set_sd(x)))
#endif

#define BODY(suffix, attributes, mad)                                                                                  \
    static attributes double hypot_##suffix(uint64_t most, uint64_t least) {                                           \
        double scale = 1;                                                                                              \
        /* Where a square is too large or its error too small. */                                                      \
        if (UNLIKELY(most >= LARGE_BITS || least < SMALL_BITS)) {                                                      \
            scale = most >= LARGE_BITS ? 0x1p700 : 0x1p-700;                                                           \
            const double by = most >= LARGE_BITS ? 0x1p-700 : 0x1p700;                                                 \
            most = bits_of(double_of(most) * by);                                                                      \
            least = bits_of(double_of(least) * by);                                                                    \
        }                                                                                                              \
        const double m = double_of(most), n = double_of(least), m_square = m * m, n_square = n * n;                    \
        const double m_lost = product_error_##suffix(m, m, m_square), n_lost = product_error_##suffix(n, n, n_square); \
        const double sum = n_lost + m_lost + n_square + m_square;                                                      \
        return scale * ROOT(sum);                                                                                      \
    }

// First infinity, whatever the other is; a NaN; one of them alone, or nearly.
#define IS_SPECIAL(a) UNLIKELY((a) - SMALL_BITS >= LARGE_BITS - SMALL_BITS)

BY_LEVEL_AFTER(
    double, hypot, (double x, double y), (most, least), BODY,
    const uint64_t a = bits_of(x) & ~MINUS_BIT, b = bits_of(y) & ~MINUS_BIT;
    const uint64_t most = a > b ? a : b, least = a > b ? b : a; if (IS_SPECIAL(a) || IS_SPECIAL(b)) {
        if (most >= INFINITE_BITS) return double_of(least < INFINITE_BITS ? most : least);
        if (least == 0 || (a >> 52) - (b >> 52) + 64 > 128) return double_of(a) + double_of(b);
    })
