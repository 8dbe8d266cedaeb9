// Stands before the engine's header of this name: the payload keeps no statistics, so none of the
// engine's 4 KiB of counters a thread.
#pragma once
#ifndef MIMALLOC_STATS_H
#define MIMALLOC_STATS_H

#include <mimalloc.h>
#include <stdint.h>

#define MI_STAT_VERSION 4
#define MI_BIN_HUGE (73U)  // the engine's number of bins; its types.h checks it

typedef struct mi_stat_count_s {
    int64_t total;
} mi_stat_count_t;
typedef struct mi_stat_counter_s {
    int64_t total;
} mi_stat_counter_t;
typedef struct mi_stats_s {
    char unused;
} mi_stats_t;

#endif
