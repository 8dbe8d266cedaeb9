#include "memory.h"

HIDDEN char *brawn_copy_on_avx512(char *restrict to, const char *restrict from);

ENTRY_WITH(brawn_strcpy, others, 13, "", "")
ENTRY_NAME(strcpy, brawn_strcpy)

__attribute__((noinline, used)) static char *others(char *restrict to, const char *restrict from) {
    brawn_stpcpy(to, from);
    return opaque(to);
}

// The first vector here, so that most calls are over with it and need no stack.
#define WIDTH 64
#include "vector.h"
ENTERED(brawn_strcpy)
static char *AT(copy)(char *restrict to, const char *restrict from) {
    if (LIKELY(FITS(from) && FITS(to))) {
        const vec x = LOADU_IN(16, from);
        const bits m = EQ(x, ZERO);
        if (LIKELY(m)) PUT_SOME(to, m ^ (m - 1), x);
        else AT(brawn_copy_on)(to, from);
        return opaque(to);
    }
    return others(to, from);
}
