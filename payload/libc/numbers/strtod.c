// strtof, strtod and strtold: exact, in every rounding mode; where the first of decimal.h's ways is not sure, and for
// hexadecimal numbers, NaNs and infinities, results below the least normal number or too large, by musl's own.
#include "decimal.h"

enum { AS_FLOAT, AS_DOUBLE, AS_LONG_DOUBLE };

// The beginning of musl's FILE, up to what reading text needs (musl 1.2.2 to 1.2.6, src/internal/stdio_impl.h; the
// same in 1.1.24).
typedef struct {
    unsigned flags;
    unsigned char *rpos, *rend;
    int (*close)(void *);
    unsigned char *wend, *wpos, *zero_1, *wbase;
    size_t (*read)(void *, unsigned char *, size_t);
    size_t (*write)(void *, const unsigned char *, size_t);
    int64_t (*seek)(void *, int64_t, int);
    unsigned char *buffer;
    size_t buffer_size;
    void *previous, *next;
    int fd, pipe_pid;
    long lockcount;
    int mode;
    volatile int lock;
    int line_buffered;
    void *cookie;
    int64_t offset;
    char *line;
    void *zero_2;
    unsigned char *shend;
    int64_t shlim, shcnt;
    // What later versions have behind it.
    void *room[4];
} Text;
_Static_assert(offsetof(Text, buffer) == 88 && offsetof(Text, lock) == 140 && offsetof(Text, shend) == 184, "FILE");

HIDDEN void __shlim(Text *text, int64_t limit);
HIDDEN long double __floatscan(Text *text, int precision, int text_is_whole);

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

INLINE double power_of_two(int exponent) {
    return ((union { uint64_t bits; double of; }){(uint64_t)(exponent + 1023) << 52}).of;
}

#ifdef __aarch64__
// What __floatscan gives for a double or a float is one already, if it is not too large; converting it by the
// processor takes the compiler's own library.
static COLD double narrowed(long double wide, int greatest) {
    const union { long double of; Wide bits; } from = {wide};
    uint64_t high = (uint64_t)(from.bits >> 64), sign = high >> 63 << 63;
    uint64_t size = ((uint64_t)(from.bits >> 60) & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    int exponent = (int)(high >> 48 & 0x7fff) - 16383;
    union { uint64_t bits; double of; } to = {sign};
    if (exponent == 16384) {
        to.bits |= (uint64_t)0x7ff << 52 | (size << 12 >> 12);
    } else if (exponent > greatest) {
        // Rounds to infinity or to the largest number, as the mode says, with its exceptions.
        double most = power_of_two(1023);
        __asm__ volatile("" : "+w"(most));
        to.of = (sign ? -most : most) * most;
    } else if (exponent >= -1022) {
        to.bits |= (uint64_t)(exponent + 1023) << 52 | (size << 12 >> 12);
    } else if (exponent >= -1074) {
        to.bits |= size >> (-1022 - exponent);
    } else if (high << 1 || (uint64_t)from.bits) {
        double least = power_of_two(-1022);
        __asm__ volatile("" : "+w"(least));
        to.of = (sign ? -least : least) * least;
    }
    return to.of;
}
#else
#define narrowed(wide, greatest) (wide)
#endif

#define EXACT_POWERS(type, ...) static const type EXACT_##type[] = {__VA_ARGS__}
EXACT_POWERS(double, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
             1e18, 1e19, 1e20, 1e21, 1e22);
EXACT_POWERS(float, 1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f);

// Digits and ten's power that are numbers of the type themselves: one operation rounds once (W. D. Clinger, "How to
// read floating point numbers accurately", 1990).  Elsewhere one conversion does, of what is in the range of normal
// numbers.  -1 for the sign before rounding: the mode may go by it.
#define DEFINE(Float, name, kind, precision, exact, least, greatest)                                            \
    HIDDEN Float brawn_##name(const char *restrict s, char **restrict end) {                                    \
        Decimal decimal = decimal_of(s);                                                                        \
        if (LIKELY(decimal.end != 0)) {                                                                         \
            Float result;                                                                                       \
            int64_t digits = (int64_t)decimal.digits;                                                           \
            if (decimal.digits <= (uint64_t)1 << precision && !decimal.more && decimal.exponent <= exact &&     \
                decimal.exponent >= -exact) {                                                                   \
                result = (Float)(decimal.negative ? -digits : digits);                                          \
                if (decimal.exponent < 0) result /= EXACT_##Float[-decimal.exponent];                           \
                else result *= EXACT_##Float[decimal.exponent];                                                 \
                if (digits == 0 && decimal.negative) result = -(Float)0;                                        \
                if (end) *end = (char *)(uintptr_t)decimal.end;                                                 \
                return result;                                                                                  \
            }                                                                                                   \
            if (digits) {                                                                                       \
                Binary binary = binary_of(&decimal, precision);                                                 \
                if (LIKELY(binary.size && binary.exponent + 62 >= least && binary.exponent + 63 < greatest)) {  \
                    result = (Float)(decimal.negative ? -binary.size : binary.size);                            \
                    if (end) *end = (char *)(uintptr_t)decimal.end;                                             \
                    return (Float)(result * 0x1p-62 * power_of_two(binary.exponent + 62));                      \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
        return (Float)narrowed(scanned(s, end, kind), greatest);                                                \
    }                                                                                                           \
    NAME(name, brawn_##name)                                                                                    \
    NAME(name##_l, brawn_##name)                                                                                \
    NAME(__##name##_l, brawn_##name)

DEFINE(double, strtod, AS_DOUBLE, 53, 22, -1022, 1023)
DEFINE(float, strtof, AS_FLOAT, 24, 10, -126, 127)

HIDDEN long double brawn_strtold(const char *restrict s, char **restrict end) {
    return scanned(s, end, AS_LONG_DOUBLE);
}
NAME(strtold, brawn_strtold)
NAME(strtold_l, brawn_strtold)
NAME(__strtold_l, brawn_strtold)
