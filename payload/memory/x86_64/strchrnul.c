#include "memory.h"
#define END_IS_NULL 0
#define SOURCE "find-char.h"
#include "levels.h"

static COLD char *first(const char *s, int c) {
    brawn_memory_detect();
    return brawn_strchrnul(s, c);
}

HIDDEN char *brawn_strchrnul(const char *s, int c) { DISPATCH(find, first, s, c); }
NAME(__strchrnul, brawn_strchrnul)
NAME(strchrnul, brawn_strchrnul)
