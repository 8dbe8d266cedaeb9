// What is left of x without the nearest number of whole y; of two as near, the even one.  Exact: musl's result and
// exceptions.
#include "modulo.h"

HIDDEN double brawn_remainder(double x, double y) {
    uint64_t sign = bits_of(x) & SIGN, a = bits_of(x) & ~SIGN, b = bits_of(y) & ~SIGN;
    if (UNLIKELY(!divisible(a, b))) return indivisible(x, y);
    if (a < b) {
        if (UNLIKELY(b == INFINITE)) {
            // As musl's, which asks whether twice x is more than that: it may overflow.
            hidden(x + x);
            return x;
        }
        // The bits of numbers are in their order, and so are those of twice the size, even where it is too large.
        uint64_t twice = a > FRACTION ? a + ((uint64_t)1 << 52) : a << 1;
        if (twice <= b) return x;
        return double_of(bits_of(double_of(b) - double_of(a)) ^ sign ^ SIGN);
    }
    Modulo left = modulo(a, b);
    uint64_t rest = left.rest, other = left.unit - rest;
    if (rest > other || (rest == other && left.odd)) rest = other, sign ^= SIGN;
    // A zero keeps the argument's sign: it is never the one that was turned.
    return from_integer(rest, left.exponent, sign);
}
NAME(remainder, brawn_remainder)
NAME(drem, brawn_remainder)
