#ifndef WIDTH
#define SOURCE "strrchr.c"
#include "levels.h"

static COLD char *first(const char *s, int c) {
    brawn_memory_detect();
    return brawn_strrchr(s, c);
}

HIDDEN char *brawn_strrchr(const char *s, int c) { DISPATCH(find_last, first, s, c); }
NAME(strrchr, brawn_strrchr)

#else
TARGET static char *AT(find_last)(const char *s, int c) {
    const vec x = FILL(c), zero = ZERO;
    const char *p = DOWN(s, WIDTH), *last = NULL;
    bits m, end;
    if (LIKELY(FITS(s))) {
        const vec a = LOADU(s);
        end = EQ(a, zero);
        m = EQ(a, x);
    } else {
        const vec a = LOAD(p);
        end = EQ(a, zero) >> (s - p);
        m = EQ(a, x) >> (s - p);
    }
    if (LIKELY(end)) {
        m &= end ^ (end - 1);
        return m ? (char *)s + TOP(m) : NULL;
    }
    if (m) last = s + TOP(m);
    for (;;) {
        p += WIDTH;
        const vec a = LOAD(p);
        m = EQ(a, x);
        end = EQ(a, zero);
        if (end) break;
        if (m) last = p + TOP(m);
    }
    m &= end ^ (end - 1);
    return m ? (char *)p + TOP(m) : (char *)last;
}
#endif
