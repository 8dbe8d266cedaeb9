// The exponent of a number's first bit.
#include "double.h"

HIDDEN double brawn_logb(double x) {
    const uint64_t size = bits_of(x) & ~MINUS_BIT;
    if (LIKELY(size - LEAST_NORMAL < INFINITE_BITS - LEAST_NORMAL)) return (int)(size >> 52) - 0x3ff;
    if (size >= INFINITE_BITS) return x * x;
    if (size == 0) return -1 / hidden(0.0);
    return -0x3ff + 12 - __builtin_clzll(size);
}
NAME(logb, brawn_logb)
