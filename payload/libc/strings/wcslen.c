#ifndef WIDTH
#define SOURCE "../../libc/strings/wcslen.c"
#include "strings.h"

#include "levels.h"

FIRST(size_t, first, length, (const wide *s), s)

HIDDEN size_t brawn_wcslen(const wide *s) { DISPATCH(length, first, s); }
NAME(wcslen, brawn_wcslen)

#else
#include "words.h"
TARGET static size_t AT(length)(const wide *s) {
    if (LIKELY(FITS(s))) {
        const bits m = EQ32(LOADU_IN(16, s), ZERO);
        if (LIKELY(m)) return AT32(m);
    }
    return (size_t)(AT(brawn_find_wide)(s, 0) - s);
}
#endif
