#include "../generic/in-parts.h"

HIDDEN char *brawn_stpncpy(char *restrict to, const char *restrict from, size_t n) { return in_parts(to, from, n); }
NAME(__stpncpy, brawn_stpncpy)
NAME(stpncpy, brawn_stpncpy)
