// The larger of two.
#include "least.h"

LEAST_FLOAT(fmaxf, >, &)
