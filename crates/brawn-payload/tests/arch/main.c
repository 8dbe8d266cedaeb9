// What the payload asks of an arch.h, one function after the other.  Prints the first line that does not
// hold, and ends with 1.
#include "arch.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void copy(void *to, const void *from, size_t n);
void fill(void *to, int byte, size_t n);

#define HOLD(condition)                                        \
    do {                                                       \
        if (!(condition)) {                                    \
            printf("%d: expected %s\n", __LINE__, #condition); \
            return 1;                                          \
        }                                                      \
    } while (0)

enum { ROOM = 1 << 16 };
static unsigned char bytes[ROOM], expected[ROOM];
static size_t room = 600;  // of it are looked at

static void reset(void) {
    for (size_t i = 0; i < room; i++) bytes[i] = expected[i] = (unsigned char)(i * 131 + (i >> 8) * 7);
}
static int same(void) {
    for (size_t i = 0; i < room; i++) {
        if (bytes[i] != expected[i]) return 0;
    }
    return 1;
}

// Copies `n` bytes from `from` to `to`, and does the same byte by byte.
static int copied(size_t to, size_t from, size_t n) {
    reset();
    copy(bytes + to, bytes + from, n);
    for (size_t i = 0; i < n; i++) expected[to + i] = expected[from + i];
    return same();
}
static int filled(size_t to, int byte, size_t n) {
    reset();
    fill(bytes + to, byte, n);
    for (size_t i = 0; i < n; i++) expected[to + i] = (unsigned char)byte;
    return same();
}

static void *other_thread(void *argument) {
    *(uintptr_t *)argument = arch_thread_pointer();
    return NULL;
}
static void *wake(void *argument) {
    *(volatile int *)argument = 1;
    arch_syscall6(ARCH_SYS_futex, (long)argument, 129, 1, 0, 0, 0);
    return NULL;
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(void) {
    for (size_t n = 0; n < 200; n++) {
        for (size_t at = 0; at < 17; at++) {
            HOLD(copied(at, 300 + at / 2, n));
            HOLD(filled(at, (int)n, n));
        }
        // The target overlaps what is copied, from below: by one byte, by parts of a step, by whole ones.
        for (size_t below = 1; below < 150; below += 1 + below / 8) HOLD(copied(100, 100 + below, n));
    }
    room = ROOM;
    for (size_t below = 1; below < 5000; below = below * 3 + 1) HOLD(copied(7, 7 + below, 50001));
    HOLD(filled(3, 0x1ff, 50001));

    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    errno = 4711;
    char *const mapped = (char *)arch_syscall6(ARCH_SYS_mmap, 0, (long)(4 * page), 3, 0x22, -1, 0);
    HOLD((unsigned long)mapped < -4096ul);
    mapped[4 * page - 1] = 1;
    mapped[0] = 2;
    HOLD(arch_syscall6(ARCH_SYS_madvise, (long)mapped, (long)page, 4, 0, 0, 0) == 0 && mapped[0] == 0);
    HOLD(arch_syscall6(ARCH_SYS_mprotect, (long)mapped, (long)page, 0, 0, 0, 0) == 0);
    HOLD(arch_syscall6(ARCH_SYS_mprotect, (long)mapped, (long)page, 3, 0, 0, 0) == 0);
    HOLD(arch_syscall6(ARCH_SYS_mremap, (long)mapped, (long)(4 * page), (long)(2 * page), 0, 0, 0) == (long)mapped);
    HOLD(arch_syscall6(ARCH_SYS_munmap, (long)mapped, (long)(2 * page), 0, 0, 0, 0) == 0);
    HOLD(arch_syscall6(ARCH_SYS_munmap, (long)mapped + 1, (long)page, 0, 0, 0, 0) == -EINVAL);
    HOLD(errno == 4711);

    pthread_t id;
    uintptr_t other = 0;
    HOLD(pthread_create(&id, NULL, other_thread, &other) == 0 && pthread_join(id, NULL) == 0);
    HOLD(other != 0 && other != arch_thread_pointer() && arch_thread_pointer() == arch_thread_pointer());

    int flag = 0;
    HOLD(pthread_create(&id, NULL, wake, &flag) == 0);
    while (*(volatile int *)&flag == 0) arch_syscall6(ARCH_SYS_futex, (long)&flag, 128, 0, 0, 0, 0);
    HOLD(pthread_join(id, NULL) == 0);

    // About a millisecond, on any machine: in half a second, which takes longer where others have the processors, are 200 to
    // 2,000 of them.
    const struct timespec half = {0, 500000000};
    const double begin = milliseconds();
    const int64_t before = arch_clock();
    const double first = milliseconds();
    HOLD(nanosleep(&half, NULL) == 0);
    arch_pause();
    const double last = milliseconds();
    const int64_t passed = arch_clock() - before;
    const double least = (last - first) * 0.4, most = (milliseconds() - begin) * 4;
    if ((double)passed < least || (double)passed > most) printf("%lld, not %g to %g\n", (long long)passed, least, most);
    HOLD((double)passed >= least && (double)passed <= most);
    return 0;
}
