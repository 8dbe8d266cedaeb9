// x to an integer in the rounding mode in force, without "inexact".  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_DOUBLE(nearbyint, QUIETLY, "i")

HIDDEN SSE41 double brawn_nearbyint(double x) {
    return nearbyint_any(x);
}
NAME(nearbyint, brawn_nearbyint)
