#include "../generic/append.h"
#include "end.h"

#define WIDTH 64
#include "vector.h"

// The end within n bytes, in one vector; NULL if the string may continue.
TARGET static char *AT(append)(char *restrict to, const char *restrict from, size_t n) {
    const vec x = LOADU_IN(16, from);
    bits end = EQ(x, ZERO);
    if (n < WIDTH) end |= (bits)1 << n;
    if (UNLIKELY(!end)) return NULL;
    end ^= end - 1;
    PUT_SOME(to, end, _mm512_maskz_mov_epi8(end >> 1, x));
    return to;
}

HIDDEN char *brawn_strncat(char *restrict to, const char *restrict from, size_t n) {
    char *const end = end_of(to);
    if (LIKELY(LEVEL() == AVX512 && n && FITS(from) && FITS(end) && AT(append)(end, from, n))) return to;
    append_in_parts(end, from, n);
    return to;
}
NAME(strncat, brawn_strncat)
