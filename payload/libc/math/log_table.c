// 1/c and log(c), for log, log10 and pow.
#define NEEDS_LOG
#include "log_table.h"

HIDDEN const LogRow brawn_log_table[128] = LOG_ROWS;
