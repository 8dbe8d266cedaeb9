#ifndef WIDTH
#define SOURCE "../../libc/strings/wcsrchr.c"
#include "strings.h"

HIDDEN wide *brawn_wcsrchr(const wide *s, wide c);
#include "levels.h"

FIRST(wide *, first, find_last, (const wide *s, wide c), s, c)

HIDDEN wide *brawn_wcsrchr(const wide *s, wide c) { DISPATCH(find_last, first, s, c); }
NAME(wcsrchr, brawn_wcsrchr)

#else
#include "words.h"
TARGET static wide *AT(find_last)(const wide *s, wide c) {
    const vec x = FILL32(c), zero = ZERO;
    const wide *at = s, *last = NULL;
    const char *p = DOWN((const char *)s, WIDTH);
    bits m, end;
    if (LIKELY(FITS(s))) {
        const vec a = LOADU(s);
        m = EQ32(a, x), end = EQ32(a, zero);
    } else {
        const vec a = LOAD(p);
        m = SKIPPED32(EQ32(a, x), (const char *)s - p), end = SKIPPED32(EQ32(a, zero), (const char *)s - p);
    }
    while (!end) {
        if (m) last = at + TOP32(m);
        p += WIDTH;
        LOOK_UP(p, brawn_wcsrchr((const wide *)p, c) ?: (wide *)last);
        at = (const wide *)p;
        const vec a = LOAD(p);
        m = EQ32(a, x), end = EQ32(a, zero);
    }
    m &= end ^ (end - 1);
    return (wide *)(m ? at + TOP32(m) : last);
}
#endif
