#include "memory.h"
#define BOUNDED 0
#define SOURCE "order.h"
#include "levels.h"

static COLD int first(const char *a, const char *b, size_t n) {
    (void)n;
    brawn_memory_detect();
    return brawn_strcmp(a, b);
}

HIDDEN int brawn_strcmp(const char *a, const char *b) { DISPATCH(order, first, a, b, 0); }
NAME(strcmp, brawn_strcmp)
