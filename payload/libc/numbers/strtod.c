// strtof, strtod and strtold: exact, in every rounding mode; where the first of decimal.h's ways is not sure, and for
// hexadecimal numbers that are neither normal nor exact, by musl's own.
#include "exact.h"
#include "special.h"

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
// times the least of all it is.  An addition rounds, as the mode says.
static APART uint64_t tiny(const Product *product, int precision, int negative) {
    const Wide number = product->number, half = (Wide)1 << 127;
    const uint64_t kept = precision > 0 ? (uint64_t)(number >> (128 - precision)) : 0;
    const Wide rest = precision > 0 ? number << precision : number >> -precision;
    const uint64_t one = (uint64_t)(1023 + 52) << 52;
    union {
        uint64_t bits;
        double of;
    } sum = {one | kept};
    double below = rest >= half ? 0.75 : 0.25;
    if (!product->error && rest << 1 == 0) below = rest ? 0.5 : 0;
    sum.of = negative ? -sum.of - below : sum.of + below;
    uint64_t result = (sum.bits << 1 >> 1) - one;
    // musl says nothing of one that becomes a power of two by rounding.
    if (below != 0 && (precision < 0 || result != (uint64_t)1 << precision)) ERRNO = OUT_OF_RANGE;
    return result;
}

// Whether it is at most 2^least by far, or more than 2^(greatest + 1): the logarithm is off by less than two.
INLINE int is_beyond(const Decimal *decimal, int least, int greatest) {
    const int64_t about = ((int64_t)decimal->exponent * 217706 >> 16) + 63 - __builtin_clzll(decimal->digits);
    return (uint64_t)(about - (least - 2)) > (uint64_t)(greatest + 1 - (least - 2));
}

// What differs between the types: `least` and `greatest` are the exponents of the first bit of normal numbers.
typedef struct {
    int kind, precision, least, greatest;
} Type;

// A number of the type from an integer, rounded once, as the mode says.
INLINE double rounded(const Type *type, int64_t number) {
    return type->kind == AS_FLOAT ? (double)(float)number : (double)number;
}

// A number too small for the type, from 2^-600: a float's conversion makes it as small as the mode has it.
INLINE double sized_down(double small, const Type *type) {
    return type->kind == AS_FLOAT ? small : small * 0x1p-600;
}

// So many times the least number of the type, below the least normal one.  A double comes from its bits: a product that is so small
// takes the processor a hundred cycles more.
INLINE double least_times(uint64_t times, int negative, const Type *type) {
    if (type->kind == AS_FLOAT) return (double)(negative ? -(int64_t)times : (int64_t)times) * 0x1p-149;
    return ((union { uint64_t bits; double of; }){times | (uint64_t)negative << 63}).of;
}

// What is no usual decimal number.
static APART double special_number(const char *s, char **end, const Type *type) {
    const Odd odd = special_of(s);
    const int first = odd.exponent + 61, last = odd.size ? odd.exponent + __builtin_ctzll(odd.size) : 0;
    double result = 0;
    if (odd.kind == TWOS && odd.size) {
        const double sized = rounded(type, odd.negative ? -(int64_t)odd.size : (int64_t)odd.size) * 0x1p-61;
        // Nearer to zero than musl looks at, who counts from the first digit's place.
        if (first + 3 - 31 < type->least - type->precision + 1 - 2 * __LDBL_MANT_DIG__) {
            ERRNO = OUT_OF_RANGE;
            if (end) *end = (char *)(uintptr_t)odd.end;
            return sized_down(unknown(odd.negative ? -0x1p-600 : 0x1p-600), type);
        }
        // musl rounds a float twice: its first 32 bits, and with the others.
        const int is_twice = type->kind == AS_FLOAT && odd.size >> 30 & 1 && odd.size << 34;
        if (!is_twice && first >= type->least && first < type->greatest) result = sized * power_of_two(first);
        // Below the least normal number, and exact: so many times the least one of all.
        else if (!is_twice && first < type->least && last > type->least - type->precision)
            result = least_times(odd.size >> (type->least - type->precision + 1 - odd.exponent), odd.negative, type);
        else return (double)narrowed(scanned(s, end, type->kind), type->greatest);
    } else if (odd.kind == TWOS) {
        result = odd.negative ? -0.0 : 0;
    } else if (odd.kind == NO_NUMBER) {
        ERRNO = INVALID;
    } else {
        return (double)narrowed(scanned(s, end, type->kind), type->greatest);
    }
    if (end) *end = (char *)(uintptr_t)odd.end;
    return result;
}

// A decimal number far below the least number of its type or far above the largest.  Its caller sets errno: that is a call, for
// which this function would have to save registers.
INLINE double beyond(uint64_t digits, int ten, int negative, const Type *type) {
    if (ten > 0) return too_large(negative);
    return sized_down(too_small(digits, ten, negative, type->least - type->precision + 1), type);
}

