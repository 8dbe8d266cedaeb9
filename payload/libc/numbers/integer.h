// An integer as text, as musl's strtol and its kin, wcstol and its kin, and scanf read it.
//
// The rules that all of them share (musl 1.2.2 to 1.2.6, src/internal/intscan.c): a text without a digit is EINVAL and
// takes nothing, a number too large takes all its digits and is ERANGE, and `limit` says whose: an odd one is the
// largest of an unsigned type, whose numbers may be negated, an even one the least of a signed type.
#pragma once
#include "../libc.h"

enum {
    NOT_VALID = 22,
    OUT_OF_RANGE = 34,
};

INLINE unsigned integer_digit(unsigned c) {
    if (c - '0' < 10) return c - '0';
    // Letters of both cases, and nothing else, come to 'a' to 'z'.
    return (c | 32) - 'a' < 26 ? (c | 32) - 'a' + 10 : 99;
}

INLINE int integer_is_space(unsigned c) {
    return c == ' ' || c - '\t' < 5;
}

// The least number of a signed type, all of 64 bits here, and the largest of an unsigned one.
#define SIGNED ((uint64_t)1 << 63)
#define UNSIGNED (~(uint64_t)0)
_Static_assert(sizeof(long) == 8 && sizeof(long long) == 8, "limits of 64 bits");

typedef struct {
    uint64_t value;
    // How many characters it takes; 0 for no number.
    size_t length;
} Integer;

// What comes of `y`, which may have been too large.
INLINE uint64_t integer_in_range(uint64_t y, int negative, int too_large, uint64_t limit) {
    if (UNLIKELY(too_large)) {
        ERRNO = OUT_OF_RANGE;
        y = limit;
        if (limit & 1) negative = 0;
    }
    if (UNLIKELY(y >= limit)) {
        if (!(limit & 1) && !negative) {
            ERRNO = OUT_OF_RANGE;
            return limit - 1;
        }
        if (y > limit) {
            ERRNO = OUT_OF_RANGE;
            return limit;
        }
    }
    return negative ? -y : y;
}

// Character(at) is the one at that place, and never a digit from where the text ends on.  `whole` is for strtol, which
// takes the zero of "0x" without a digit; scanf takes nothing.
#define INTEGER(result, base, whole, limit, Character)                                                       \
    do {                                                                                                     \
        unsigned radix = (unsigned)(base), digit;                                                            \
        size_t at = 0;                                                                                       \
        int negative = 0, too_large = 0;                                                                     \
        uint64_t y = 0;                                                                                      \
        (result) = (Integer){0, 0};                                                                          \
        if (UNLIKELY(radix > 36 || radix == 1)) {                                                            \
            ERRNO = NOT_VALID;                                                                               \
            break;                                                                                           \
        }                                                                                                    \
        while (UNLIKELY(integer_is_space(Character(at)))) {                                                  \
            while (Character(at) == ' ') at++;                                                               \
            while (Character(at) - '\t' < 5) at++;                                                           \
        }                                                                                                    \
        negative = Character(at) == '-';                                                                     \
        if (negative || Character(at) == '+') at++;                                                          \
        if (UNLIKELY((radix == 0 || radix == 16) && Character(at) == '0')) {                                 \
            at++;                                                                                            \
            if ((Character(at) | 32) == 'x') {                                                               \
                if (integer_digit(Character(at + 1)) >= 16) {                                                \
                    if (whole) (result).length = at;                                                         \
                    break;                                                                                   \
                }                                                                                            \
                at++;                                                                                        \
                radix = 16;                                                                                  \
            } else if (radix == 0) {                                                                         \
                radix = 8;                                                                                   \
            }                                                                                                \
        } else {                                                                                             \
            if (radix == 0) radix = 10;                                                                      \
            if (UNLIKELY(integer_digit(Character(at)) >= radix)) {                                           \
                ERRNO = NOT_VALID;                                                                           \
                break;                                                                                       \
            }                                                                                                \
        }                                                                                                    \
        if (LIKELY(radix == 10)) {                                                                           \
            /* 19 digits always fit. */                                                                      \
            size_t safe = at + 19;                                                                           \
            for (; at < safe && (digit = Character(at) - '0') < 10; at++) y = y * 10 + digit;                \
        } else if ((radix & (radix - 1)) == 0) {                                                             \
            const unsigned bits = (unsigned)__builtin_ctz(radix);                                            \
            size_t safe = at + (bits == 1 ? 60 : bits == 4 ? 15                                              \
                                                           : 12);                                            \
            for (; at < safe && (digit = integer_digit(Character(at))) < radix; at++) y = y << bits | digit; \
        } else {                                                                                             \
            /* 12 digits of base 36 have 62.04 bits. */                                                      \
            size_t safe = at + 12;                                                                           \
            for (; at < safe && (digit = integer_digit(Character(at))) < radix; at++) y = y * radix + digit; \
        }                                                                                                    \
        while (UNLIKELY((digit = integer_digit(Character(at))) < radix)) {                                   \
            at++;                                                                                            \
            if (too_large) continue;                                                                         \
            too_large = __builtin_mul_overflow(y, radix, &y) || __builtin_add_overflow(y, digit, &y);        \
        }                                                                                                    \
        (result).value = integer_in_range(y, negative, too_large, limit);                                    \
        (result).length = at;                                                                                \
    } while (0)
