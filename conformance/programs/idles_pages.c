//# states: while a thread waits long, what is free in pages beside few blocks in use is the kernel's; then these pages serve again
//# libc: brawn
//# profile: fast lean
//# link: static static-pie lld gc line
//# case: first_thread other_thread
//# timeout: 60
#include "check.h"
#include "marked.h"
#include <poll.h>
#include <pthread.h>

/* Pages with few blocks in use: what is free beside these goes while the thread waits. Then they serve again, and no block changes. */
enum {
    MANY = 6000,
    LONG = 500, /* ms */
};
static void few_in_pages(void) {
    static unsigned char *many[MANY];
    const long before = resident();
    for (size_t size = 64; size <= 3000; size += size / 2) {
        const long count = 1500000 / (long)size < MANY ? 1500000 / (long)size : MANY;
        for (long i = 0; i < count; i++) {
            NEED(many[i] = malloc(size));
            mark(many[i], size);
        }
        /* Each that stays lies in one or two pages of memory. */
        const long every = 13000 / (long)size + 2, most = before + (count / every + 1) * 8 + 512;
        for (long i = 0; i < count; i++) {
            if (i % every == every / 2) continue;
            free(many[i]);
            many[i] = NULL;
        }
        long there;
        int waits = 0;
        /* On a busy machine a turn may come too late for one wait, or for many. */
        do {
            CHECK_SAME(poll(NULL, 0, LONG), 0);
            there = resident();
        } while (!check_emulated() && there >= most && ++waits < CHECK_WAITS(LONG));
        if (!check_emulated()) CHECK(there < most, "%zu bytes: %ld KiB, not %ld KiB at most", size, there, most);
        for (int round = 0; round < 3; round++) {
            for (long i = 0; i < count; i++) {
                if (!many[i]) {
                    NEED(many[i] = malloc(size));
                    mark(many[i], size);
                } else if (i % 7 == round) {
                    look(many[i]);
                    free(many[i]);
                    many[i] = NULL;
                }
            }
        }
        for (long i = 0; i < count; i++) {
            if (many[i]) look(many[i]);
            free(many[i]);
        }
    }
}

static void *run(void *unused) {
    few_in_pages();
    return unused;
}
static void other_thread(void) {
    pthread_t t;
    NEED(pthread_create(&t, NULL, run, NULL) == 0);
    NEED(pthread_join(t, NULL) == 0);
}

RUN_CASES({"first_thread", few_in_pages}, {"other_thread", other_thread})
