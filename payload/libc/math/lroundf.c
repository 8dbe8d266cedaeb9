// roundf() as a long.  Exact: musl's result and exceptions, "invalid" and the least long where it does not fit.
#include "rounding.h"

DEFINE_TO_LONG(float, float, long, lroundf)
NAME(lroundf, brawn_lroundf)
