// Profile `lean`: memory first.  What is free goes back to the kernel after a fifth of the time, and large
// blocks are kept for reuse only within what the program needed at its peak and a little more, counted to the byte.
//
// Measured with bench/workloads/stress.c: to return pages at once (a delay of 0) costs four times the time
// for a tenth of the memory, most of it page faults; and so does it to keep no large blocks.
#define BRAWN_KEEP_FREE 3
#define BRAWN_KEEP_LEAST 16
#define BRAWN_PAGE_ROOMY MI_SMALL_SIZE_MAX
#define BRAWN_PAGE_GROWS 0
#define BRAWN_KEPT_SEGMENTS 1
#define BRAWN_KEPT_SPANS 2
#define BRAWN_KEPT_LARGE_MIN (256u << 10)
#define BRAWN_KEPT_LARGE_ROOM 8
#define BRAWN_KEPT_LARGE_TIME 100
#define BRAWN_LARGE_TIGHT (2u << 20)
#define BRAWN_LARGE_MORE 16
#define BRAWN_SMALL_PAGES (2u << 20)
#define BRAWN_SMALL_SEGMENTS SIZE_MAX
