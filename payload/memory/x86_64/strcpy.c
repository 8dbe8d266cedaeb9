#include "memory.h"
#define GIVE(to, end) (to)
#define SOURCE "copy-string.h"
#include "levels.h"

static COLD char *first(char *restrict to, const char *restrict from) {
    brawn_memory_detect();
    return brawn_strcpy(to, from);
}

HIDDEN char *brawn_strcpy(char *restrict to, const char *restrict from) { DISPATCH(copy, first, to, from); }
NAME(strcpy, brawn_strcpy)
