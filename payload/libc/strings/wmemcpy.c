#include "strings.h"

// memcpy is memmove, too.
HIDDEN wide *brawn_wmemcpy(wide *to, const wide *from, size_t n) {
    if (UNLIKELY(!n)) return to;
    return brawn_memcpy(to, from, n * sizeof *to);
}
NAME(wmemcpy, brawn_wmemcpy)
