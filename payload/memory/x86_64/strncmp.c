#include "memory.h"
#define BOUNDED 1
#define SOURCE "order.h"
#include "levels.h"

static COLD int first(const char *a, const char *b, size_t n) {
    brawn_memory_detect();
    return brawn_strncmp(a, b, n);
}

HIDDEN int brawn_strncmp(const char *a, const char *b, size_t n) { DISPATCH(order, first, a, b, n); }
NAME(strncmp, brawn_strncmp)
