// The least integer that is not below x.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_FLOAT(ceilf, UP_TO, "p")

HIDDEN SSE41 float brawn_ceilf(float x) {
    return ceilf_any(x);
}
NAME(ceilf, brawn_ceilf)
