// x to an integer in the rounding mode in force; raises "inexact" where they differ.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_DOUBLE(rint, BY_MODE, "x")

HIDDEN SSE41 double brawn_rint(double x) {
    return rint_any(x);
}
NAME(rint, brawn_rint)
