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
// Where each of two says so, as JOIN where either does.
#undef BOTH
#if WIDTH == 64
#define BOTH(a, b) OR(a, b)
#else
#define BOTH(a, b) MIN(a, b)
#endif

// Looks for two bytes of the part that follow each other, in aligned vectors: the first two, or the first that differ.
TARGET static char *AT(search)(const char *text, const char *part) {
    const size_t skipped = UNLIKELY(part[0] == part[1]) ? alike_first(part) : 0;
    const vec zero = ZERO;
    vec x = FILL(part[skipped]), y = FILL(part[skipped + 1]);
    const char *p = DOWN(text, WIDTH);
    const bits known = (bits)(ALL << (text - p)) & ALL;
    vec a = LOAD(p);
    bits ends = EQ(a, zero) & known;
    // Places of the second byte behind one of the first.
    bits m = EQ(a, y) & (bits)((EQ(a, x) & known) << 1);
    // The first two are known if they are what is looked for.
    const size_t from = skipped ? 0 : 2;
    size_t size = 0, spent = 0;
    for (;;) {
        if (ends) m &= ends ^ (ends - 1);
        for (; m; m &= m - 1) {
            const char *const at = p + CTZ(m) - 1 - skipped, *const rest = at + from;
            if (UNLIKELY((uintptr_t)at < (uintptr_t)text)) continue;
            if (!part[2]) return (char *)at;
            spent += WIDTH;
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
            spent += size / 8;
            // As in memmem.c: else they would be kept on the stack.
            x = FILL(part[skipped]), y = FILL(part[skipped + 1]);
        next:
            if (UNLIKELY(spent > 512 + (size_t)(p - text))) return in_pieces(at + 1, part);
        }
        if (ends) return NULL;
        // The first byte is looked for in the vector a byte before.
        vec both;
        do {
            p += WIDTH;
            LOOK_UP(p, brawn_strstr((uintptr_t)(p - 1 - skipped) < (uintptr_t)text ? text : p - 1 - skipped, part));
            a = LOAD(p);
            both = BOTH(SAME(LOADU(p - 1), x), SAME(a, y));
        } while (LIKELY(!HITS(JOIN(both, SAME(a, zero)))));
        ends = EQ(a, zero);
        m = HITS(both);
    }
}
#endif
