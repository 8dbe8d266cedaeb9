// round() as a long long.  Exact: musl's result and exceptions, "invalid" and the least long long where it does not fit.
#include "rounding.h"

DEFINE_DOUBLE(llround, HALF_AWAY, "a")

HIDDEN SSE41 long long brawn_llround(double x) {
#ifdef __x86_64__
    return (long long)llround_any(x);
#else
    long long result;
    __asm__ volatile("fcvtas %x0, %d1" : "=r"(result) : "w"(x));
    return result;
#endif
}
NAME(llround, brawn_llround)
