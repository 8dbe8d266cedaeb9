#include "memory.h"

HIDDEN char *brawn_strncpy(char *restrict to, const char *restrict from, size_t n) {
    brawn_stpncpy(to, from, n);
    return to;
}
NAME(strncpy, brawn_strncpy)
