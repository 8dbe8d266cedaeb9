// strtof, strtod and strtold: exact, in every rounding mode; where the first of decimal.h's ways is not sure, and for
// hexadecimal numbers, NaNs, infinities, and numbers too large, by musl's own.
#include "scanned.h"
#include "integer.h"

// As musl does it (src/stdlib/strtod.c): the text is a stream without an end.
static COLD long double scanned(const char *s, char **end, int precision) {
    // What is not set here is not read.
    Text text;
    text.buffer = text.rpos = (unsigned char *)(uintptr_t)s;
    text.rend = (unsigned char *)-1;
    __shlim(&text, 0);
    long double result = __floatscan(&text, precision, 1);
    int64_t length = text.shcnt + (text.rpos - text.buffer);
    if (end) *end = length ? (char *)(uintptr_t)s + length : (char *)(uintptr_t)s;
    return result;
}

#define EXACT_POWERS(type, ...) static const type EXACT_##type[] = {__VA_ARGS__}
EXACT_POWERS(double, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22);
EXACT_POWERS(float, 1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f);

// A number below the least normal one, of which `precision` bits are left (none, or fewer than none, perhaps): how many
// times the least of all it is.  An addition rounds, as the mode says.  Such a number is never exact: its power of
// ten is not.
static __attribute__((noinline)) uint64_t tiny(Product product, int precision, int negative) {
    uint64_t kept = precision > 0 ? (uint64_t)(product.number >> (128 - precision)) : 0;
    int half = precision >= 0 && (product.number >> (127 - precision) & 1);
    const uint64_t one = (uint64_t)(1023 + 52) << 52;
    union {
        uint64_t bits;
        double of;
    } sum = {one | kept};
    double below = half ? 0.75 : 0.25;
    sum.of = negative ? -sum.of - below : sum.of + below;
    uint64_t result = (sum.bits << 1 >> 1) - one;
    // musl says nothing of one that becomes a power of two by rounding.
    if (precision < 0 || result != (uint64_t)1 << precision) ERRNO = OUT_OF_RANGE;
    return result;
}

// Digits and ten's power that are numbers of the type themselves: one operation rounds once (W. D. Clinger, "How to
// read floating point numbers accurately", 1990).  Elsewhere one conversion does, of what is in the range of normal
// numbers.  -1 for the sign before rounding: the mode may go by it.
#define DEFINE(Float, Bits, name, kind, precision, exact, least, greatest)                                    \
    HIDDEN Float brawn_##name(const char *restrict s, char **restrict end) {                                  \
        Decimal decimal = decimal_of(s);                                                                      \
        if (LIKELY(decimal.end != 0)) {                                                                       \
            Float result;                                                                                     \
            int64_t digits = (int64_t)decimal.digits;                                                         \
            if (decimal.digits <= (uint64_t)1 << precision && !decimal.more && decimal.exponent <= exact &&   \
                decimal.exponent >= -exact) {                                                                 \
                result = (Float)(decimal.negative ? -digits : digits);                                        \
                if (decimal.exponent < 0) result /= EXACT_##Float[-decimal.exponent];                         \
                else result *= EXACT_##Float[decimal.exponent];                                               \
                if (digits == 0 && decimal.negative) result = -(Float)0;                                      \
                if (end) *end = (char *)(uintptr_t)decimal.end;                                               \
                return result;                                                                                \
            }                                                                                                 \
            if (digits) {                                                                                     \
                Product product = product_of(&decimal);                                                       \
                int first = product.exponent + 127;                                                           \
                if (LIKELY(product.number && first >= least && first + 1 < greatest)) {                       \
                    if (is_sure(&product, precision)) {                                                       \
                        Binary binary = binary_of(&product);                                                  \
                        result = (Float)(decimal.negative ? -binary.size : binary.size);                      \
                        if (end) *end = (char *)(uintptr_t)decimal.end;                                       \
                        return (Float)(result * 0x1p-62 * power_of_two(binary.exponent + 62));                \
                    }                                                                                         \
                } else if (product.number && first < least && is_sure(&product, first - least + precision)) { \
                    Bits bits = (Bits)tiny(product, first - least + precision, decimal.negative);             \
                    if (decimal.negative) bits |= (Bits)1 << (sizeof bits * 8 - 1);                           \
                    if (end) *end = (char *)(uintptr_t)decimal.end;                                           \
                    /* The sign of musl's zero goes by the mode. */                                           \
                    if (LIKELY((Bits)(bits << 1))) return ((union { Bits bits; Float of; }){bits}).of;                             \
                }                                                                                             \
            }                                                                                                 \
        }                                                                                                     \
        return (Float)narrowed(scanned(s, end, kind), greatest);                                              \
    }                                                                                                         \
    NAME(name, brawn_##name)                                                                                  \
    NAME(name##_l, brawn_##name)                                                                              \
    NAME(__##name##_l, brawn_##name)

DEFINE(double, uint64_t, strtod, AS_DOUBLE, 53, 22, -1022, 1023)
DEFINE(float, uint32_t, strtof, AS_FLOAT, 24, 10, -126, 127)

#ifdef __x86_64__
// The 80-bit number size * 2^exponent, size from 2^63 on.
INLINE long double of_parts(uint64_t size, int exponent, int negative) {
    union {
        struct {
            uint64_t size;
            uint16_t exponent;
        } parts;
        long double of;
    } to;
    to.parts.size = size;
    to.parts.exponent = (uint16_t)((exponent + 63 + 16383) | (negative ? 0x8000 : 0));
    return to.of;
}

// As above: 64 bits hold all digits and all powers of ten that are in FINE, and one operation rounds.
static int read_long_double(const Decimal *decimal, long double *result) {
    int ten = decimal->exponent, size = ten < 0 ? -ten : ten, negative = decimal->negative;
    if (!decimal->digits) {
        *result = negative ? -0.0L : 0.0L;
        return 1;
    }
    if (size < POWER_STEP && !decimal->more) {
        int shift = __builtin_clzll(decimal->digits);
        long double digits = of_parts(decimal->digits << shift, -shift, negative);
        long double power = of_parts(FINE[size], POWER_EXPONENT(size) + 64, 0);
        *result = ten < 0 ? digits / power : digits * power;
        return 1;
    }
    Product product = product_of(decimal);
    if (!product.number || !is_sure(&product, 64)) return 0;
    uint64_t low = (uint64_t)product.number;
    long double below = low >> 63 ? 0.5L : 0;
    if (low << 1 || product.error) below += 0.25L;
    long double whole = of_parts((uint64_t)(product.number >> 64), 0, negative);
    whole = negative ? whole - below : whole + below;
    *result = whole * of_parts((uint64_t)1 << 63, product.exponent + 64 - 63, 0);
    return 1;
}
#endif

// On aarch64 by musl's own: 128 bits with an error are too few for a type with 113.
HIDDEN long double brawn_strtold(const char *restrict s, char **restrict end) {
#ifdef __x86_64__
    Decimal decimal = decimal_of(s);
    long double result;
    if (LIKELY(decimal.end != 0) && read_long_double(&decimal, &result)) {
        if (end) *end = (char *)(uintptr_t)decimal.end;
        return result;
    }
#endif
    return scanned(s, end, AS_LONG_DOUBLE);
}
NAME(strtold, brawn_strtold)
NAME(strtold_l, brawn_strtold)
NAME(__strtold_l, brawn_strtold)
