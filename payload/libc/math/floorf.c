// The largest integer that is not above x.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_FLOAT(floorf, DOWN_TO, "m")

HIDDEN SSE41 float brawn_floorf(float x) {
    return floorf_any(x);
}
NAME(floorf, brawn_floorf)
