#include "strings.h"

FIRST(int, first, brawn_order_wide, (const wide *a, const wide *b, size_t n), a, b, n)

HIDDEN int brawn_wcscmp(const wide *a, const wide *b) { DISPATCH(brawn_order_wide, first, a, b, SIZE_MAX); }
NAME(wcscmp, brawn_wcscmp)
