//# states: the heap makes no other system calls than stock's: brk mmap munmap mremap madvise mprotect futex
//# case: single two_threads first_allocation
//# link: static static-pie line
//# fails: glibc/*/two_threads: a thread's new arena reads /proc and asks for the number of processors
//# fails: glibc/*/first_allocation: the first allocation seeds its tcache by getrandom
#include "check.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* The child that the filter kills says nothing; strace and dmesg name the call. */
static void close_doors(void) {
#define ALLOW(name)                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(brk), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(mprotect),
        ALLOW(futex), ALLOW(write), ALLOW(exit), ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    /* TSYNC, so that it holds for every thread. */
    NEED(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
}
static void heavy(unsigned seed) {
    enum { LIVE = 200 };
    void *live[LIVE] = {0};
    uint64_t state = 4711 + seed;
    for (int i = 0; i < 30000; i++) {
        uint64_t r = next_random(&state);
        size_t n = (r >> 20) % ((size_t)16 << ((r >> 50) % 17));
        int k = r % LIVE;
        switch ((r >> 8) % 4) {
        case 0: free(live[k]); live[k] = malloc(n); break;
        case 1: free(live[k]); live[k] = calloc(n, 1); break;
        case 2: live[k] = realloc(live[k], n + 1); break;
        default: free(live[k]); live[k] = aligned_alloc(256, n);
        }
        NEED(live[k]);
        memset(live[k], i, n < 10000 ? n : 10000);
    }
    for (int k = 0; k < LIVE; k++) free(live[k]);
    char *p = malloc(1);
    for (size_t n = 1; n < 100000000; n *= 3) NEED(p = realloc(p, n));
    free(p);
    errno = 0;
    CHECK(hidden(malloc(hidden_size(PTRDIFF_MAX))) == NULL, "it succeeded");
    CHECK_SAME(errno, ENOMEM);
}
static void first_allocation(void) {
    close_doors();
    heavy(0);
    _exit(check_result());
}
static void single(void) {
    free(malloc(1));
    first_allocation();
}

static int door, finished;
static void *second(void *unused) {
    while (!__atomic_load_n(&door, __ATOMIC_ACQUIRE)) {}
    heavy(1);
    __atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
    for (;;) heavy(2);
    return unused;
}
static void two_threads(void) {
    pthread_t id;
    NEED(!pthread_create(&id, NULL, second, NULL));
    close_doors();
    __atomic_store_n(&door, 1, __ATOMIC_RELEASE);
    heavy(3);
    while (!__atomic_load_n(&finished, __ATOMIC_ACQUIRE)) {}
    _exit(check_result());
}
RUN_CASES({"single", single}, {"two_threads", two_threads},
          {"first_allocation", first_allocation})
