// The nearest integer; of two as near, the one away from zero.  Exact: musl's result and exceptions.
#include "rounding.h"

DEFINE_DOUBLE(round, HALF_AWAY, "a")

HIDDEN SSE41 double brawn_round(double x) {
    return round_any(x);
}
NAME(round, brawn_round)
