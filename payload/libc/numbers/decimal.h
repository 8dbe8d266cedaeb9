// A decimal number as text, to a size and an exponent of two that one conversion rounds.
//
// Up to 19 digits are an integer, times a power of ten.  Ten's power comes as the product of two table entries in 128
// bits, off by less than two in the last of them, and the product with the digits then by less than three.  The first
// 63 bits, the last one set for all that is below, are then what the number is rounded from, unless an error that small
// would lead to other bits: about once in 2^60 numbers.  (The idea of stopping there is D. Lemire's, "Number parsing at a gigabyte per
// second", 2021; 10 KiB of table became 600 bytes by the product of two.)  What is not sure is left to the caller's exact way.
#pragma once
#include "product.h"

typedef struct {
    const char *end;  // Behind the number; 0 if this is no decimal number of a usual kind.
    const char *word;  // Where there is neither a digit nor a point; else 0.
    uint64_t digits;  // The first 19 from the first that is not zero on.
    int exponent;  // Of ten.
    int more;  // Whether there were others, not all zero, behind them.
    int negative;
} Decimal;

INLINE unsigned digit_of(char c) {
    return (unsigned)(unsigned char)c - '0';
}

// Whether eight bytes are all digits, and what they say (D. Lemire, the same paper, section 5).
INLINE int eight_digits(uint64_t bytes) {
    return (((bytes & 0xf0f0f0f0f0f0f0f0) | (((bytes + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) == 0x3333333333333333);
}

INLINE uint64_t value_of_eight(uint64_t bytes) {
    bytes = (bytes & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    bytes = (bytes & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    return (bytes & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

enum { MOST_DIGITS = 19 };

// Digits that come after the first 19: where they end.
static COLD const char *further(const char *s, int *more) {
    int any = 0;
    for (; FITS_IN(s, 8) && eight_digits(GET64(s)); s += 8) any |= GET64(s) != 0x3030303030303030;
    for (; digit_of(*s) < 10; s++) any |= digit_of(*s) != 0;
    *more = any;
    return s;
}

// Digits from s on; `count` is how many there are already, without zeros in front.
INLINE const char *some_digits(const char *s, Decimal *decimal, int *count, int after_point) {
    uint64_t digits = decimal->digits;
    const char *start = s;
    int have = *count;
    if (have == 0) {
        while (*s == '0') s++;
    }
    while (have <= MOST_DIGITS - 8 && FITS_IN(s, 8) && eight_digits(GET64(s))) {
        digits = digits * 100000000 + value_of_eight(GET64(s));
        have += 8, s += 8;
    }
    for (; have < MOST_DIGITS && digit_of(*s) < 10; s++, have++) digits = digits * 10 + digit_of(*s);
    decimal->digits = digits;
    *count = have;
    if (after_point) decimal->exponent -= (int)(s - start);
    if (UNLIKELY(digit_of(*s) < 10)) {
        int more;
        start = s;
        s = further(s, &more);
        decimal->more |= more;
        if (!after_point) decimal->exponent += (int)(s - start);
    }
    return s;
}

// Reads what strtod does, but for hexadecimal numbers, infinities and NaNs, and oddities, for which `end` is 0.
INLINE Decimal decimal_of(const char *s) {
    Decimal decimal = {0, 0, 0, 0, 0, 0};
    while (*s == ' ' || (unsigned)(unsigned char)*s - '\t' < 5) s++;
    if (*s == '-' || *s == '+') decimal.negative = *s++ == '-';
    if (UNLIKELY(digit_of(*s) >= 10 && *s != '.')) {
        decimal.word = s;
        return decimal;
    }
    int count = 0;
    const char *start = s;
    if (*s == '0' && (s[1] | 32) == 'x') return decimal;
    s = some_digits(s, &decimal, &count, 0);
    size_t all = (size_t)(s - start);
    if (*s == '.') {
        start = ++s;
        s = some_digits(s, &decimal, &count, 1);
        all += (size_t)(s - start);
    }
    // No digit at all; or more of them than an exponent counts.
    if (UNLIKELY(all == 0 || all > 1 << 20)) return decimal;
    if ((*s | 32) == 'e') {
        const char *at = s + 1;
        int minus = *at == '-', exponent = 0;
        if (minus || *at == '+') at++;
        // An exponent of five digits, or with zeros in front, is odd enough.
        for (int i = 0; i < 4 && digit_of(*at) < 10; i++, at++) exponent = exponent * 10 + (int)digit_of(*at);
        if (digit_of(*at) < 10) return decimal;
        // "1e" is a number with text behind it.
        if (digit_of(at[-1]) < 10) {
            decimal.exponent += minus ? -exponent : exponent;
            s = at;
        }
    }
    decimal.end = s;
    return decimal;
}

// digits * 10^exponent, whose power of ten has to be in the tables.
INLINE Product product_of(const Decimal *decimal) {
    int ten = decimal->exponent;
    int k = (ten - POWER_STEP * POWER_FIRST) / POWER_STEP + POWER_FIRST, j = ten - k * POWER_STEP;
    const uint64_t *coarse = COARSE[k - POWER_FIRST];
    int shift = __builtin_clzll(decimal->digits);
    uint64_t digits = decimal->digits << shift;
    // Ten's power: off by less than two.
    Wide low = (Wide)coarse[1] * FINE[j], power = (Wide)coarse[0] * FINE[j] + (uint64_t)(low >> 64);
    // The number: off by less than three, and by the digits that were left out.
    low = (Wide)(uint64_t)power * digits;
    Wide number = (Wide)(uint64_t)(power >> 64) * digits + (uint64_t)(low >> 64);
    int exponent = POWER_EXPONENT(k * POWER_STEP) + POWER_EXPONENT(j) + 64 + 64 + 64 - shift;
    int exact = ten >= 0 && ten < POWER_STEP && !decimal->more && (uint64_t)low == 0;
    Wide error = exact ? 0 : (decimal->more ? (Wide)1 << (64 + shift) : 3);
    int top = __builtin_clzll((uint64_t)(number >> 64));
    return (Product){number << top, error << top, exponent - top};
}

// Whether the error does not matter for a type with `precision` bits, of which there may be none.  It does if all bits
// from the place of half the last bit of the result on are the same, or nearly.
INLINE int is_sure(const Product *product, int precision) {
    Wide mask = precision < 0 ? ~(Wide)0 : ((Wide)1 << (127 - precision)) - 1, below = product->number & mask;
    return LIKELY(product->error == 0 || (below != 0 && product->error <= mask - below));
}

typedef struct {
    int64_t size;  // From 2^62 to below 2^63, its last bit set for all that is below.
    int exponent;  // Of two.
} Binary;

INLINE Binary binary_of(const Product *product) {
    int64_t size = (int64_t)(uint64_t)(product->number >> 65);
    int rest = product->error != 0 || (uint64_t)product->number << 63 != 0 || (uint64_t)(product->number >> 1) != 0;
    return (Binary){size | rest, product->exponent + 65};
}
