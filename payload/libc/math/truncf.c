// x without its fraction.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_FLOAT(truncf, TOWARDS_ZERO, "z")

HIDDEN SSE41 float brawn_truncf(float x) {
    return truncf_any(x);
}
NAME(truncf, brawn_truncf)
