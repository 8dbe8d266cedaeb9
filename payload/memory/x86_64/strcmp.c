#include "order.h"

FIRST(int, first, brawn_order, (const char *a, const char *b, size_t n), a, b, n)

HIDDEN int brawn_strcmp(const char *a, const char *b) { DISPATCH(brawn_order, first, a, b, SIZE_MAX); }
NAME(strcmp, brawn_strcmp)
