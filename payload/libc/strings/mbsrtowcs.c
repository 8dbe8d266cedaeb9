// mbsrtowcs, which mbstowcs and most of mbsnrtowcs are, too.  musl looks up a state for each character that is none of ASCII, and
// goes on with it byte by byte; here a character is 4 bytes that are loaded at once.
// The same results as of musl 1.2.2 to 1.2.6 (src/multibyte/mbsrtowcs.c), also where they surprise.
#include "../libc.h"
#include "strings.h"

// 1 in the locale "C" (musl's header since 0.9.11, include/stdlib.h).
size_t __ctype_get_mb_cur_max(void);

enum { ILLEGAL = 84 };

typedef unsigned char byte;
typedef byte bytes8 __attribute__((vector_size(8)));
typedef byte bytes4 __attribute__((vector_size(4)));
typedef uint32_t words8 __attribute__((vector_size(32), aligned(4), may_alias));

typedef uint16_t halves4 __attribute__((vector_size(8)));
typedef uint32_t words4 __attribute__((vector_size(16), aligned(4), may_alias));

#define FOUR(c) (~(uint64_t)0 / 65535 * (c))
#define EIGHT(c) (~(uint64_t)0 / 255 * (c))
// The lowest bit that is set is in the first byte that is none of ASCII, or the end.
#define ODD(eight) (((eight) | ((eight) - EIGHT(1))) & EIGHT(0x80))
#define IS_ASCII(eight) (!ODD(eight))
#define PUT_EIGHT(to, eight) (*(words8 *)(to) = __builtin_convertvector((bytes8)(eight), words8), (to) += 8)
#define IS_NEXT(c) ((c) - 0x80u < 0x40)

// The 4 bytes at s, the first one lowest, at the end of a page: none behind a character, or behind one that does not belong to it.  The
// second byte may be too small or too large for the first one (Unicode, table 3-7).
static COLD uint32_t at_edge(const byte *s) {
    const byte first = *s;
    if (first < 0xc2 || first > 0xf4) return first;
    const unsigned size = first < 0xe0 ? 2 : first < 0xf0 ? 3
                                                          : 4;
    const byte low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90
                                                          : 0x80,
               high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f
                                                           : 0xbf;
    uint32_t bytes = first;
    for (unsigned i = 1; i < size && IS_NEXT(s[i]); i++) {
        bytes |= (uint32_t)s[i] << 8 * i;
        if (i == 1 && (s[1] < low || s[1] > high)) break;
    }
    return bytes;
}

typedef struct {
    uint32_t c;
    unsigned size;
} Character;

// The rest of a character whose first bytes are in `state`, as musl keeps them: the upper 6 bits are what has to be added to an eighth
// of the next byte, and as long as the uppermost bit is set behind a byte, there has to be another one.  Of no size if it is none.
static COLD Character resumed(unsigned state, const byte *s) {
    const unsigned next = *s >> 3;
    if (((next - 16) | (next + (unsigned)((int)state >> 26))) & ~7u) return (Character){0, 0};
    Character end = {state << 6 | (*s - 0x80u), 1};
    for (; end.c >> 31; end.size++) {
        if (!IS_NEXT(s[end.size])) return (Character){0, 0};
        end.c = end.c << 6 | (s[end.size] - 0x80u);
    }
    return end;
}

#define BITS(n, bytes, i) (((bytes) >> 8 * (i)) & ((1u << (n)) - 1))
// The processor foresees which way it is, so that the next character need not wait for this one's size: the compiler would make a sum of it.
#define TAKE(c, bytes)                \
    do {                              \
        if (!counts) *to++ = (wide)c; \
        s += bytes;                   \
        __asm__("" : "+r"(s));        \
    } while (0)

// The first n of eight letters, below 8.  Those from 4 on are written in one way, as the processor cannot
// foresee how many there are.
INLINE void put_some(wide *to, uint64_t eight, unsigned n) {
    if (n >= 4) {
        const uint32_t first = (uint32_t)eight, last = (uint32_t)(eight >> 8 * (n - 4));
        *(words4 *)to = __builtin_convertvector((bytes4)first, words4);
        *(words4 *)(to + n - 4) = __builtin_convertvector((bytes4)last, words4);
    } else if (n >= 2) {
        to[0] = (byte)eight;
        to[1] = (byte)(eight >> 8);
        to[n - 1] = (byte)(eight >> 8 * (n - 1));
    } else if (n) {
        to[0] = (byte)eight;
    }
}

// Where it is as many as before, the processor foresees so, and what follows need not wait for the count.
#define EXPECT(some, before)      \
    if ((some) == (before)) {     \
        (some) = (before);        \
        __asm__("" : "+r"(some)); \
    } else {                      \
        (before) = (some);        \
    }

// What is done, and to where it was read if characters are written.
INLINE size_t ended(int counts, const byte **from, const byte *s, size_t done) {
    if (!counts) *from = s;
    return done;
}
INLINE size_t illegal(int counts, const byte **from, const byte *s) {
    ERRNO = ILLEGAL;
    return ended(counts, from, s, -1);
}

