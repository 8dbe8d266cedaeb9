#include "memory.h"

HIDDEN char *brawn_strncat(char *restrict to, const char *restrict from, size_t n) {
    char *const end = to + brawn_strlen(to);
    const size_t length = brawn_strnlen(from, n);
    brawn_memcpy(end, from, length);
    end[length] = 0;
    return to;
}
NAME(strncat, brawn_strncat)
