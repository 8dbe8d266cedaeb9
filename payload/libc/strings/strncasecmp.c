// strncasecmp, which strcasecmp is, too.  musl's tolower of a byte is ASCII's, whatever the locale.
#ifndef WIDTH
#define SOURCE "../../libc/strings/strncasecmp.c"
#include "strings.h"

INLINE int small(unsigned c) { return (int)(c - 'A' < 26 ? c | 32 : c); }

#ifdef __x86_64__
// A byte four times: the bit between 'A' and 'a', 'a', and how far 'z' is from it.
static const uint32_t spaces = 0x20202020, as = 0x61616161, reach = 0x19191919;
#endif

#include "levels.h"

FIRST(int, first, brawn_fold, (const char *a, const char *b, size_t n), a, b, n)

HIDDEN int brawn_strncasecmp(const char *a, const char *b, size_t n) {
    if (UNLIKELY(!n)) return 0;
    DISPATCH(brawn_fold, first, a, b, n);
}
HIDDEN int brawn_strncasecmp_l(const char *a, const char *b, size_t n, void *locale) {
    (void)locale;
    return brawn_strncasecmp(a, b, n);
}
NAME(strncasecmp, brawn_strncasecmp)
NAME(__strncasecmp_l, brawn_strncasecmp_l)
NAME(strncasecmp_l, brawn_strncasecmp_l)

#else
#include "words.h"
#undef FOUND
#define FOUND(i, m)                         \
    do {                                    \
        const size_t at = (i) + CTZ(m);     \
        if (at >= n) return 0;              \
        return small(a[at]) - small(b[at]); \
    } while (0)

// After the first i bytes, less than a vector: those up to the end of a page, and then the rest.
TARGET static int AT(fold_at_edge)(const char *left, const char *right, size_t n, size_t i);

// After the first i bytes, none, or half a vector or one.  A function of its own, so that the other needs no stack.
TARGET static int AT(fold_on)(const char *left, const char *right, size_t n, size_t i) {
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    vec x;
    bits m;
    while (i < n) {
        size_t j = i, room = WIDTH;
        if (UNLIKELY(!FITS(a + i) || !FITS(b + i))) {
            // Not so much yet that a vector of the strings could end with the page.
            if (i < WIDTH) return AT(fold_at_edge)(left, right, n, i);
            room = room_of(a + i, b + i);
            LOOK_UP(0, brawn_strncasecmp(left + i, right + i, n - i));
            j = i + room - WIDTH;
        }
        x = LOWER(LOADU(a + j));
        const vec y = LOADU(b + j);
        m = STOP(x, LOWER(y));
        if (m) FOUND(j, m);
        i += room;
    }
    return 0;
}

TARGET static int AT(fold_at_edge)(const char *left, const char *right, size_t n, size_t i) {
    const unsigned char *a = (const unsigned char *)left + i, *b = (const unsigned char *)right + i;
    const size_t room = room_of(a, b), before = WIDTH - room;
    n -= i;
    if (LIKELY(FITS(a - before) && FITS(b - before))) {
        const vec x = LOWER(LOADU(a - before)), y = LOADU(b - before);
        const bits m = SKIPPED(NE(x, LOWER(y)) | EQ(x, ZERO), before);
        if (m) FOUND(0, m);
    } else
        // One of them is at the beginning of its page.
        for (size_t k = 0; k < room; k++)
            if (k >= n || !a[k] || small(a[k]) != small(b[k])) return k >= n ? 0 : small(a[k]) - small(b[k]);
    return AT(fold_on)(left, right, n + i, i + room);
}

#define HALF_FILL(r, four) IN_REGISTER(__m256i, "ymm" #r, "vpbroadcastd %1, %0", "m"(four))

#if WIDTH == 64 && defined IN_REGISTER
// Half a vector, in registers that need no vzeroupper, and with few steps one after the other: 0 where both are the same and go on,
// else the lowest bit says where they do not.  What differs is no more than the bit that makes letters small, and nothing where
// the left string has no letter.
#define STOP_IN_HALF(a, b)                                                                                                     \
    ({                                                                                                                         \
        const __m256i x = HALF_IN(16, a);                                                                                      \
        const __m256i unlike = IN_REGISTER(__m256i, "ymm17", "vpxord %1, %2, %0", "m"(AS(__m256i_u, b)), "v"(x));              \
        const __m256i bit = HALF_FILL(18, spaces);                                                                             \
        const __m256i made_small = IN_REGISTER(__m256i, "ymm19", "vpord %1, %2, %0", "v"(x), "v"(bit));                        \
        const __m256i place = IN_REGISTER(__m256i, "ymm20", "vpsubb %1, %2, %0", "v"(HALF_FILL(21, as)), "v"(made_small));     \
        const __m256i no_letter = IN_REGISTER(__m256i, "ymm22", "vpsubusb %1, %2, %0", "v"(HALF_FILL(23, reach)), "v"(place)); \
        const __m256i wrong = IN_REGISTER(__m256i, "ymm24", "vpminub %1, %2, %0", "v"(no_letter), "v"(unlike));                \
        /* wrong, or unlike in another bit. */                                                                                 \
        register __m256i all __asm__("ymm25") = wrong;                                                                         \
        __asm__("vpternlogd $0xf4, %1, %2, %0" : "+v"(all) : "v"(bit), "v"(unlike));                                           \
        (uint32_t)moved(_mm256_mask_testn_epi8_mask(_mm256_test_epi8_mask(x, x), all, all)) + 1;                               \
    })

// After the first half vector.
TARGET static int fold_rest(const char *left, const char *right, size_t n) {
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    if (LIKELY(FITS(a) && FITS(b))) {
        const uint32_t m = STOP_IN_HALF(a + 32, b + 32);
        if (LIKELY(m)) FOUND(32, m);
        return AT(fold_on)(left, right, n, 64);
    }
    return AT(fold_on)(left, right, n, 32);
}
#endif

TARGET HIDDEN int AT(brawn_fold)(const char *left, const char *right, size_t n) {
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    size_t i = 0;
#if WIDTH == 64 && defined IN_REGISTER
    if (LIKELY(FITS_IN(a, 32)))
        if (LIKELY(FITS_IN(b, 32))) {
            const uint32_t m = STOP_IN_HALF(a, b);
            if (LIKELY(m)) FOUND(0, m);
            if (n <= 32) return 0;
            return fold_rest(left, right, n);
        }
#endif
    if (LIKELY(FITS(a)))
        if (LIKELY(FITS(b))) {
            const vec x = LOWER(LOADU(a)), y = LOADU(b);
            const bits m = STOP(x, LOWER(y));
            if (LIKELY(m)) FOUND(0, m);
            i = WIDTH;
        }
    return AT(fold_on)(left, right, n, i);
}
#endif