// Up to n characters of `most`, or, if it only counts, all.
INLINE size_t read_any(int counts, wide *to, const byte *s, const byte **from, size_t n, size_t most, int is_c) {
    unsigned before = 0;
    for (; counts || LIKELY(n); n--) {
        if (*s < 0x80) {
            // One between others is soonest done as it is.  Behind the last one that is asked for nothing may be read.
            const int alone = *s && (counts || n > 1) && s[1] >= 0x80;
            if (alone) {
                TAKE(*s, 1);
                n--;
            }
            while (!alone && (counts || n >= 8) && FITS_IN(s, 8)) {
                const uint64_t eight = GET64(s), odd = ODD(eight);
                if (odd) {
                    unsigned some = (unsigned)__builtin_ctzll(odd) / 8;
                    EXPECT(some, before)
                    if (!counts) put_some(to, eight, some), to += some;
                    s += some, n -= some;
                    break;
                }
                if (!counts) PUT_EIGHT(to, eight);
                s += 8, n -= 8;
            }
            if (!counts && !n) break;
            if (!*s) {
                if (!counts) *to = 0;
                return ended(counts, from, NULL, most - n);
            }
            if (*s < 0x80) {
                TAKE(*s, 1);
                continue;
            }
        }
        if (UNLIKELY(is_c)) {
            TAKE(*s | 0xdf00, 1);
            continue;
        }
        const uint32_t bytes = LIKELY(FITS_IN(s, 4)) ? GET32(s) : at_edge(s);
        if (LIKELY((bytes & 0xc0c0f0) == 0x8080e0)) {
            const uint32_t c = BITS(4, bytes, 0) << 12 | BITS(6, bytes, 1) << 6 | BITS(6, bytes, 2);
            if (UNLIKELY(c < 0x800 || c - 0xd800 < 0x800)) return illegal(counts, from, s);
            TAKE(c, 3);
        } else if ((bytes & 0xc0e0) == 0x80c0) {
            // Four of them at once, if there are two, and none is below 0x80.
            if ((bytes & 0xc0e00000) == 0x80c00000 && (counts || n >= 4) && FITS_IN(s, 8)) {
                const uint64_t four = GET64(s);
                if ((four & FOUR(0xc0e0)) == FOUR(0x80c0) && (((four & FOUR(0x1e)) + FOUR(0x1e)) & FOUR(0x20)) == FOUR(0x20)) {
                    const uint64_t characters = (four & FOUR(0x1f)) << 6 | (four >> 8 & FOUR(0x3f));
                    if (!counts) *(words4 *)to = __builtin_convertvector((halves4)characters, words4), to += 4;
                    s += 8, n -= 3;
                    continue;
                }
            }
            const uint32_t c = BITS(5, bytes, 0) << 6 | BITS(6, bytes, 1);
            if (UNLIKELY(c < 0x80)) return illegal(counts, from, s);
            TAKE(c, 2);
        } else {
            const uint32_t c = BITS(3, bytes, 0) << 18 | BITS(6, bytes, 1) << 12 | BITS(6, bytes, 2) << 6 | BITS(6, bytes, 3);
            if (UNLIKELY((bytes & 0xc0c0c0f8) != 0x808080f0 || c - 0x10000 >= 0x100000)) return illegal(counts, from, s);
            TAKE(c, 4);
        }
    }
    return ended(counts, from, s, most);
}

// -1 asks for the locale.  Functions of their own, so that a text of ASCII alone needs no stack.
static __attribute__((noinline)) size_t read_on(wide *to, const byte *s, const byte **from, size_t n, size_t most, int is_c) {
    return read_any(0, to, s, from, n, most, is_c < 0 ? __ctype_get_mb_cur_max() == 1 : is_c);
}
static __attribute__((noinline)) size_t count_on(const byte *s, size_t n, size_t most, int is_c) {
    return read_any(1, NULL, s, NULL, n, most, is_c < 0 ? __ctype_get_mb_cur_max() == 1 : 0);
}

// From a byte that begins no character, unless the locale is "C": most often this is the end, and needs none of the other's registers.
static COLD size_t read_odd(wide *to, const byte *s, const byte **from, size_t n, size_t most) {
    if (__ctype_get_mb_cur_max() == 1) return read_on(to, s, from, n, most, 1);
    return illegal(0, from, s);
}

// Behind a character that was begun: in any locale by UTF-8, and without a look at n.
static COLD size_t resume(wide *to, const byte **from, size_t n, unsigned *state) {
    const byte *s = *from;
    const Character end = resumed(*state, s);
    if (!to) return end.size ? count_on(s + end.size, n - 1, n, 0) : illegal(1, NULL, NULL);
    *state = 0;
    if (!end.size) return illegal(0, from, s - 1);
    *to = (wide)end.c;
    return read_on(to + 1, s + end.size, from, n - 1, n, 0);
}

HIDDEN size_t brawn_mbsrtowcs(wide *restrict to, const char **restrict from, size_t n, void *restrict state) {
    if (UNLIKELY(state && *(unsigned *)state)) return resume(to, (const byte **)from, n, state);
    const byte *s = (const byte *)*from;
    if (!to) return count_on(s, n, n, -1);
    // What ASCII it begins with.
    size_t left = n;
    for (uint64_t eight; left >= 8 && FITS_IN(s, 8); s += 8, left -= 8) {
        eight = GET64(s);
        if (!IS_ASCII(eight)) break;
        PUT_EIGHT(to, eight);
    }
    for (const size_t last = left > 8 ? left - 8 : 0; left > last && *s - 1u < 0x7f; left--) *to++ = *s++;
    if (left && *s) {
        if (UNLIKELY(*s - 0x80u < 0x42 || *s > 0xf4)) return read_odd(to, s, (const byte **)from, left, n);
        return read_on(to, s, (const byte **)from, left, n, -1);
    }
    if (left) *to = 0;
    *from = left ? NULL : (const char *)s;
    return n - left;
}
NAME(mbsrtowcs, brawn_mbsrtowcs)
