//# states: fresh blocks of up to 96 KiB come in random order: where one lies tells little of where the next will
//# libc: brawn
//# profile: secure
//# case: first_thread other_thread
#include "check.h"
#include <pthread.h>

/* Of so many blocks in a row, how many lie below the one before.  In order: none or all.  Where the heap draws among all of
 * a page's, half of them; where it draws among the next few, as with large ones, at least one in four of these. */
enum {
    BLOCKS = 64,
    FEW = 4,
    MANY = 12,
};

static void order_of(size_t size, int least) {
    static uintptr_t blocks[BLOCKS];
    int below = 0;
    for (int i = 0; i < BLOCKS; i++) {
        NEED(blocks[i] = (uintptr_t)hidden(malloc(size)));
        if (i > 0 && blocks[i] < blocks[i - 1]) below++;
    }
    CHECK(below >= least && below < BLOCKS - least, "%zu bytes: %d of %d blocks lie below the one before", size, below,
        BLOCKS - 1);
}
static void *all_sizes(void *unused) {
    for (size_t size = 1; size <= 512; size *= 2) order_of(size, MANY);
    for (size_t size = 1000; size < 96 * 1024 - 8; size += size / 3) order_of(size, FEW);
    /* With the 8 bytes that the profile adds: the last one in a page with others, the first and last with a span. */
    order_of(16 * 1024 - 8, FEW);
    order_of(16 * 1024 - 7, FEW);
    order_of(96 * 1024 - 8, FEW);
    return unused;
}
static void first_thread(void) { all_sizes(NULL); }
static void other_thread(void) {
    pthread_t id;
    NEED(!pthread_create(&id, NULL, all_sizes, NULL));
    NEED(!pthread_join(id, NULL));
}
RUN_CASES({"first_thread", first_thread}, {"other_thread", other_thread})
