// wcsrtombs, which wcstombs is, too.  musl calls wcrtomb for each character that is none of ASCII, and that asks for the locale.
// The same results as of musl 1.2.2 to 1.2.6 (src/multibyte/wcsrtombs.c and wcrtomb.c).
#include "../libc.h"
#include "strings.h"

// 1 in the locale "C" (musl's header since 0.9.11, include/stdlib.h).
size_t __ctype_get_mb_cur_max(void);

enum { ILLEGAL = 84 };

// The bytes of a character that is none of ASCII, the first one lowest; how many.  0 if it has none.
INLINE unsigned encode(uint32_t c, uint32_t *bytes) {
    if (c < 0x800) {
        *bytes = 0x80c0 | c >> 6 | (c & 63) << 8;
        return 2;
    }
    if (c < 0x10000) {
        *bytes = 0x8080e0 | c >> 12 | (c >> 6 & 63) << 8 | (c & 63) << 16;
        return c - 0xd800 < 0x800 ? 0 : 3;
    }
    *bytes = 0x808080f0 | c >> 18 | (c >> 12 & 63) << 8 | (c >> 6 & 63) << 16 | (c & 63) << 24;
    return c < 0x110000 ? 4 : 0;
}

// In the locale "C" a byte of 128 and more is a character from 0xdf80 on.
static unsigned encode_in(int is_c, uint32_t c, uint32_t *bytes) {
    if (!is_c) return encode(c, bytes);
    *bytes = c & 255;
    return c - 0xdf80 < 0x80;
}

// How many bytes there are.
static size_t size_of(const wide *s) {
    const int is_c = __ctype_get_mb_cur_max() == 1;
    size_t n = 0;
    for (uint32_t c, bytes; (c = (uint32_t)*s); s++) {
        const unsigned size = c < 0x80 ? 1 : encode_in(is_c, c, &bytes);
        if (!size) {
            ERRNO = ILLEGAL;
            return -1;
        }
        n += size;
    }
    return n;
}

// Up to 4 bytes, and nothing behind them: there may be less room than the program says.
INLINE char *put(char *at, uint32_t bytes, unsigned size) {
    if (size == 1) {
        *at = (char)bytes;
        return at + 1;
    }
    PUT16(at, bytes);
    if (size == 2) return at + 2;
    if (size == 4) PUT16(at + 2, bytes >> 16);
    else at[2] = (char)(bytes >> 16);
    return at + size;
}

HIDDEN size_t brawn_wcsrtombs(char *restrict to, const wide **restrict from, size_t n, void *restrict state) {
    (void)state;
    const wide *s = *from;
    if (!to) return size_of(s);
    // A program that knows that its text fits may say any n.
    char *at = to, *const end = to + (n < PTRDIFF_MAX ? n : PTRDIFF_MAX);
    uint32_t c, bytes;
    unsigned size;
    int is_c = -1;
    for (; end - at >= 4; s++) {
        c = (uint32_t)*s;
        if (c < 0x80) {
            *at = (char)c;
            if (!c) goto ends;
            at++;
            continue;
        }
        if (UNLIKELY(is_c)) {
            if (is_c < 0) is_c = __ctype_get_mb_cur_max() == 1;
            if (is_c) {
                size = encode_in(is_c, c, &bytes);
                if (!size) goto illegal;
                at = put(at, bytes, size);
                continue;
            }
        }
        size = encode(c, &bytes);
        if (UNLIKELY(!size)) goto illegal;
        at = put(at, bytes, size);
    }
    for (; at < end; s++) {
        c = (uint32_t)*s;
        if (c >= 0x80) {
            if (is_c < 0) is_c = __ctype_get_mb_cur_max() == 1;
            size = encode_in(is_c, c, &bytes);
            if (!size) goto illegal;
            if (size > (size_t)(end - at)) break;
            at = put(at, bytes, size);
        } else {
            *at = (char)c;
            if (!c) goto ends;
            at++;
        }
    }
    *from = s;
    return at - to;
ends:
    *from = NULL;
    return at - to;
illegal:
    *from = s;
    ERRNO = ILLEGAL;
    return -1;
}
NAME(wcsrtombs, brawn_wcsrtombs)
