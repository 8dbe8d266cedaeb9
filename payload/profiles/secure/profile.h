// Profile `secure`: blocks that are freed twice, that never were, or that were written past their end
// stop the program, as with musl's own heap.
#define BRAWN_CHECKED 1
#define MI_SECURE 1
#define MI_ENCODE_FREELIST 1
