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
// Looks for two bytes of the part that follow each other, in aligned vectors: the first two, or the first that differ.
TARGET static char *AT(search)(const char *text, const char *part) {
    const size_t skipped = UNLIKELY(part[0] == part[1]) ? alike_first(part) : 0;
    const vec x = FILL(part[skipped]), y = FILL(part[skipped + 1]), zero = ZERO;
    const char *p = DOWN(text, WIDTH);
    const bits known = (bits)(ALL << (text - p)) & ALL;
    vec a = LOAD(p);
    bits ones = EQ(a, x) & known, ends = EQ(a, zero) & known;
    // Places of the second byte behind one of the first; carry: the last vector ended with the first byte.
    bits m = EQ(a, y) & (bits)(ones << 1), carry = ones >> (WIDTH - 1);
    // The first two are known if they are what is looked for.
    const size_t from = skipped ? 0 : 2;
    size_t size = 0, budget = 512;
    for (;;) {
        if (ends) m &= ends ^ (ends - 1);
        for (; UNLIKELY(m); m &= m - 1) {
            const char *const at = p + CTZ(m) - 1 - skipped, *const rest = at + from;
            if (UNLIKELY((uintptr_t)at < (uintptr_t)text)) continue;
            if (!part[2]) return (char *)at;
            size_t cost = WIDTH;
            if (LIKELY(FITS(rest) && FITS(part + from))) {
                // How many bytes match; if that reaches the part's end, the part is found.
                const vec r = LOADU(part + from);
                const bits stop = STOP(r, LOADU(rest));
                if (LIKELY(stop)) {
                    if (!part[from + CTZ(stop)]) return (char *)at;
                    goto next;
                }
            }
            if (!size) size = brawn_strlen(part + from);
            // strncmp does not go beyond the text's end.
            if (!brawn_strncmp(rest, part + from, size)) return (char *)at;
            cost += size / 8;
        next:
            if (UNLIKELY(budget < cost)) return in_pieces(at + 1, part);
            budget -= cost;
        }
        if (ends) return NULL;
        p += WIDTH;
        LOOK_UP(p, brawn_strstr((uintptr_t)(p - carry - skipped) < (uintptr_t)text ? text : p - carry - skipped, part));
        budget += WIDTH;
        a = LOAD(p);
        ends = EQ(a, zero);
        ones = EQ(a, x);
        m = EQ(a, y) & ((bits)(ones << 1) | carry);
        carry = ones >> (WIDTH - 1);
    }
}
#endif
