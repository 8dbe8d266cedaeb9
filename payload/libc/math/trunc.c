// x without its fraction.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_DOUBLE(trunc, TOWARDS_ZERO, "z")

HIDDEN SSE41 double brawn_trunc(double x) {
    return trunc_any(x);
}
NAME(trunc, brawn_trunc)
