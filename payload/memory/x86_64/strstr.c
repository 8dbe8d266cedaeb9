#ifndef WIDTH
#define SOURCE "strstr.c"
#include "../generic/in-pieces.h"
#include "levels.h"

FIRST(char *, first, search, (const char *text, const char *part), text, part)

HIDDEN char *brawn_strstr(const char *text, const char *part) {
    if (UNLIKELY(!part[0])) return (char *)text;
    if (UNLIKELY(!part[1])) return brawn_strchr(text, part[0]);
    DISPATCH(search, first, text, part);
}
NAME(strstr, brawn_strstr)

#else
// Looks for the part's first two bytes, in aligned vectors.
TARGET static char *AT(search)(const char *text, const char *part) {
    const vec x = FILL(part[0]), y = FILL(part[1]), zero = ZERO;
    const char *p = DOWN(text, WIDTH);
    const bits known = (bits)(ALL << (text - p)) & ALL;
    vec a = LOAD(p);
    bits ones = EQ(a, x) & known, ends = EQ(a, zero) & known;
    // Places of the second byte behind one of the first; carry: the last vector ended with the first byte.
    bits m = EQ(a, y) & (bits)(ones << 1), carry = ones >> (WIDTH - 1);
    size_t size = 0, budget = 512;
    for (;;) {
        if (ends) m &= ends ^ (ends - 1);
        for (; UNLIKELY(m); m &= m - 1) {
            const char *const rest = p + CTZ(m) + 1;
            if (!part[2]) return (char *)rest - 2;
            size_t cost = WIDTH;
            if (LIKELY(FITS(rest) && FITS(part + 2))) {
                // How many bytes match; if that reaches the part's end, the part is found.
                const vec r = LOADU(part + 2);
                const bits stop = STOP(r, LOADU(rest));
                if (LIKELY(stop)) {
                    if (!part[2 + CTZ(stop)]) return (char *)rest - 2;
                    goto next;
                }
            }
            if (!size) size = brawn_strlen(part + 2);
            // strncmp does not go beyond the text's end.
            if (!brawn_strncmp(rest, part + 2, size)) return (char *)rest - 2;
            cost += size / 8;
        next:
            if (UNLIKELY(budget < cost)) return in_pieces(rest - 1, part);
            budget -= cost;
        }
        if (ends) return NULL;
        p += WIDTH;
        LOOK_UP(p, brawn_strstr(p - carry, part));
        budget += WIDTH;
        a = LOAD(p);
        ends = EQ(a, zero);
        ones = EQ(a, x);
        m = EQ(a, y) & ((bits)(ones << 1) | carry);
        carry = ones >> (WIDTH - 1);
    }
}
#endif
