// The table of powers of two, which is one for all.
#pragma once
#include "double.h"

#define STEPS 128
// Added to a number below 2^51 it leaves its nearest integer in the last bits.
#define NEAREST 0x1.8p52

extern HIDDEN const ExpRow brawn_exp_table[STEPS];
