// wcsncmp, and wcscmp with it.
#ifndef WIDTH
#define SOURCE "../../libc/strings/wcsncmp.c"
#include "strings.h"

#include "levels.h"

FIRST(int, first, brawn_order_wide, (const wide *a, const wide *b, size_t n), a, b, n)

HIDDEN int brawn_wcsncmp(const wide *a, const wide *b, size_t n) {
    if (UNLIKELY(!n)) return 0;
    DISPATCH(brawn_order_wide, first, a, b, n);
}
NAME(wcsncmp, brawn_wcsncmp)

#else
#include "words.h"
// After the first i words, none or a vector.  A function of its own, so that the other needs no stack.
TARGET static int AT(order_wide_on)(const wide *a, const wide *b, size_t n, size_t i) {
    const vec zero = ZERO;
    while (i < n) {
#ifdef MIN32
        // Four at once, where they count and lie in one page.
        while (n - i >= 4 * LANES && i && FITS_IN(a + i, 4 * WIDTH) && FITS_IN(b + i, 4 * WIDTH)) {
            const wide *const p = a + i, *const q = b + i;
            const vec c = LOADU(p), d = LOADU(p + LANES), e = LOADU(p + 2 * LANES), f = LOADU(p + 3 * LANES);
            const vec cd = OR(XOR(c, LOADU(q)), XOR(d, LOADU(q + LANES)));
            const vec ef = OR(XOR(e, LOADU(q + 2 * LANES)), XOR(f, LOADU(q + 3 * LANES)));
            if (UNLIKELY(NE32(OR(cd, ef), zero))) break;
            if (UNLIKELY(EQ32(MIN32(MIN32(c, d), MIN32(e, f)), zero))) break;
            i += 4 * LANES;
        }
        if (UNLIKELY(i >= n)) return 0;
#endif
        size_t j = i, room = LANES;
        if (UNLIKELY(!FITS(a + i) || !FITS(b + i))) {
            room = (room_of(a + i, b + i) + 3) / 4;
            if (i < LANES) {
                // Not so much yet that a vector of the strings could end with the page.
                const size_t before = LANES - room;
                if (LIKELY(FITS(a + i - before) && FITS(b + i - before))) {
                    const vec x = LOADU(a + i - before);
                    const bits m = SKIPPED32(NE32(x, LOADU(b + i - before)) | EQ32(x, zero), before * 4);
                    i += m ? AT32(m) : room;
                    if (i >= n) return 0;
                    if (m) goto found;
                    continue;
                }
                // One of them is at the beginning of its page.
                for (; room--; i++) {
                    if (i >= n) return 0;
                    if (a[i] != b[i] || !a[i]) goto found;
                }
                continue;
            }
            LOOK_UP(0, brawn_wcsncmp(a + i, b + i, n - i));
            j = i + room - LANES;
        }
        const vec x = LOADU(a + j);
        const bits m = NE32(x, LOADU(b + j)) | EQ32(x, zero);
        if (m) {
            i = j + AT32(m);
            if (i >= n) return 0;
            goto found;
        }
        i += room;
    }
    return 0;
found:
    return a[i] < b[i] ? -1 : a[i] > b[i];
}

// n is not 0.
TARGET HIDDEN int AT(brawn_order_wide)(const wide *a, const wide *b, size_t n) {
    size_t i = 0;
    if (LIKELY(FITS(a)))
        if (LIKELY(FITS(b))) {
            const vec x = LOADU_IN(16, a), zero = ZERO;
            const bits m = NE32(x, LOADU(b)) | EQ32(x, zero);
            if (LIKELY(m)) {
                i = AT32(m);
                if (i >= n || a[i] == b[i]) return 0;
                return a[i] < b[i] ? -1 : 1;
            }
            // A few more, as most strings end soon.
            for (i = LANES; i < 4 * LANES && i < n && FITS(a + i) && FITS(b + i); i += LANES) {
                const vec y = LOADU_IN(16, a + i);
                const bits more = NE32(y, LOADU(b + i)) | EQ32(y, zero);
                if (more) {
                    i += AT32(more);
                    if (i >= n || a[i] == b[i]) return 0;
                    return a[i] < b[i] ? -1 : 1;
                }
            }
        }
    return AT(order_wide_on)(a, b, n, i);
}
#endif
