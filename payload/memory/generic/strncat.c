#include "append.h"

HIDDEN char *brawn_strncat(char *restrict to, const char *restrict from, size_t n) {
    append_in_parts(to + brawn_strlen(to), from, n);
    return to;
}
NAME(strncat, brawn_strncat)
