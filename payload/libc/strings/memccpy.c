#include "strings.h"

HIDDEN void *brawn_memccpy(void *restrict to, const void *restrict from, int c, size_t n) {
    const char *const last = brawn_memchr(from, c, n);
    if (last) n = (size_t)(last + 1 - (const char *)from);
    brawn_memcpy(to, from, n);
    return last ? (char *)to + n : NULL;
}
NAME(memccpy, brawn_memccpy)
