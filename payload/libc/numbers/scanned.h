// Numbers that are left to musl: hexadecimal ones, infinities, NaNs, and decimal ones that are not sure or too large.
#pragma once
#include "decimal.h"

enum { AS_FLOAT,
    AS_DOUBLE,
    AS_LONG_DOUBLE };

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

// A stream that has nothing yet, and asks `read` for more.
INLINE void begin_text(Text *text, unsigned char *buffer, size_t size, size_t (*read)(void *, unsigned char *, size_t)) {
    brawn_memset(text, 0, sizeof *text);
    text->buffer = text->rpos = text->rend = buffer;
    text->buffer_size = size;
    text->read = read;
    text->lock = -1;
}

INLINE double power_of_two(int exponent) {
    return ((union { uint64_t bits; double of; }){(uint64_t)(exponent + 1023) << 52}).of;
}

#ifdef __aarch64__
// What __floatscan gives for a double or a float is one already, if it is not too large; converting it by the
// processor takes the compiler's own library.
static COLD double narrowed(long double wide, int greatest) {
    const union {
        long double of;
        Wide bits;
    } from = {wide};
    uint64_t high = (uint64_t)(from.bits >> 64), sign = high >> 63 << 63;
    uint64_t size = ((uint64_t)(from.bits >> 60) & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    int exponent = (int)(high >> 48 & 0x7fff) - 16383;
    union {
        uint64_t bits;
        double of;
    } to = {sign};
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
#elif defined(__x86_64__)
#define narrowed(wide, greatest) (wide)
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
