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
    const vec x = FILL32_IN(17, c), zero = ZERO;
    const wide *at = s, *last = NULL;
    const char *p = DOWN((const char *)s, WIDTH);
    bits m, end;
    if (LIKELY(FITS(s))) {
        const vec a = LOADU_IN(16, s);
        m = EQ32(a, x), end = EQ32(a, zero);
    } else {
        const vec a = LOADU_IN(16, p);
        m = SKIPPED32(EQ32(a, x), (const char *)s - p), end = SKIPPED32(EQ32(a, zero), (const char *)s - p);
    }
    while (!end) {
        if (m) last = at + TOP32(m);
        vec a;
        do {
            p += WIDTH;
            LOOK_UP(p, brawn_wcsrchr((const wide *)p, c) ?: (wide *)last);
            a = LOADU_IN(16, p);
        } while (!EITHER32(a, x));
        at = (const wide *)p;
        m = EQ32(a, x), end = EQ32(a, zero);
    }
    m &= end ^ (end - 1);
    // A branch: whoever waits for the last vector need not wait for what follows from it.
    if (UNLIKELY(m)) return (wide *)at + TOP32(m);
    return opaque((void *)last);
}
#endif
