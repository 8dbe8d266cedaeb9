// The larger of two.
#include "least.h"

LEAST(fmax, >, &)
