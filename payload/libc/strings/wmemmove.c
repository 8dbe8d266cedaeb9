#include "strings.h"

// memcpy is memmove, too.
HIDDEN wide *brawn_wmemmove(wide *to, const wide *from, size_t n) { return brawn_memcpy(to, from, n * sizeof *to); }
NAME(wmemmove, brawn_wmemmove)
