#include "strings.h"

FIRST(size_t, first, brawn_span, (const char *s, const char *set, int in), s, set, in)
INLINE size_t find(const char *s, const char *set) { DISPATCH(brawn_span, first, s, set, 2); }

HIDDEN char *brawn_strpbrk(const char *s, const char *set) { return (char *)find(s, set); }
NAME(strpbrk, brawn_strpbrk)
