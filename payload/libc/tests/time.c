// Holds the functions of time/ against the libc that this is linked with, which is stock musl.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

time_t brawn_time(time_t *to);

static void fail(const char *what, long got, long expected) {
    fprintf(stderr, "time: %s: %ld, expected %ld\n", what, got, expected);
    exit(1);
}

// The kernel's own answer before and after: the coarse clock lies between them, and is never ahead of the fine one.
static void test_time(void) {
    for (int i = 0; i < 1000; i++) {
        struct timespec coarse;
        syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &coarse);
        time_t stored = -1, now = brawn_time(i % 2 ? &stored : 0), after = time(0);
        if (now < coarse.tv_sec) fail("time before the kernel's", now, coarse.tv_sec);
        if (now > after) fail("time after musl's", now, after);
        if (i % 2 && stored != now) fail("what time stores", stored, now);
    }
}

int main(void) {
    test_time();
    puts("time: done");
    return 0;
}
