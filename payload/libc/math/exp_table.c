// 2^(i/128), for pow and expm1 and its kin.
#define NEEDS_EXP
#include "exp_table.h"

HIDDEN const ExpRow brawn_exp_table[STEPS] = EXP_ROWS;
