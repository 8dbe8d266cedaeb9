// strncasecmp, which strcasecmp is, too.  musl's tolower of a byte is ASCII's, whatever the locale.
#ifndef WIDTH
#define SOURCE "../../libc/strings/strncasecmp.c"
#include "strings.h"

INLINE int small(unsigned c) { return (int)(c - 'A' < 26 ? c | 32 : c); }

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
#define FOUND(i, m)                            \
    do {                                       \
        const size_t at = (i) + CTZ(m);        \
        if (at >= n) return 0;                 \
        return small(a[at]) - small(b[at]);    \
    } while (0)

TARGET HIDDEN int AT(brawn_fold)(const char *left, const char *right, size_t n) {
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    vec x;
    bits m;
    size_t i = 0;
    if (LIKELY(FITS(a)))
        if (LIKELY(FITS(b))) {
            x = LOWER(LOADU(a));
            const vec y = LOADU(b);
            m = STOP(x, LOWER(y));
            if (LIKELY(m)) FOUND(0, m);
            i = WIDTH;
        }
    while (i < n) {
        size_t j = i, room = WIDTH;
        if (UNLIKELY(!FITS(a + i) || !FITS(b + i))) {
            const size_t more_a = PAGE - ((uintptr_t)(a + i) & (PAGE - 1)), more_b = PAGE - ((uintptr_t)(b + i) & (PAGE - 1));
            room = more_a < more_b ? more_a : more_b;
            if (i < WIDTH) {
                // Not so much yet that a vector could end with the page.
                for (; room--; i++)
                    if (i >= n || !a[i] || small(a[i]) != small(b[i])) return i >= n ? 0 : small(a[i]) - small(b[i]);
                continue;
            }
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
#endif
