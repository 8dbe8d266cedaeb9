// strspn, and strcspn with it: every byte of the set is compared with a vector of the string, and after the first
// vector, where a set may be worth it, a table of bits tells.  Processors with AVX2 have an instruction for sets of at
// most 15 bytes, which looks at the first 320 bytes: sooner done than any loop over a set.
#ifndef WIDTH
#define SOURCE "../../libc/strings/strspn.c"
#include "strings.h"

// A bit for every upper half of a byte.
static const unsigned char powers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

#include "levels.h"

FIRST(size_t, first, brawn_span, (const char *s, const char *set, int in), s, set, in)

HIDDEN size_t brawn_strspn(const char *s, const char *set) {
    if (UNLIKELY(!set[0])) return 0;
    DISPATCH(brawn_span, first, s, set, 1);
}
NAME(strspn, brawn_strspn)

#else
#include "words.h"
// After the first vectors: a bit for every byte, in the byte that its lower half and its highest bit choose.
TARGET static __attribute__((noinline)) size_t AT(span_on)(const char *s, const char *p, const char *set, int in) {
    unsigned char table[32] = {0};
    if (in != 1) table[0] = 1;
    for (const unsigned char *c = (const unsigned char *)set; *c; c++) table[(*c & 15) | (*c >> 3 & 16)] |= (unsigned char)(1 << (*c >> 4 & 7));
#ifdef SHUFFLE
    const vec low = TABLE(table), high = TABLE(table + 16), power = TABLE(powers), zero = ZERO;
    for (;; p += WIDTH) {
        const vec x = LOAD(p), place = AND(x, FILL(0x8f));
        const vec row = OR(SHUFFLE(low, place), SHUFFLE(high, XOR(place, FILL(0x80))));
        const vec is = AND(row, SHUFFLE(power, HIGH4(x)));
        const bits m = in == 1 ? EQ(is, zero) : NE(is, zero);
        if (m) return (size_t)(p - s) + CTZ(m);
    }
#else
    for (;; p++) {
        const unsigned c = (unsigned char)*p;
        LOOK_UP(p, (size_t)(p - s) + (in == 1 ? brawn_strspn(p, set) : brawn_strcspn(p, set)));
        if ((table[(c & 15) | (c >> 3 & 16)] >> (c >> 4 & 7) & 1) != (in == 1)) return (size_t)(p - s);
    }
#endif
}

// `is`: where x is in the set or, for strcspn, the end: in SAME's words.
#undef MEMBERS
#define MEMBERS(is, x)                            \
    vec is = SAME(x, FILL(in == 1 ? set[0] : 0)); \
    for (const char *c = set + (in == 1); *c; c++) is = JOIN(is, SAME(x, FILL(*c)))

#if defined __x86_64__ && WIDTH > 16
#define ANY (_SIDD_UBYTE_OPS | _SIDD_CMP_EQUAL_ANY)
#define NOT_ANY (ANY | _SIDD_NEGATIVE_POLARITY)
#define SEEN 320
// Of a set of 16 and more: a mark for each of its bytes is sooner made than a vector compared with each.  The first bytes of
// the string are looked up one by one, as far as the next whole vectors.
TARGET static size_t AT(span_of_many)(const char *s, const char *set, int in) {
    unsigned char marks[256];
#pragma GCC unroll 16
    for (int i = 0; i < 256; i += 16) PUT128(marks + i, _mm_setzero_si128());
    // The end's mark comes last.
    for (const unsigned char *c = (const unsigned char *)set;; c += 4) {
        marks[c[0]] = 1;
        if (!c[0]) break;
        marks[c[1]] = 1;
        if (!c[1]) break;
        marks[c[2]] = 1;
        if (!c[2]) break;
        marks[c[3]] = 1;
        if (!c[3]) break;
    }
    marks[0] = in != 1;
    const unsigned char *p = (const unsigned char *)s;
    for (const unsigned char *const some = p + 16; p < some || (uintptr_t)p & (WIDTH - 1); p++)
        if (marks[*p] != (in == 1)) return (size_t)(p - (const unsigned char *)s);
    return AT(span_on)(s, (const char *)p, set, in);
}
#endif

TARGET HIDDEN size_t AT(brawn_span)(const char *s, const char *set, int in) {
#ifdef SEEN
    const __m128i none = _mm_setzero_si128();
    if (LIKELY(FITS_IN(s, SEEN) && FITS_IN(set, 16))) {
        const __m128i any = GET128(set);
        // Where no end is there are 16 or more.
        if (LIKELY(_mm_movemask_epi8(_mm_cmpeq_epi8(any, none)))) {
            size_t i = 0;
            if (in == 1) {
                // Behind the string's end nothing is in the set, so that this stops there by itself.
                for (; i < SEEN; i += 16) {
                    const size_t at = (size_t)_mm_cmpistri(any, GET128(s + i), NOT_ANY);
                    if (LIKELY(at < 16)) return i + at;
                }
            } else {
                for (; i < SEEN; i += 16) {
                    const __m128i x = GET128(s + i);
                    if (_mm_cmpistra(any, x, ANY)) continue;
                    const size_t at = i + (size_t)_mm_cmpistri(any, x, ANY);
                    if (_mm_cmpistrc(any, x, ANY)) return in ? (size_t)(s + at) : at;
                    if (in) return 0;
                    return i + CTZ((unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, none)));
                }
            }
            const size_t at = AT(span_on)(s, DOWN(s + SEEN, WIDTH), set, in);
            if (in < 2) return at;
            return s[at] ? (size_t)(s + at) : 0;
        } else {
            const size_t at = AT(span_of_many)(s, set, in);
            if (in < 2) return at;
            return s[at] ? (size_t)(s + at) : 0;
        }
    }
#endif
    const char *p = DOWN(s, WIDTH);
    bits m;
    const bits flip = in == 1 ? ALL : 0;
    if (LIKELY(FITS(s))) {
        const vec x = LOADU(s);
        MEMBERS(is, x);
        m = HITS(is) ^ flip;
        // strpbrk: whether the first of them is the end.
        if (LIKELY(m) && in == 2) return EQ(x, ZERO) & m & -m ? 0 : (size_t)(s + CTZ(m));
    } else {
        const vec x = LOAD(p);
        MEMBERS(is, x);
        m = SKIPPED(HITS(is) ^ flip, s - p);
    }
    size_t at = m ? CTZ(m) : 0;
    for (int i = 0; !m; i++) {
        p += WIDTH;
        if (i == 2) {
            at = AT(span_on)(s, p, set, in);
            break;
        }
        const vec x = LOAD(p);
        MEMBERS(is, x);
        m = HITS(is) ^ flip;
        if (m) at = (size_t)(p - s) + CTZ(m);
    }
    if (in < 2) return at;
    return s[at] ? (size_t)(s + at) : 0;
}
#endif
