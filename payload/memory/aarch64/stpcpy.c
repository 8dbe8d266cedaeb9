#include "../generic/copy-short.h"
#include "vector.h"

HIDDEN char *brawn_stpcpy(char *restrict to, const char *restrict from) {
    const vec zero = ZERO;
    const char *p = DOWN(from, WIDTH);
    bits m;
    if (UNLIKELY(!FITS(from))) {
        m = SKIP(EQ(LOAD(p), zero), from - p);
        if (m) goto found;
        // The string goes on in the next page, so that page can be read.
    }
    const vec first = LOAD(from);
    m = EQ(first, zero);
    if (LIKELY(m)) {
    found:
        copy_short(to, from, CTZ(m) + 1);
        return to + CTZ(m);
    }
    STORE(to, first);
    // At least one vector has been copied, up to p + WIDTH at least.
    const ptrdiff_t apart = to - from;
    for (;;) {
        p += WIDTH;
        vec x = LOAD(p);
        m = EQ(x, zero);
        if (m) break;
        STORE((char *)p + apart, x);
        p += WIDTH;
        x = LOAD(p);
        m = EQ(x, zero);
        if (m) break;
        STORE((char *)p + apart, x);
    }
    // The vector that ends at the string's end.
    p += CTZ(m);
    STORE((char *)p + apart - (WIDTH - 1), LOAD(p - (WIDTH - 1)));
    return (char *)p + apart;
}
NAME(__stpcpy, brawn_stpcpy)
NAME(stpcpy, brawn_stpcpy)
