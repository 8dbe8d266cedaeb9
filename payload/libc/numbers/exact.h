// Decimal numbers whose first 19 digits do not tell how they are rounded: longer ones, and those that lie on a boundary of rounding
// or next to it.  Integers of any size compare the number with that boundary.
#pragma once
#include "decimal.h"

enum {
    // Words of such an integer, and the digits that are tried first.
    ROOM_OF_EXACT = 72,
    FIRST_DIGITS = 57,
};

typedef struct {
    int n;
    uint64_t words[ROOM_OF_EXACT];
} Whole;

static COLD void times_plus(Whole *whole, uint64_t by, uint64_t plus) {
    for (int i = 0; i < whole->n; i++) {
        const Wide sum = (Wide)whole->words[i] * by + plus;
        whole->words[i] = (uint64_t)sum;
        plus = (uint64_t)(sum >> 64);
    }
    if (plus) whole->words[whole->n++] = plus;
}

static COLD void times_fives(Whole *whole, int n) {
    // 5^27 is the largest that fits into a word.
    for (; n >= 27; n -= 27) times_plus(whole, 7450580596923828125, 0);
    uint64_t by = 1;
    for (; n >= 3; n -= 3) by *= 125;
    while (n--) by *= 5;
    times_plus(whole, by, 0);
}

static COLD void times_twos(Whole *whole, int n) {
    const int words = n / 64;
    times_plus(whole, (uint64_t)1 << n % 64, 0);
    for (int i = whole->n - 1; i >= 0; i--) whole->words[i + words] = whole->words[i];
    for (int i = 0; i < words; i++) whole->words[i] = 0;
    whole->n += words;
}

// The first digits of a number's text, from the first that is not zero on.
typedef struct {
    Whole whole;
    int count, exponent;  // Of ten.
    int more;  // Whether others are behind them, not all zero.
} FirstDigits;

static COLD void read_first(const char *s, int exponent, int most, FirstDigits *first) {
    int points = 0, free = MOST_DIGITS;
    uint64_t part = 0, unit = 1;
    first->whole.n = first->count = first->more = 0;
    for (; digit_of(*s) - 1 >= 9; s++) points |= *s == '.';
    while (first->count < most) {
        if (free >= 8 && first->count + 8 <= most && FITS_IN(s, 8) && eight_digits(GET64(s))) {
            part = part * 100000000 + value_of_eight(GET64(s));
            unit *= 100000000;
            free -= 8, first->count += 8, s += 8;
        } else if (digit_of(*s) < 10) {
            part = part * 10 + digit_of(*s++);
            unit *= 10;
            free--, first->count++;
        } else if (*s == '.' && !points) {
            points = 1;
            s++;
        } else {
            break;
        }
        if (free) continue;
        times_plus(&first->whole, unit, part);
        part = 0, unit = 1, free = MOST_DIGITS;
    }
    times_plus(&first->whole, unit, part);
    for (; digit_of(*s) < 10 || (*s == '.' && !points); s++) {
        points |= *s == '.';
        if (digit_of(*s) - 1 >= 9) continue;
        first->more = 1;
        break;
    }
    // `exponent` is that of the first 19.
    first->exponent = first->count > MOST_DIGITS ? exponent - (first->count - MOST_DIGITS) : exponent;
}

// Digits and `plus` against bound * 2^two: below zero, zero or above it.
static COLD int against(const FirstDigits *first, uint64_t plus, Wide bound, int two) {
    Whole left, right;
    right.n = 2;
    right.words[0] = (uint64_t)bound;
    right.words[1] = (uint64_t)(bound >> 64);
    left.n = first->whole.n;
    for (int i = 0; i < left.n; i++) left.words[i] = first->whole.words[i];
    if (plus) times_plus(&left, 1, plus);
    if (first->exponent >= 0) times_fives(&left, first->exponent);
    else times_fives(&right, -first->exponent);
    const int twos = first->exponent - two;
    if (twos >= 0) times_twos(&left, twos);
    else times_twos(&right, -twos);
    while (right.n && !right.words[right.n - 1]) right.n--;
    if (left.n != right.n) return left.n - right.n;
    for (int i = left.n - 1; i >= 0; i--)
        if (left.words[i] != right.words[i]) return left.words[i] < right.words[i] ? -1 : 1;
    return 0;
}

// Makes a product, which is a bit too small, sure for a type with `precision` bits; `exponent` is that of the first 19 digits.
// Returns 0 for a number that is too long.
static COLD int made_sure(const char *s, int exponent, int precision, Product *product) {
    // The boundary: a multiple of half the last bit.
    const int shift = 127 - precision;
    if (precision < 1 || product->error >> (shift - 1)) return 0;
    const Wide bound = ((product->number >> 1) + ((Wide)1 << (shift - 2))) >> (shift - 1);
    FirstDigits first;
    int result = 0;
    for (int most = FIRST_DIGITS;; most = 1200) {
        read_first(s, exponent, most, &first);
        const int ten = first.exponent, fives = ten < 0 ? -ten : ten, bits = 64 * (ROOM_OF_EXACT - 2);
        if (fives > 1800 || first.count * 10 / 3 + (ten > 0 ? fives * 7 / 3 : 0) > bits - 2 || (ten < 0 ? fives * 7 / 3 : 0) > bits - 68)
            return 0;
        result = against(&first, 0, bound, product->exponent + shift);
        if (!first.more) break;
        if (result >= 0) {
            result = 1;
            break;
        }
        if (against(&first, 1, bound, product->exponent + shift) <= 0) break;
        if (most != FIRST_DIGITS) return 0;
    }
    // One bit more than the others have: a power of two.
    const int longer = (int)(bound >> (precision + 1));
    product->number = longer ? (Wide)1 << 127 : bound << shift;
    product->error = 0;
    if (result >= 0) {
        product->exponent += longer;
        product->number |= result > 0;
    } else {
        product->number = longer ? ~(Wide)0 : product->number - 1;
    }
    return 1;
}
