#include "memory.h"

static char *copy_in_parts(char *restrict to, const char *restrict from, size_t n) {
    const size_t length = brawn_strnlen(from, n);
    brawn_memcpy(to, from, length);
    if (length < n) brawn_memset(to + length, 0, n - length);
    return to + length;
}

#define WIDTH 64
#include "vector.h"
// Up to 64 bytes that lie in one page: the string and the zeros behind it at once.
TARGET static char *AT(copy)(char *restrict to, const char *restrict from, size_t n) {
    const bits some = LOW(n);
    const vec x = LOADU(from);
    const bits end = EQ(x, ZERO) & some;
    const bits kept = end ? (end ^ (end - 1)) : some;
    _mm512_mask_storeu_epi8(to, some, _mm512_maskz_mov_epi8(kept, x));
    return to + (end ? CTZ(end) : n);
}

HIDDEN char *brawn_stpncpy(char *restrict to, const char *restrict from, size_t n) {
    if (LIKELY(n <= 64) && LEVEL() == AVX512 && LIKELY(n && FITS(from))) return AT(copy)(to, from, n);
    return copy_in_parts(to, from, n);
}
NAME(__stpncpy, brawn_stpncpy)
NAME(stpncpy, brawn_stpncpy)
