#include "strings.h"

#ifdef __x86_64__
#define WIDTH 64
#include "../../memory/x86_64/vector.h"

// What there is of n bytes, which are not 0, if that is in one vector; 0 if it may go on, or to does not fit.
TARGET static int AT(copy)(char *restrict to, const char *restrict from, int c, size_t n, void **end) {
    const vec x = LOADU_IN(16, from);
    const bits some = n < WIDTH ? LOW(n) : ALL, m = EQ(x, FILL_IN(17, c)) & some;
    if (UNLIKELY(!m && n > WIDTH) || UNLIKELY(!FITS(to))) return 0;
    PUT_SOME(to, m ? m ^ (m - 1) : some, x);
    *end = m ? to + CTZ(m) + 1 : NULL;
    return 1;
}
#endif

HIDDEN void *brawn_memccpy(void *restrict to, const void *restrict from, int c, size_t n) {
#ifdef __x86_64__
    void *end;
    if (LIKELY(LEVEL() == AVX512 && n && FITS(from) && AT(copy)(to, from, c, n, &end))) return end;
#endif
    if (UNLIKELY(!n)) return NULL;
    const char *const last = brawn_memchr(from, c, n);
    if (last) n = (size_t)(last + 1 - (const char *)from);
    brawn_memcpy(to, from, n);
    return last ? (char *)to + n : NULL;
}
NAME(memccpy, brawn_memccpy)
