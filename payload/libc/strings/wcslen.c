#include "strings.h"

FIRST(wide *, first, brawn_find_wide, (const wide *s, wide c), s, c)
INLINE wide *find(const wide *s, wide c) { DISPATCH(brawn_find_wide, first, s, c); }

HIDDEN size_t brawn_wcslen(const wide *s) { return (size_t)(find(s, 0) - s); }
NAME(wcslen, brawn_wcslen)
