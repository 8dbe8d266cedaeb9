// Profile `trace`: `fast`, and a record of sampled blocks with the stacks that asked for them, where BRAWN_OPTIONS names a
// file for it (payload/heap/trace.c).
#define BRAWN_TRACE 1