// A decimal number that is no normal one of its type, or may be rounded to infinity; and one that is not sure.
static COLD double extreme(const char *s, char **end, const Decimal *decimal, Product *product, const Type *type) {
    const int negative = decimal->negative;
    const int first = product->exponent + 127, left = first - type->least + type->precision;
    double result;
    if (first > type->greatest) {
        ERRNO = OUT_OF_RANGE;
        result = too_large(negative);
    } else if (left < -1) {
        // Less than half the least number, whatever the error is.
        ERRNO = OUT_OF_RANGE;
        result = beyond(decimal->digits, decimal->exponent, negative, type);
    } else if (!is_sure(product, first < type->least ? left : type->precision) &&
        !made_sure(s, decimal->exponent, first < type->least ? left : type->precision, product)) {
        return (double)narrowed(scanned(s, end, type->kind), type->greatest);
    } else if (product->exponent + 127 < type->least) {
        const uint64_t times = tiny(product, product->exponent + 127 - type->least + type->precision, negative);
        // errno is set.
        if (!times) result = beyond(decimal->digits, decimal->exponent, negative, type);
        else result = least_times(times, negative, type);
    } else {
        const Binary binary = binary_of(product);
        result = rounded(type, negative ? -binary.size : binary.size) * 0x1p-62 * power_of_two(product->exponent + 127);
        const double size = negative ? -result : result;
        if (size >= (type->kind == AS_FLOAT ? 0x1p128 : __builtin_inf())) ERRNO = OUT_OF_RANGE;
    }
    if (end) *end = (char *)(uintptr_t)decimal->end;
    return result;
}

