#ifndef WIDTH
#define SOURCE "strrchr.c"
#include "memory.h"

ENTRY(brawn_strrchr, find_last)
ENTRY_NAME(strrchr, brawn_strrchr)

#include "levels.h"

OTHERS(char *, find_last, (const char *s, int c), s, c)

#else
ENTERED(brawn_strrchr)
static char *AT(find_last)(const char *s, int c) {
    const vec x = FILL_IN(17, c), zero = ZERO;
    // The place of the last match so far: `last`, or somewhere in the four vectors at `block`.
    const char *p = DOWN(s, WIDTH), *last = NULL, *block = NULL;
    bits m, end;
    if (LIKELY(FITS(s))) {
        const vec a = LOADU_IN(16, s);
        end = EQ(a, zero);
        m = EQ(a, x);
    } else {
        const vec a = LOADU_IN(16, p);
        end = EQ(a, zero) >> (s - p);
        m = EQ(a, x) >> (s - p);
    }
    if (LIKELY(end)) {
        m &= end ^ (end - 1);
        return m ? (char *)s + TOP(m) : NULL;
    }
    if (m) last = s + TOP(m);
    p += WIDTH;
    for (;;) {
        // Few processors have only this level, so its size matters more than its speed.
        do {
            const vec a = LOAD(p);
            if (HITS(JOIN(SAME(a, x), SAME(a, zero)))) {
                m = EQ(a, x);
                end = EQ(a, zero);
                if (end) goto at_end;
                last = p + TOP(m), block = NULL;
            }
            p += WIDTH;
            LOOK_UP(p, brawn_strrchr(p, c) ?: (char *)last);
        } while (WIDTH == 16 || (uintptr_t)p & (4 * WIDTH - 1));
        for (;; p += 4 * WIDTH) {
            const vec a = LOAD(p), b = LOAD(p + WIDTH), d = LOAD(p + 2 * WIDTH), e = LOAD(p + 3 * WIDTH);
            if (UNLIKELY(EQ(MIN(MIN(a, b), MIN(d, e)), zero))) break;
            if (HITS(JOIN(JOIN(SAME(a, x), SAME(b, x)), JOIN(SAME(d, x), SAME(e, x))))) block = p;
        }
    }
at_end:
    m &= end ^ (end - 1);
    if (m) return (char *)p + TOP(m);
    if (!block) return (char *)last;
    for (p = block + 3 * WIDTH;; p -= WIDTH) {
        m = EQ(LOAD(p), x);
        if (m) return (char *)p + TOP(m);
    }
}
#endif
