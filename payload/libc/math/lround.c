// round() as a long.  Exact: musl's result and exceptions, "invalid" and the least long where it does not fit.
#include "rounding.h"

DEFINE_TO_LONG(double, double, long, lround)
NAME(lround, brawn_lround)
