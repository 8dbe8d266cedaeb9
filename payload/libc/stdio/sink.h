// What printf and its kin share: a sink that text goes to, and what a directive of a format says.
#pragma once
#include "../libc.h"
#include <stdarg.h>

enum {
    INVALID = 22,
    OVERFLOW = 75,
    MOST = INT32_MAX,
};

// Where text goes: a program's buffer, or a stream's.  What has no room goes to `more`.
typedef struct Sink Sink;
struct Sink {
    char *at, *end;
    // What was written since `from` is not in `before` yet.
    char *from;
    size_t before;
    void (*more)(Sink *sink, const char *text, size_t n);
    void *stream;
};

INLINE size_t printed(const Sink *sink) {
    return sink->before + (size_t)(sink->at - sink->from);
}

// Up to 16 bytes, and no byte more.
INLINE void copy_short(char *to, const char *from, size_t n) {
    if (n >= 8) {
        uint64_t first = GET64(from), last = GET64(from + n - 8);
        PUT64(to, first);
        PUT64(to + n - 8, last);
    } else if (n >= 4) {
        uint32_t first = GET32(from), last = GET32(from + n - 4);
        PUT32(to, first);
        PUT32(to + n - 4, last);
    } else if (n) {
        char first = from[0], middle = from[n / 2], last = from[n - 1];
        to[0] = first;
        to[n / 2] = middle;
        to[n - 1] = last;
    }
}

INLINE void put_char(Sink *sink, char c) {
    if (LIKELY(sink->at != sink->end)) *sink->at++ = c;
    else sink->more(sink, &c, 1);
}

// `put` where the time matters.
INLINE void put_fast(Sink *sink, const char *text, size_t n) {
    if (UNLIKELY(n > (size_t)(sink->end - sink->at))) {
        sink->more(sink, text, n);
        return;
    }
    if (n <= 16) copy_short(sink->at, text, n);
    else brawn_memcpy(sink->at, text, n);
    sink->at += n;
}

enum {
    ALTERNATE = 1,
    ZEROS = 2,
    LEFT = 4,
    BLANK = 8,
    PLUS = 16,
};

enum {
    NONE = -1,
    TOO_MUCH = -2,
};

// What a directive says.
typedef struct {
    unsigned flags;
    int width;
    // Or one of these.
    int precision;
    char conversion;
} Spec;

// A finite number: (high:low) * 2^exponent; `high` is 0 where 64 bits are enough, which they are for all but binary128.
typedef struct {
    uint64_t high, low;
    int exponent, negative;
    // Not finite.
    int infinite, nan;
} Real;

HIDDEN void brawn_print_put(Sink *sink, const char *text, size_t n);
#define put brawn_print_put
// n times c.
HIDDEN void brawn_print_fill(Sink *sink, char c, size_t n);
// A number as e, f, g or a; returns 0, or -1 if it would be too long.
HIDDEN int brawn_print_real(Sink *sink, const Spec *spec, const Real *real);
// Everything: as vfprintf.  The sink's `before` and `from` are set.
HIDDEN int brawn_print(Sink *sink, const char *format, va_list arguments);
// A sink for `size` bytes at s, the last of them for the zero at the end.
HIDDEN int brawn_vsnprintf(char *restrict s, size_t size, const char *restrict format, va_list arguments);

// Two decimal digits each.
extern HIDDEN const char brawn_print_pairs[201];

INLINE void put_pair(char *to, unsigned number) {
    PUT16(to, GET16(brawn_print_pairs + 2 * number));
}

// The digits of a number, ending at `end`; returns where they begin.  None for 0.
INLINE char *digits_before(char *end, uint64_t number) {
    while (number >> 32) {
        uint64_t rest = number / 100000000;
        unsigned eight = (unsigned)(number - rest * 100000000), high = eight / 10000, low = eight % 10000;
        end -= 8;
        put_pair(end, high / 100);
        put_pair(end + 2, high % 100);
        put_pair(end + 4, low / 100);
        put_pair(end + 6, low % 100);
        number = rest;
    }
    unsigned small = (unsigned)number;
    while (small >= 100) {
        unsigned rest = small / 100;
        end -= 2;
        put_pair(end, small - rest * 100);
        small = rest;
    }
    if (small >= 10) {
        end -= 2;
        put_pair(end, small);
    } else if (small) {
        *--end = (char)('0' + small);
    }
    return end;
}
