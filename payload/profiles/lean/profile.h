// Profile `lean`: memory first.  What is free goes back to the kernel at once.
#define BRAWN_PURGE_DELAY 0
#define BRAWN_KEPT_SEGMENTS 1
#define BRAWN_KEPT_SPANS 1
#define BRAWN_KEPT_LARGE_MIN (256u << 10)
#define BRAWN_KEPT_LARGE_HALVES 1
#define BRAWN_KEPT_LARGE_ONE (256u << 10)
#define BRAWN_SMALL_PAGES (2u << 20)
