#include "strings.h"

HIDDEN size_t brawn_strlcat(char *to, const char *from, size_t n) {
    const size_t there = brawn_strnlen(to, n);
    if (there == n) return there + brawn_strlen(from);
    return there + brawn_strlcpy(to + there, from, n - there);
}
NAME(strlcat, brawn_strlcat)
