//# states: the heap makes no other system calls than stock's: brk mmap munmap mremap madvise mprotect futex
//# case: single two_threads first_allocation
//# link: static static-pie line
//# fails: glibc/*/two_threads: trimming an arena reads /proc/sys/vm/overcommit_memory
//# fails: glibc/*/first_allocation: the first allocation seeds its tcache by getrandom
//# not-covered: qemu: qemu-user has no seccomp
#include "check.h"
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* musl brings no linux/ headers.  linux/filter.h's and linux/seccomp.h's, as the kernel has them. */
struct instruction {
    uint16_t code;
    uint8_t yes, no;
    uint32_t k;
};
struct instructions {
    unsigned short count;
    struct instruction *first;
};
enum {
    LOAD = 0x20,
    JUMP_IF_EQUAL = 0x15,
    RETURN = 0x06,
    NUMBER_OF_CALL = 0,
};
#define KILL_PROCESS 0x80000000u
#define ALLOW_CALL 0x7fff0000u
enum {
    SET_MODE_FILTER = 1,
    EVERY_THREAD = 1,
};

/* The child that the filter kills says nothing; strace and dmesg name the call. */
static void close_doors(void) {
#define ALLOW(name) \
    {JUMP_IF_EQUAL, 0, 1, __NR_##name}, { RETURN, 0, 0, ALLOW_CALL }
    static struct instruction filter[] = {
        {LOAD, 0, 0, NUMBER_OF_CALL},
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(madvise),
        ALLOW(mprotect),
        ALLOW(futex),
        ALLOW(write),
        ALLOW(exit),
        ALLOW(exit_group),
        {RETURN, 0, 0, KILL_PROCESS},
    };
    struct instructions program = {sizeof filter / sizeof *filter, filter};
    NEED(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    NEED(syscall(SYS_seccomp, SET_MODE_FILTER, EVERY_THREAD, &program) == 0);
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
        case 0:
            free(live[k]);
            live[k] = malloc(n);
            break;
        case 1:
            free(live[k]);
            live[k] = calloc(n, 1);
            break;
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

static int ready, door, finished;
static void *second(void *unused) {
    /* What a thread asks of the kernel when it starts is not the heap's. */
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&door, __ATOMIC_ACQUIRE)) {}
    heavy(1);
    __atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
    for (;;) heavy(2);
    return unused;
}
static void two_threads(void) {
    pthread_t id;
    NEED(!pthread_create(&id, NULL, second, NULL));
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {}
    close_doors();
    __atomic_store_n(&door, 1, __ATOMIC_RELEASE);
    heavy(3);
    while (!__atomic_load_n(&finished, __ATOMIC_ACQUIRE)) {}
    _exit(check_result());
}
RUN_CASES({"single", single}, {"two_threads", two_threads},
    {"first_allocation", first_allocation})
