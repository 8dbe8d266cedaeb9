// Profile `secure`: blocks that are freed twice, that never were, or that were written past their end
// stop the program, as with musl's own heap.
#define BRAWN_CHECKED 1
#define MI_SECURE 1

// A page that becomes full, or ceases to be, takes more steps here than in `fast`: larger pages do so less often.  (A fifth
// fewer instructions in bench/workloads/server.c than with 16 KiB, and a tenth more memory.)
#define BRAWN_PAGE_MIN (32u << 10)
