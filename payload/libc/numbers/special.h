// What strtod, strtof and strtold read that is no usual decimal number: infinities, NaNs, hexadecimal numbers, and no number
// at all; and numbers that are too large or too small for their type.  All as musl's (1.2.2 to 1.2.6,
// src/internal/floatscan.c), with its errno, in every rounding mode.
#pragma once
#include "scanned.h"
#include "integer.h"

enum { INVALID = 22 };
enum { NO_NUMBER,
    // size * 2^exponent: `size` is 0, or from 2^61 to below 2^62, its last bit set for all that is below.
    TWOS,
    // What musl has to read.
    UNREAD };

typedef struct {
    const char *end;
    uint64_t size;
    int kind, exponent, negative, more;
} Odd;

INLINE unsigned letter(char c) {
    return (unsigned char)c | 32u;
}

// How many letters of a word the text begins with, whatever their case.
static int alike(const char *text, const char *word) {
    int n = 0;
    while (word[n] && letter(text[n]) == (unsigned char)word[n]) n++;
    return n;
}

// An exponent of up to four digits at s, behind its letter; where it ends.  0 for a longer one.
static const char *small_exponent(const char *s, int *exponent) {
    const char *at = s + 1;
    const int minus = *at == '-';
    int size = 0, i = 0;
    if (minus || *at == '+') at++;
    // "1e" is a number with text behind it.
    if (digit_of(*at) >= 10) return s;
    for (; i < 4 && digit_of(*at) < 10; i++, at++) size = size * 10 + (int)digit_of(*at);
    if (digit_of(*at) < 10) return 0;
    *exponent += minus ? -size : size;
    return at;
}

INLINE unsigned hexadecimal_digit(char c) {
    const unsigned digit = digit_of(c), from_a = letter(c) - 'a';
    if (digit < 10) return digit;
    return from_a < 6 ? from_a + 10 : 16;
}

// A hexadecimal number, from behind its x.
static void read_hexadecimal(const char *s, Odd *odd) {
    const char *const start = s;
    int point = 0, any = 0;
    for (;; s++) {
        if (*s == '.' && !point) {
            point = 1;
            continue;
        }
        const unsigned digit = hexadecimal_digit(*s);
        if (digit == 16) break;
        any = 1;
        if (odd->size >> 58) {
            odd->more |= (int)digit;
            odd->exponent += point ? 0 : 4;
        } else {
            odd->size = odd->size << 4 | digit;
            odd->exponent -= point ? 4 : 0;
        }
    }
    // The number is the zero before the x; or its exponent may be too large to count.
    if (!any || s - start > 1 << 20) return;
    if (letter(*s) == 'p') s = small_exponent(s, &odd->exponent);
    if (!s) return;
    odd->end = s;
    odd->kind = TWOS;
    if (!odd->size) return;
    const int shift = __builtin_clzll(odd->size) - 2;
    odd->size = odd->size << shift | (odd->more != 0);
    odd->exponent -= shift;
}

static APART Odd special_of(const char *text) {
    Odd odd = {.kind = UNREAD, .end = text};
    const char *s = text;
    while (*s == ' ' || (unsigned)(unsigned char)*s - '\t' < 5) s++;
    if (*s == '-' || *s == '+') odd.negative = *s++ == '-';
    if (*s == '0' && letter(s[1]) == 'x') read_hexadecimal(s + 2, &odd);
    // A point alone; or digits, but an odd exponent.
    else if (*s == '.' && digit_of(s[1]) >= 10) odd.kind = NO_NUMBER;
    return odd;
}

// An infinity, a NaN or no number at all, from where its sign is behind; *end is `text` already.
static COLD double worded(const char *s, char **end, int negative) {
    if (letter(s[0]) == 'i' && letter(s[1]) == 'n' && letter(s[2]) == 'f') {
        if (end) *end = (char *)(uintptr_t)(s + (alike(s + 3, "inity") == 5 ? 8 : 3));
        return negative ? -__builtin_inf() : __builtin_inf();
    }
    if (letter(s[0]) == 'n' && letter(s[1]) == 'a' && letter(s[2]) == 'n') {
        s += 3;
        const char *at = s + 1;
        if (*s == '(') {
            while (digit_of(*at) < 10 || letter(*at) - 'a' < 26 || *at == '_') at++;
            if (*at == ')') s = at + 1;
        }
        if (end) *end = (char *)(uintptr_t)s;
        return __builtin_nan("");
    }
    ERRNO = INVALID;
    return 0;
}

// The same number, which the compiler knows nothing of: what is computed from it is rounded as the mode says.
INLINE double unknown(double x) {
#ifdef __x86_64__
    __asm__ volatile("" : "+x"(x));
#elif defined(__aarch64__)
    __asm__ volatile("" : "+w"(x));
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    return x;
}

// Infinity or the largest double, as the mode says.  errno is its caller's.
INLINE double too_large(int negative) {
    return unknown(negative ? -0x1p1023 : 0x1p1023) * 0x1p1023;
}

// Whether the number, which is 0.digits times a power of ten, is below 10^place by that power alone.
INLINE int is_below(uint64_t digits, int ten, int place) {
    if (ten + 19 < place) return 1;
    for (; digits && ten < place; digits /= 10) ten++;
    return ten < place;
}

// 2^-600 or -2^-600 for what is nearer to zero than to the least number of its type, which is 2^`emin`: its caller makes it as small
// as the mode has it.  Or a zero, whose sign goes by the mode: musl adds a large number there and takes it away again.
// errno is its caller's.
INLINE double too_small(uint64_t digits, int ten, int negative, int emin) {
    if (is_below(digits, ten, emin - 2 * __LDBL_MANT_DIG__)) return unknown(negative ? -0x1p-600 : 0x1p-600);
    const double large = unknown(negative ? -0x1p-548 : 0x1p-548);
    return unknown(large + (negative ? -0x1.8p-601 : 0x1.8p-601)) - large;
}
