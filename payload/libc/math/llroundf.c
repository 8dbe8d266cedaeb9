// roundf() as a long long.  Exact: musl's result and exceptions, "invalid" and the least long long where it does not fit.
#include "rounding.h"

DEFINE_FLOAT(llroundf, HALF_AWAY, "a")

HIDDEN SSE41 long long brawn_llroundf(float x) {
#ifdef __x86_64__
    return (long long)llroundf_any(x);
#else
    long long result;
    __asm__ volatile("fcvtas %x0, %s1" : "=r"(result) : "w"(x));
    return result;
#endif
}
NAME(llroundf, brawn_llroundf)
