// The nearest integer; of two as near, the one away from zero.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_FLOAT(roundf, HALF_AWAY, "a")

HIDDEN SSE41 float brawn_roundf(float x) {
    return roundf_any(x);
}
NAME(roundf, brawn_roundf)
