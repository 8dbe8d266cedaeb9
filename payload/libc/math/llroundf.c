// roundf() as a long long.  Exact: musl's result and exceptions, "invalid" and the least long long where it does not fit.
#include "rounding.h"

DEFINE_TO_LONG(float, float, long long, llroundf)
NAME(llroundf, brawn_llroundf)
