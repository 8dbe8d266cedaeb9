// The table of natural logarithms, which is one for all.
#pragma once
#include "double.h"

extern HIDDEN const LogRow brawn_log_table[128];
