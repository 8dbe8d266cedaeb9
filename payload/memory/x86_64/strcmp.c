#include "order.h"

static COLD int first(const char *a, const char *b, size_t n) {
    (void)n;
    brawn_memory_detect();
    return brawn_strcmp(a, b);
}

HIDDEN int brawn_strcmp(const char *a, const char *b) { DISPATCH(brawn_order, first, a, b, SIZE_MAX); }
NAME(strcmp, brawn_strcmp)
