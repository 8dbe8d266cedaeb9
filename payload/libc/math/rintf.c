// x to an integer in the rounding mode in force; raises "inexact" where they differ.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_FLOAT(rintf, BY_MODE, "x")

HIDDEN SSE41 float brawn_rintf(float x) {
    return rintf_any(x);
}
NAME(rintf, brawn_rintf)
