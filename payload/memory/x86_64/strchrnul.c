#include "find-char.h"

FIRST(char *, first, brawn_find_char, (const char *s, int c, int or_null), s, c, or_null)

HIDDEN char *brawn_strchrnul(const char *s, int c) { DISPATCH(brawn_find_char, first, s, c, 0); }
NAME(__strchrnul, brawn_strchrnul)
NAME(strchrnul, brawn_strchrnul)
