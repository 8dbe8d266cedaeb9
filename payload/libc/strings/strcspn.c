#include "strings.h"

FIRST(size_t, first, brawn_span, (const char *s, const char *set, int in), s, set, in)

HIDDEN size_t brawn_strcspn(const char *s, const char *set) { DISPATCH(brawn_span, first, s, set, 0); }
NAME(strcspn, brawn_strcspn)
