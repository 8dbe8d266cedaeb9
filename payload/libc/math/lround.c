// round() as a long.  Exact: musl's result and exceptions, "invalid" and the least long where it does not fit.
#include "rounding.h"

DEFINE_DOUBLE(lround, HALF_AWAY, "a")

HIDDEN SSE41 long brawn_lround(double x) {
#ifdef __x86_64__
    return (long)lround_any(x);
#else
    long result;
    __asm__ volatile("fcvtas %x0, %d1" : "=r"(result) : "w"(x));
    return result;
#endif
}
NAME(lround, brawn_lround)
