// strcasestr: the part's first two letters are looked for a vector at once, and where both are the rest is compared.
#ifndef WIDTH
#define SOURCE "../../libc/strings/strcasestr.c"
#include "strings.h"

INLINE int small(unsigned c) { return (int)(c - 'A' < 26 ? c | 32 : c); }

#include "levels.h"

FIRST(char *, first, search, (const char *text, const char *part), text, part)

HIDDEN char *brawn_strcasestr(const char *text, const char *part) {
    // As musl since 1.2.6; before, it found nothing in an empty text, not even an empty part.
    if (UNLIKELY(!part[0])) return (char *)text;
    DISPATCH(search, first, text, part);
}
NAME(strcasestr, brawn_strcasestr)

#else
#include "words.h"
TARGET static char *AT(search)(const char *text, const char *part) {
    const size_t size = brawn_strlen(part);
    // A part of one letter has its end for the second one, which every byte passes for.
    const vec one = FILL(small((unsigned char)part[0])), two = FILL(small((unsigned char)part[1])), zero = ZERO;
    const char *p = DOWN(text, WIDTH);
    vec x = LOAD(p);
    bits known = (bits)(ALL << (STEP * (text - p))) & ALL, before = 0;
    for (;;) {
        const vec y = LOWER(x);
        bits ends = EQ(x, zero) & known;
        const bits ones = EQ(y, one) & known;
        // Places of the second letter behind one of the first; before: the last vector ended with the first.
        bits m = (bits)(ones << STEP) | before;
        if (size > 1) m &= EQ(y, two);
        // Those behind the end do not count.
        if (ends) m &= ends ^ (ends - 1);
        for (m &= MASK1; UNLIKELY(m); m &= m - 1) {
            const char *const found = p + CTZ(m) - 1;
            if (size <= 2 || !brawn_strncasecmp(found + 2, part + 2, size - 2)) return (char *)found;
        }
        if (ends) return NULL;
        before = ones >> (STEP * (WIDTH - 1));
        known = ALL;
        p += WIDTH;
        LOOK_UP(p, brawn_strcasestr(p - !!before, part));
        x = LOAD(p);
    }
}
#endif
