// The smaller of two.
#include "least.h"

LEAST_FLOAT(fminf, <, |)
