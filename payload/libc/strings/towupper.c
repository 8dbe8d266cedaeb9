// towupper and towlower, by three tables; musl (1.2.2 to 1.2.6, src/ctype/towctrans.c) looks for most characters in a list.
#include "tables-cases.h"

INLINE unsigned kind_of(unsigned c) {
    return KINDS[KINDS_OF[c >> CASE_BITS] << CASE_BITS | (c & 63)];
}

HIDDEN unsigned brawn_towupper(unsigned c) {
    if (LIKELY(c < 0x80)) return c - 'a' < 26 ? c ^ 0x20 : c;
    return UNLIKELY(c >= CASES_END) ? c : c + (unsigned)FAR[kind_of(c)].to_upper;
}
NAME(towupper, brawn_towupper)
NAME(__towupper_l, brawn_towupper)
NAME(towupper_l, brawn_towupper)

HIDDEN unsigned brawn_towlower(unsigned c) {
    if (LIKELY(c < 0x80)) return c - 'A' < 26 ? c | 0x20 : c;
    return UNLIKELY(c >= CASES_END) ? c : c + (unsigned)FAR[kind_of(c)].to_lower;
}
NAME(towlower, brawn_towlower)
NAME(__towlower_l, brawn_towlower)
NAME(towlower_l, brawn_towlower)
