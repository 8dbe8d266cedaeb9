#include "find-char.h"

FIRST(char *, first, brawn_find_char, (const char *s, int c, int or_null), s, c, or_null)

HIDDEN char *brawn_strchr(const char *s, int c) { DISPATCH(brawn_find_char, first, s, c, 1); }
NAME(strchr, brawn_strchr)
