// strncmp of 1 byte or more, and strcmp with a limit that is never reached: that costs less than the space of a second function.
#pragma once
#include "memory.h"

HIDDEN int brawn_order_sse2(const char *a, const char *b, size_t n);
HIDDEN int brawn_order_avx2(const char *a, const char *b, size_t n);
HIDDEN int brawn_order_avx512(const char *a, const char *b, size_t n);
