#include "../generic/in-parts.h"
#include "memory.h"

#define WIDTH 64
#include "vector.h"
// The bytes up to the end are kept, those behind it are zeros.
#define UP_TO(end) ((end) ^ ((end) - 1))

// n is 1 to WIDTH, and the vectors lie in one page each.
TARGET static char *AT(copy_short)(char *restrict to, const char *restrict from, size_t n) {
    const vec x = LOADU(from);
    const bits some = LOW(n), end = EQ(x, ZERO) & some;
    PUT_SOME(to, some, _mm512_maskz_mov_epi8(end ? UP_TO(end) : some, x));
    return to + (end ? CTZ(end) : n);
}

// n is more, and the string's first vector lies in one page.
TARGET static char *AT(copy)(char *restrict to, const char *restrict from, size_t n) {
    const vec zero = ZERO;
    vec x = LOADU(from);
    bits end = EQ(x, zero);
    size_t i = 0;
    if (!end) {
        STOREU(to, x);
        for (i = WIDTH - ((uintptr_t)from & (WIDTH - 1)); i + WIDTH <= n; i += WIDTH) {
            x = LOAD(from + i);
            end = EQ(x, zero);
            if (end) goto padded;
            STOREU(to + i, x);
        }
        // Less than a vector, or nothing, is left to write: the vector that ends with it.  All of it can be read, as
        // the string's next byte can be.
        if (i == n) return to + n;
        i = n - WIDTH;
        x = LOADU(from + i);
        end = EQ(x, zero);
        STOREU(to + i, _mm512_maskz_mov_epi8(end ? UP_TO(end) : ALL, x));
        return to + (end ? i + CTZ(end) : n);
    }
padded:
    STOREU(to + i, _mm512_maskz_mov_epi8(UP_TO(end), x));
    if (i + WIDTH < n) brawn_memset(to + i + WIDTH, 0, n - i - WIDTH);
    return to + i + CTZ(end);
}

HIDDEN char *brawn_stpncpy(char *restrict to, const char *restrict from, size_t n) {
    if (LIKELY(LEVEL() == AVX512 && n && FITS(from))) {
        if (UNLIKELY(n > WIDTH)) return AT(copy)(to, from, n);
        if (LIKELY(FITS(to))) return AT(copy_short)(to, from, n);
    }
    if (UNLIKELY(!n)) return to;
    return in_parts(to, from, n);
}
NAME(__stpncpy, brawn_stpncpy)
NAME(stpncpy, brawn_stpncpy)
