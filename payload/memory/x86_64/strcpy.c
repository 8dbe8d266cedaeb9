#include "memory.h"

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
    if (LIKELY(FITS(from))) {
        const vec x = LOADU_IN(16, from);
        const bits m = EQ(x, ZERO);
        if (LIKELY(m)) {
            _mm512_mask_storeu_epi8(to, m ^ (m - 1), x);
            return to;
        }
    }
    return others(to, from);
}
