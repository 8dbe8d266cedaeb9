#include "../generic/in-pieces.h"
#include "vector.h"

// Looks for the part's first two bytes, in aligned vectors.
static char *search(const char *text, const char *part) {
    const vec x = FILL(part[0]), y = FILL(part[1]), zero = ZERO;
    const char *p = DOWN(text, WIDTH);
    const bits known = ALL << (4 * (text - p));
    vec a = LOAD(p), ones = SAME(a, x);
    // Places of the second byte directly after the first one: the matches of the first byte, moved up by one byte,
    // including the last one of the vector before.
#define BEHIND(a, ones, before) AND(SAME(a, y), vextq_u8(before, ones, WIDTH - 1))
    bits m = HITS(BEHIND(a, ones, zero)) & known << 4, ends = EQ(a, zero) & known;
    size_t size = 0, budget = 512;
    for (;;) {
        if (ends) m &= UP_TO(ends);
        for (m &= EACH; m; m &= m - 1) {
            const char *const rest = p + CTZ(m) + 1;
            if (!part[2]) return (char *)rest - 2;
            size_t cost = WIDTH;
            if (LIKELY(FITS(rest) && FITS(part + 2))) {
                // How many bytes match; if that reaches the part's end, the part is found.
                const vec r = LOAD(part + 2);
                const bits stop = STOP(r, LOAD(rest));
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
        vec two, end;
        do {
            p += WIDTH;
            budget += WIDTH;
            const vec before = ones;
            a = LOAD(p);
            ones = SAME(a, x);
            two = BEHIND(a, ones, before);
            end = SAME(a, zero);
        } while (!HITS(OR(two, end)));
        m = HITS(two);
        ends = HITS(end);
    }
}

HIDDEN char *brawn_strstr(const char *text, const char *part) {
    if (UNLIKELY(!part[0])) return (char *)text;
    if (UNLIKELY(!part[1])) return brawn_strchr(text, part[0]);
    return search(text, part);
}
NAME(strstr, brawn_strstr)