// Digits and ten's power that are numbers of the type themselves: one operation rounds once (W. D. Clinger, "How to
// read floating point numbers accurately", 1990).  Elsewhere one conversion does, of what is in the range of normal
// numbers.  -1 for the sign before rounding: the mode may go by it.
#define DEFINE(Float, name, kind, precision, exact, least, greatest)                                     \
    HIDDEN Float brawn_##name(const char *restrict s, char **restrict end) {                             \
        static const Type type = {kind, precision, least, greatest};                                     \
        Decimal decimal = decimal_of(s);                                                                 \
        if (UNLIKELY(decimal.word != 0)) {                                                               \
            if (end) *end = (char *)(uintptr_t)s;                                                        \
            return (Float)worded(decimal.word, end, decimal.negative);                                   \
        }                                                                                                \
        if (UNLIKELY(decimal.end == 0)) return (Float)special_number(s, end, &type);                     \
        Float result;                                                                                    \
        int64_t digits = (int64_t)decimal.digits;                                                        \
        if ((decimal.digits <= (uint64_t)1 << precision && !decimal.more && decimal.exponent <= exact && \
                decimal.exponent >= -exact) ||                                                           \
            !digits) {                                                                                   \
            result = (Float)(decimal.negative ? -digits : digits);                                       \
            if (digits == 0) result = decimal.negative ? -(Float)0 : 0;                                  \
            else if (decimal.exponent < 0) result /= EXACT_##Float[-decimal.exponent];                   \
            else result *= EXACT_##Float[decimal.exponent];                                              \
            if (end) *end = (char *)(uintptr_t)decimal.end;                                              \
            return result;                                                                               \
        }                                                                                                \
        if (UNLIKELY(is_beyond(&decimal, least - precision, greatest))) {                                \
            if (end) *end = (char *)(uintptr_t)decimal.end;                                              \
            ERRNO = OUT_OF_RANGE;                                                                        \
            return (Float)beyond(decimal.digits, decimal.exponent, decimal.negative, &type);             \
        }                                                                                                \
        const Product product = product_of(&decimal);                                                    \
        const int first = product.exponent + 127;                                                        \
        if (UNLIKELY(first < least || first >= greatest || !is_sure(&product, precision))) {             \
            /* What has an address is a copy: `decimal` and `product` stay in registers. */              \
            const Decimal as_read = decimal;                                                             \
            Product as_found = product;                                                                  \
            return (Float)extreme(s, end, &as_read, &as_found, &type);                                   \
        }                                                                                                \
        const Binary binary = binary_of(&product);                                                       \
        result = (Float)(decimal.negative ? -binary.size : binary.size);                                 \
        if (end) *end = (char *)(uintptr_t)decimal.end;                                                  \
        return (Float)(result * 0x1p-62 * power_of_two(first));                                          \
    }                                                                                                    \
    NAME(name, brawn_##name)                                                                             \
    NAME(name##_l, brawn_##name)                                                                         \
    NAME(__##name##_l, brawn_##name)

DEFINE(double, strtod, AS_DOUBLE, 53, 22, -1022, 1023)
DEFINE(float, strtof, AS_FLOAT, 24, 10, -126, 127)

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

// What a double rounded to, as a long double rounds: infinity or the largest number, and zero or the least one.  The double's own
// operation raised the exceptions; a long double's takes the processor a hundred cycles more.
INLINE long double largest_or_infinite(double large) {
    const int negative = large < 0;
    if ((negative ? -large : large) == __builtin_inf()) return large;
    return of_parts(~(uint64_t)0, 16383 - 63, negative);
}

INLINE long double least_or_zero(double small) {
    if (LIKELY(small == 0)) return small;
    return of_parts(1, -16383 - 63, small < 0);
}

// Of any power of ten that a long double may have; of a longer number the first 38 digits.
static Product far_product_of(const char *s, const Decimal *decimal) {
    const int near = decimal->exponent >= POWER_STEP * POWER_FIRST && decimal->exponent < POWER_STEP * (POWER_LAST + 1);
    if (near && !decimal->more) return product_of(decimal);
    uint64_t high = 0, low = decimal->digits;
    int ten = decimal->exponent;
    FirstDigits first;
    first.more = 0;
    if (decimal->more) {
        read_first(s, ten, 2 * MOST_DIGITS, &first);
        // 20 digits may fit into a word.
        high = first.whole.n > 1 ? first.whole.words[1] : 0;
        low = first.whole.words[0];
        ten = first.exponent;
    }
    const int shift = high ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
    Product product = {((Wide)high << 64 | low) << shift, (Wide)first.more << shift, -shift};
    times_ten(&product, ten);
    return product;
}

// As above: 64 bits hold all digits and all powers of ten that are in FINE, and one operation rounds.
static int read_long_double(const char *s, const Decimal *decimal, long double *result) {
    int ten = decimal->exponent, size = ten < 0 ? -ten : ten, negative = decimal->negative;
    if (size < POWER_STEP && !decimal->more) {
        int shift = __builtin_clzll(decimal->digits);
        long double digits = of_parts(decimal->digits << shift, -shift, negative);
        long double power = of_parts(FINE[size], POWER_EXPONENT(size) + 64, 0);
        *result = ten < 0 ? digits / power : digits * power;
        return 1;
    }
    if (UNLIKELY(ten > 4940)) {
        ERRNO = OUT_OF_RANGE;
        *result = largest_or_infinite(too_large(negative));
        return 1;
    }
    if (UNLIKELY(ten < -4980)) {
        ERRNO = OUT_OF_RANGE;
        *result = least_or_zero(too_small(decimal->digits, ten, negative, -16445) * 0x1p-600);
        return 1;
    }
    Product product = far_product_of(s, decimal);
    const int first = product.exponent + 127;
    // Its power of two has to be a normal number.
    if (first < -16300 || first > 16380) return 0;
    if (!is_sure(&product, 64) && !made_sure(s, decimal->exponent, 64, &product)) return 0;
    uint64_t low = (uint64_t)product.number;
    long double below = low >> 63 ? 0.5L : 0;
    if (low << 1 || product.error) below += 0.25L;
    long double whole = of_parts((uint64_t)(product.number >> 64), 0, negative);
    whole = negative ? whole - below : whole + below;
    *result = whole * of_parts((uint64_t)1 << 63, product.exponent + 64 - 63, 0);
    return 1;
}

static APART int read_odd_long_double(const char *s, const char **end, long double *result) {
    const Odd odd = special_of(s);
    const int first = odd.exponent + 61;
    switch (odd.kind) {
    case TWOS:
        if (odd.more || first < -16382 || first > 16382) return 0;
        *result = odd.size ? of_parts(odd.size << 2, odd.exponent - 2, odd.negative) : odd.negative ? -0.0L
                                                                                                    : 0.0L;
        break;
    case NO_NUMBER:
        ERRNO = INVALID;
        *result = 0;
        break;
    default: return 0;
    }
    *end = odd.end;
    return 1;
}
#endif

// On aarch64 by musl's own: 128 bits with an error are too few for a type with 113.
HIDDEN long double brawn_strtold(const char *restrict s, char **restrict end) {
#ifdef __x86_64__
    Decimal decimal = decimal_of(s);
    if (UNLIKELY(decimal.word != 0)) {
        if (end) *end = (char *)(uintptr_t)s;
        return (long double)worded(decimal.word, end, decimal.negative);
    }
    if (decimal.end && !decimal.digits) {
        if (end) *end = (char *)(uintptr_t)decimal.end;
        return decimal.negative ? -0.0L : 0.0L;
    }
    const char *behind = decimal.end;
    long double result;
    if (LIKELY(behind != 0) ? read_long_double(s, &decimal, &result) : read_odd_long_double(s, &behind, &result)) {
        if (end) *end = (char *)(uintptr_t)behind;
        return result;
    }
#endif
    return scanned(s, end, AS_LONG_DOUBLE);
}
NAME(strtold, brawn_strtold)
NAME(strtold_l, brawn_strtold)
NAME(__strtold_l, brawn_strtold)
