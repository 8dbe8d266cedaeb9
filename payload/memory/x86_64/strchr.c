#include "find-char.h"

static COLD char *first(const char *s, int c, int or_null) {
    (void)or_null;
    brawn_memory_detect();
    return brawn_strchr(s, c);
}

HIDDEN char *brawn_strchr(const char *s, int c) { DISPATCH(brawn_find_char, first, s, c, 1); }
NAME(strchr, brawn_strchr)
