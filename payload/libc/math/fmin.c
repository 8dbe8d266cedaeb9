// The smaller of two.
#include "least.h"

LEAST(fmin, <, |)
