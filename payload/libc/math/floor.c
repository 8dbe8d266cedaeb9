// The largest integer that is not above x.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_DOUBLE(floor, DOWN_TO, "m")

HIDDEN SSE41 double brawn_floor(double x) {
    return floor_any(x);
}
NAME(floor, brawn_floor)
