// The sines of 128 places of the circle, for sin, cos and sincos.
#define NEEDS_CIRCLE_ROWS
#include "circle.h"

HIDDEN const CircleRow brawn_circle_table[128] = CIRCLE_ROWS;
