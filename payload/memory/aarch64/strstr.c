#include "../generic/in-pieces.h"
#include "vector.h"

// Looks for two bytes of the part that follow each other, in aligned vectors: the first two, or the first that differ.
static char *search(const char *text, const char *part) {
    const size_t skipped = UNLIKELY(part[0] == part[1]) ? alike_first(part) : 0;
    // The first two are known if they are what is looked for.
    const size_t from = skipped ? 0 : 2;
    const vec x = FILL(part[skipped]), y = FILL(part[skipped + 1]), zero = ZERO;
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
            const char *const at = p + CTZ(m) - 1 - skipped, *const rest = at + from;
            if (UNLIKELY((uintptr_t)at < (uintptr_t)text)) continue;
            if (!part[2]) return (char *)at;
            size_t cost = WIDTH;
            if (LIKELY(FITS(rest) && FITS(part + from))) {
                // How many bytes match; if that reaches the part's end, the part is found.
                const vec r = LOAD(part + from);
                const bits stop = STOP(r, LOAD(rest));
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
