//# states: a thread that begins takes over the free pages of those that ended, without a page fault for each; few of them stay
//# libc: brawn
//# case: taken_over given_back
//# env: BRAWN_OPTIONS=rest_delay=-1
//# not-covered: qemu/*/taken_over: page faults of the emulator are counted, too
//# not-covered: qemu/*/given_back: the emulator's memory for its threads is counted, too, half a MiB each
/* No turns before a wait: on a busy machine there would be one in each pthread_join, and the next thread would have a page fault for each
 * page that it gave back. */
#include "check.h"
#include <pthread.h>
#include <sys/resource.h>

enum {
    BLOCKS = 32,
    KEPT = 64,
    THREADS = 200,
    MANY = 64,
    BIG = 512,
};

/* Blocks of many sizes, all but one of which go before the thread does. */
static void *answer(void *unused) {
    void *blocks[BLOCKS];
    (void)unused;
    for (size_t i = 0; i < BLOCKS; i++) {
        NEED(blocks[i] = malloc(16 + i * 64));
        memset(blocks[i], 1, 16 + i * 64);
    }
    for (size_t i = 1; i < BLOCKS; i++) free(blocks[i]);
    return blocks[0];
}
static long faults(void) {
    struct rusage usage;
    NEED(!getrusage(RUSAGE_SELF, &usage));
    return usage.ru_minflt;
}
static void taken_over(void) {
    static void *kept[KEPT];
    long before = 0;
    for (int n = 0; n < KEPT + THREADS; n++) {
        pthread_t id;
        void *result;
        if (n == KEPT) before = faults();
        NEED(!pthread_create(&id, NULL, answer, NULL));
        NEED(!pthread_join(id, &result));
        free(kept[n % KEPT]);
        kept[n % KEPT] = result;
    }
    /* musl's own thread has a new stack, and touches it. */
    CHECK(faults() - before < 6 * THREADS, "%ld page faults in %d threads of %d sizes", faults() - before, THREADS, BLOCKS);
    for (int i = 0; i < KEPT; i++) free(kept[i]);
}

/* Many threads end at once and leave 32 MiB of free pages, each a block: most of it goes back to the kernel though no thread comes. */
static pthread_barrier_t all;
static void *leave(void *unused) {
    static char unknown;
    void *blocks[BIG];
    (void)unused;
    for (int i = 0; i < BIG; i++) {
        NEED(blocks[i] = malloc(1000));
        memset(blocks[i], 1, 1000);
    }
    pthread_barrier_wait(&all);
    for (int i = 1; i < BIG; i++) free(blocks[i]);
    return blocks[0] ? blocks[0] : &unknown;
}
static void given_back(void) {
    pthread_t ids[MANY];
    void *kept[MANY];
    long before = check_own_memory(), more = 0;
    NEED(!pthread_barrier_init(&all, NULL, MANY + 1));
    /* An eighth of the segments (64 MiB at most), 2 MiB, and the pages of the blocks that are left.  Each thread looks at how much the others
     * left before it leaves its own: where the machine is busy, some look at the same time, and leave more (3 MiB were seen).  All of them never
     * do so ten times. */
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < MANY; i++) NEED(!pthread_create(&ids[i], NULL, leave, NULL));
        pthread_barrier_wait(&all);
        for (int i = 0; i < MANY; i++) NEED(!pthread_join(ids[i], &kept[i]));
        more = check_own_memory() - before;
        for (int i = 0; i < MANY; i++) free(kept[i]);
        if (more < 26 * 1024) return;
    }
    CHECK(more < 26 * 1024, "%ld KiB more are resident when %d threads have ended", more, MANY);
}
RUN_CASES({"taken_over", taken_over}, {"given_back", given_back})
