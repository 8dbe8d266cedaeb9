// Whether a character is white space, as musl's table says (1.2.2 to 1.2.6, src/ctype/iswspace.c), which is searched there.
#include "../libc.h"

HIDDEN int brawn_iswspace(unsigned c) {
    if (LIKELY(c < 0x80)) return c == ' ' || c - '\t' < 5;
    // From 0x2000 on; 0x2007 does not break a line.
    const unsigned from = c - 0x2000;
    if (from < 0x60) return (from < 11 && from != 7) || from - 0x28 < 2 || from == 0x5f;
    return c == 0x85 || c == 0x3000;
}
NAME(iswspace, brawn_iswspace)
NAME(__iswspace_l, brawn_iswspace)
NAME(iswspace_l, brawn_iswspace)
