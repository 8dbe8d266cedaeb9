#include "memory.h"
#define GIVE(to, end) (end)
#define SOURCE "copy-string.h"
#include "levels.h"

static COLD char *first(char *restrict to, const char *restrict from) {
    brawn_memory_detect();
    return brawn_stpcpy(to, from);
}

HIDDEN char *brawn_stpcpy(char *restrict to, const char *restrict from) { DISPATCH(copy, first, to, from); }
NAME(__stpcpy, brawn_stpcpy)
NAME(stpcpy, brawn_stpcpy)
