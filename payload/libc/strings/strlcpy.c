#include "strings.h"

HIDDEN size_t brawn_strlcpy(char *to, const char *from, size_t n) {
    const size_t length = brawn_strlen(from);
    if (n) {
        const size_t some = length < n ? length : n - 1;
        brawn_memcpy(to, from, some);
        to[some] = 0;
    }
    return length;
}
NAME(strlcpy, brawn_strlcpy)
