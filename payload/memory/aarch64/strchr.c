#include "../generic/memory.h"

// The call costs less than the space of a second search.
HIDDEN char *brawn_strchr(const char *s, int c) {
    char *const p = brawn_strchrnul(s, c);
    return *p == (char)c ? p : NULL;
}
NAME(strchr, brawn_strchr)
