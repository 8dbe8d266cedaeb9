// x to an integer in the rounding mode in force, without "inexact".  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_FLOAT(nearbyintf, QUIETLY, "i")

HIDDEN SSE41 float brawn_nearbyintf(float x) {
    return nearbyintf_any(x);
}
NAME(nearbyintf, brawn_nearbyintf)
