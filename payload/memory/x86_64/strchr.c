#include "memory.h"
#define END_IS_NULL 1
#define SOURCE "find-char.h"
#include "levels.h"

static COLD char *first(const char *s, int c) {
    brawn_memory_detect();
    return brawn_strchr(s, c);
}

HIDDEN char *brawn_strchr(const char *s, int c) { DISPATCH(find, first, s, c); }
NAME(strchr, brawn_strchr)
