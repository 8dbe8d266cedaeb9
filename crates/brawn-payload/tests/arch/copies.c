// The copies of an arch.h as functions, to look at what they call.
#include "arch.h"

void copy(void *to, const void *from, size_t n) { arch_copy(to, from, n); }
void fill(void *to, int byte, size_t n) { arch_fill(to, byte, n); }
