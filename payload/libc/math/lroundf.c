// roundf() as a long.  Exact: musl's result and exceptions, "invalid" and the least long where it does not fit.
#include "rounding.h"

DEFINE_FLOAT(lroundf, HALF_AWAY, "a")

HIDDEN SSE41 long brawn_lroundf(float x) {
#ifdef __x86_64__
    return (long)lroundf_any(x);
#else
    long result;
    __asm__ volatile("fcvtas %x0, %s1" : "=r"(result) : "w"(x));
    return result;
#endif
}
NAME(lroundf, brawn_lroundf)
