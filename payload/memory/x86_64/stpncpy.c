#include "../generic/in-parts.h"
#include "memory.h"

#define WIDTH 64
#include "vector.h"
// The bytes up to the end are kept, those behind it are zeros.
#define UP_TO(end) ((end) ^ ((end) - 1))

// n is not 0, and the first vector lies in one page.
TARGET static char *AT(copy)(char *restrict to, const char *restrict from, size_t n) {
    const vec zero = ZERO;
    vec x = LOADU(from);
    bits end = EQ(x, zero);
    if (n <= WIDTH) {
        const bits some = LOW(n);
        end &= some;
        _mm512_mask_storeu_epi8(to, some, _mm512_maskz_mov_epi8(end ? UP_TO(end) : some, x));
        return to + (end ? CTZ(end) : n);
    }
    size_t i = 0;
    if (!end) {
        STOREU(to, x);
        for (i = WIDTH - ((uintptr_t)from & (WIDTH - 1)); i + WIDTH <= n; i += WIDTH) {
            x = LOAD(from + i);
            end = EQ(x, zero);
            if (end) goto padded;
            STOREU(to + i, x);
        }
        // Less than a vector, or nothing, is left to write.
        if (i == n) return to + n;
        const bits some = LOW(n - i);
        x = LOAD(from + i);
        end = EQ(x, zero) & some;
        _mm512_mask_storeu_epi8(to + i, some, _mm512_maskz_mov_epi8(end ? UP_TO(end) : some, x));
        return to + (end ? i + CTZ(end) : n);
    }
padded:
    STOREU(to + i, _mm512_maskz_mov_epi8(UP_TO(end), x));
    if (i + WIDTH < n) brawn_memset(to + i + WIDTH, 0, n - i - WIDTH);
    return to + i + CTZ(end);
}

HIDDEN char *brawn_stpncpy(char *restrict to, const char *restrict from, size_t n) {
    if (LIKELY(LEVEL() == AVX512 && n && FITS(from))) return AT(copy)(to, from, n);
    return in_parts(to, from, n);
}
NAME(__stpncpy, brawn_stpncpy)
NAME(stpncpy, brawn_stpncpy)
