#ifndef WIDTH
#define SOURCE "../../libc/strings/wmemset.c"
#include "strings.h"

#include "levels.h"

FIRST(wide *, first, fill, (wide * to, wide c, size_t n), to, c, n)

HIDDEN wide *brawn_wmemset(wide *to, wide c, size_t n) {
    if (LIKELY(n < 16)) {
        for (size_t i = 0; i < n; i++) {
            to[i] = c;
            __asm__ volatile("" ::: "memory");
        }
        return to;
    }
    DISPATCH(fill, first, to, c, n);
}
NAME(wmemset, brawn_wmemset)

#else
#include "words.h"
#ifdef __aarch64__
#define STOREU(p, x) STORE(p, x)
#endif
// n is 16 or more.
TARGET static wide *AT(fill)(wide *to, wide c, size_t n) {
    const vec x = FILL32(c);
    if (n < 4 * LANES) {
        for (wide *p = to; p < to + n - LANES; p += LANES) STOREU(p, x);
        STOREU(to + n - LANES, x);
        return to;
    }
    STOREU(to, x);
    // Aligned, if words are: the first, and the one that has the last word.  All stores but two stay in a cache line.
    wide *p = to + (WIDTH - ((uintptr_t)to & (WIDTH - 1))) / 4;
    wide *const last = p + DOWN((size_t)(to + n - 1 - p), LANES);
    for (; p < last - 3 * LANES; p += 4 * LANES) {
        STOREU(p, x);
        STOREU(p + LANES, x);
        STOREU(p + 2 * LANES, x);
        STOREU(p + 3 * LANES, x);
    }
    STOREU(last - 3 * LANES, x);
    STOREU(last - 2 * LANES, x);
    STOREU(last - LANES, x);
    STOREU(to + n - LANES, x);
    return to;
}
#endif
