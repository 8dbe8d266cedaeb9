// round() as a long long.  Exact: musl's result and exceptions, "invalid" and the least long long where it does not fit.
#include "rounding.h"

DEFINE_TO_LONG(double, double, long long, llround)
NAME(llround, brawn_llround)
