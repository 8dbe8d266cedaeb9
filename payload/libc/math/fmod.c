// What is left of x without whole y, with x's sign.  Exact: musl's result and exceptions.
#include "modulo.h"

HIDDEN double brawn_fmod(double x, double y) {
    uint64_t sign = bits_of(x) & SIGN, a = bits_of(x) & ~SIGN, b = bits_of(y) & ~SIGN;
    if (UNLIKELY(!divisible(a, b))) return indivisible(x, y);
    if (a <= b) return a < b ? x : double_of(sign);
    Modulo left = modulo(a, b);
    return from_integer(left.rest, left.exponent, sign);
}
NAME(fmod, brawn_fmod)
