#include "strings.h"

FIRST(int, first, brawn_order_wide, (const wide *a, const wide *b, size_t n, int ends), a, b, n, ends)

HIDDEN int brawn_wmemcmp(const wide *a, const wide *b, size_t n) { DISPATCH(brawn_order_wide, first, a, b, n, 0); }
NAME(wmemcmp, brawn_wmemcmp)
