// The least integer that is not below x.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_DOUBLE(ceil, UP_TO, "p")

HIDDEN SSE41 double brawn_ceil(double x) {
    return ceil_any(x);
}
NAME(ceil, brawn_ceil)
