// In place, too: whatever is stored has been loaded, and nothing is loaded again.
#include "strings.h"

typedef uint16_t __attribute__((vector_size(16), aligned(1), may_alias)) pairs;
HIDDEN void brawn_swab(const void *restrict from, void *restrict to, ptrdiff_t n);

HIDDEN void brawn_swab(const void *restrict from, void *restrict to, ptrdiff_t n) {
    const char *s = from;
    char *d = to;
    for (; n >= 32; n -= 32, s += 32, d += 32) {
        const pairs x = *(const pairs *)s, y = *(const pairs *)(s + 16);
        *(pairs *)d = x << 8 | x >> 8;
        *(pairs *)(d + 16) = y << 8 | y >> 8;
    }
    if (n >= 16) {
        const pairs x = *(const pairs *)s;
        *(pairs *)d = x << 8 | x >> 8;
        n -= 16, s += 16, d += 16;
    }
    for (; n > 1; n -= 2, s += 2, d += 2) PUT16(d, __builtin_bswap16(GET16(s)));
}
NAME(swab, brawn_swab)
