//# states: a call that waits reaches the kernel once, with the program's arguments, whatever the heap does before it: with time limits, handlers,
//# states: cancellation and threads; besides, the program makes calls for memory only
//# libc: stock brawn rewritten
//# link: static static-pie lld line
//# case: polls sleeps reads locks interrupted cancelled threads
//# timeout: 60
#include "check.h"
#include "moments.h"
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <elf.h>

/* A call as the kernel got it. */
struct call {
    long number, arguments[6];
};
static struct call calls[1 << 16];
static int count;

/* The kernel's registers of a thread that is about to make a call. */
static struct call read_call(pid_t thread) {
#ifdef __riscv
    elf_gregset_t r;
#elif defined(__x86_64__) || defined(__aarch64__)
    struct user_regs_struct r;
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
    struct iovec all = {&r, sizeof r};
    NEED(ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &all) == 0);
#ifdef __x86_64__
    return (struct call){(long)r.orig_rax, {(long)r.rdi, (long)r.rsi, (long)r.rdx, (long)r.r10, (long)r.r8, (long)r.r9}};
#elif defined(__aarch64__)
    return (struct call){(long)r.regs[8], {(long)r.regs[0], (long)r.regs[1], (long)r.regs[2], (long)r.regs[3], (long)r.regs[4], (long)r.regs[5]}};
#elif defined(__riscv)
    return (struct call){(long)r[17], {(long)r[10], (long)r[11], (long)r[12], (long)r[13], (long)r[14], (long)r[15]}};
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
}

static int is_memorys(long number) {
    return number == SYS_mmap || number == SYS_munmap || number == SYS_mremap || number == SYS_madvise || number == SYS_mprotect || number == SYS_brk;
}

/* Runs `work` in a child, and notes its calls, those of its threads included, but for calls for memory. */
static void trace(void (*work)(void)) {
    const pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(9);
        raise(SIGSTOP);
        work();
        _exit(check_failures ? 1 : 0);
    }
    int status;
    NEED(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
    NEED(ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)) == 0);
    NEED(ptrace(PTRACE_SYSCALL, child, NULL, NULL) == 0);
    count = 0;
    static struct {
        pid_t thread;
        int is_inside;
    } threads[64];
    for (;;) {
        const pid_t thread = waitpid(-1, &status, __WALL);
        NEED(thread > 0);
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread != child) continue;
            CHECK_SAME(status, 0);
            return;
        }
        int at = 0, signal = WSTOPSIG(status);
        while (threads[at].thread && threads[at].thread != thread) at++;
        threads[at].thread = thread;
        if (signal == (SIGTRAP | 0x80)) {
            signal = 0;
            threads[at].is_inside = !threads[at].is_inside;
            if (threads[at].is_inside) {
                const struct call c = read_call(thread);
                if (!is_memorys(c.number) && count < (int)(sizeof calls / sizeof *calls)) calls[count++] = c;
            }
        } else if (signal == SIGTRAP || signal == SIGSTOP) signal = 0;
        ptrace(PTRACE_SYSCALL, thread, NULL, (void *)(intptr_t)signal);
    }
}

/* How often a call was made whose first arguments, as far as `mask` has a bit for each, are these. */
static int made(long number, unsigned mask, long a, long b, long c) {
    const long wanted[3] = {a, b, c};
    int found = 0;
    for (int i = 0; i < count; i++) {
        int is_it = calls[i].number == number;
        for (int k = 0; k < 3; k++) is_it &= !(mask >> k & 1) || calls[i].arguments[k] == wanted[k];
        found += is_it;
    }
    return found;
}
/* The program made no other calls than these. */
static void none_but(const long *numbers, int how_many) {
    for (int i = 0; i < count; i++) {
        int known = 0;
        for (int k = 0; k < how_many; k++) known |= calls[i].number == numbers[k];
        CHECK(known, "the program made the kernel's call %ld (%#lx, %#lx, %#lx)", calls[i].number, calls[i].arguments[0], calls[i].arguments[1], calls[i].arguments[2]);
    }
}
#define NONE_BUT(...) none_but((const long[]){__VA_ARGS__, SYS_exit_group, SYS_rt_sigprocmask, SYS_gettid, SYS_tkill, SYS_getpid}, sizeof((const long[]){__VA_ARGS__}) / sizeof(long) + 5)

/* What the heap may give back: some of it is free again and again. */
static void load(void) {
    enum { BLOCKS = 3000 };
    static __thread void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        NEED(blocks[i] = malloc(i % 50 ? 1000 : 200000));
        memset(blocks[i], i, 1000);
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
}

enum { TIMES = 5 };
static void *const NOWHERE = (void *)0x10;

static void polling(void) {
    struct epoll_event event;
    for (int n = 0; n < TIMES; n++) {
        load();
        CHECK_SAME(poll(NULL, 0, 31 + n), 0);
        load();
        CHECK(epoll_wait(-5, &event, 7, 41 + n) == -1 && errno == EBADF, "errno %d", errno);
    }
}
static void polls(void) {
    if (check_emulated()) return;
    trace(polling);
#ifdef SYS_poll
    for (int n = 0; n < TIMES; n++) CHECK_SAME(made(SYS_poll, 7, 0, 0, 31 + n), 1);
    CHECK_SAME(made(SYS_poll, 0, 0, 0, 0), TIMES);
    NONE_BUT(SYS_poll, SYS_epoll_pwait, SYS_epoll_wait);
#else
    CHECK_SAME(made(SYS_ppoll, 3, 0, 0, 0), TIMES);
    NONE_BUT(SYS_ppoll, SYS_epoll_pwait);
#endif
    CHECK_SAME(made(SYS_epoll_pwait, 5, -5, 0, 7), TIMES);
}

static void sleeping(void) {
    for (int n = 0; n < TIMES; n++) {
        load();
        CHECK_SAME(nanosleep(&(struct timespec){0, 30000000}, NULL), 0);
        load();
        CHECK_SAME(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){0, 1}, NULL), 0);
    }
}
static void sleeps(void) {
    if (check_emulated()) return;
    trace(sleeping);
    CHECK_SAME(made(SYS_nanosleep, 0, 0, 0, 0) + made(SYS_clock_nanosleep, 2, 0, 0, 0), TIMES);
    CHECK_SAME(made(SYS_clock_nanosleep, 3, CLOCK_MONOTONIC, TIMER_ABSTIME, 0), TIMES);
    NONE_BUT(SYS_nanosleep, SYS_clock_nanosleep);
}

static void reading(void) {
    int ends[2];
    char byte;
    NEED(pipe(ends) == 0);
    for (int n = 0; n < TIMES; n++) {
        load();
        NEED(write(ends[1], "x", 1) == 1);
        CHECK_SAME(read(ends[0], &byte, 1), 1);
        CHECK(read(ends[0], NOWHERE, 0) == 0, "errno %d", errno);
    }
}
static void reads(void) {
    if (check_emulated()) return;
    trace(reading);
    CHECK_SAME(made(SYS_read, 4, 0, 0, 1), TIMES);
    CHECK_SAME(made(SYS_read, 2, 0, (long)(intptr_t)NOWHERE, 0), TIMES);
    CHECK_SAME(made(SYS_write, 4, 0, 0, 1), TIMES);
    NONE_BUT(SYS_pipe2, SYS_write, SYS_read
#ifdef SYS_pipe
        ,
        SYS_pipe
#endif
    );
}

static struct timespec soon(void) { return in(CLOCK_REALTIME, 20); }
static void locking(void) {
    sem_t s;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    NEED(sem_init(&s, 0, 0) == 0);
    for (int n = 0; n < TIMES; n++) {
        struct timespec until;
        load();
        until = soon();
        CHECK(sem_timedwait(&s, &until) == -1 && errno == ETIMEDOUT, "errno %d", errno);
        load();
        until = soon();
        pthread_mutex_lock(&m);
        CHECK_SAME(pthread_cond_timedwait(&c, &m, &until), ETIMEDOUT);
        pthread_mutex_unlock(&m);
    }
}
static void locks(void) {
    if (check_emulated()) return;
    trace(locking);
    CHECK_SAME(made(SYS_futex, 2, 0, 0 | 128, 0), 2 * TIMES);
    NONE_BUT(SYS_futex, SYS_clock_gettime);
}

static volatile int handled;
static void handler(int number) { handled += number == SIGALRM; }
static void waiting_with_alarm(void) {
    struct sigaction action = {.sa_handler = handler};
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
    for (int n = 0; n < TIMES; n++) {
        struct itimerval often = {{0, 40000}, {0, 40000}}, never = {{0, 0}, {0, 0}};
        load();
        NEED(setitimer(ITIMER_REAL, &often, NULL) == 0);
        CHECK(poll(NULL, 0, -1 - n) == -1 && errno == EINTR, "errno %d", errno);
        NEED(setitimer(ITIMER_REAL, &never, NULL) == 0);
    }
    CHECK(handled >= TIMES, "%d", handled);
}
static void interrupted(void) {
    if (check_emulated()) return;
    trace(waiting_with_alarm);
#ifdef SYS_poll
    for (int n = 0; n < TIMES; n++) CHECK_SAME(made(SYS_poll, 4, 0, 0, -1 - n), 1);
    CHECK_SAME(made(SYS_poll, 0, 0, 0, 0), TIMES);
    NONE_BUT(SYS_poll, SYS_rt_sigaction, SYS_setitimer, SYS_rt_sigreturn);
#else
    CHECK_SAME(made(SYS_ppoll, 0, 0, 0, 0), TIMES);
    NONE_BUT(SYS_ppoll, SYS_rt_sigaction, SYS_setitimer, SYS_rt_sigreturn);
#endif
}

static void *waiting_for_ever(void *unused) {
    load();
    for (;;) pause();
    return unused;
}
static void cancelling(void) {
    for (int n = 0; n < TIMES; n++) {
        pthread_t t;
        void *result;
        NEED(pthread_create(&t, NULL, waiting_for_ever, NULL) == 0);
        usleep(20000);
        NEED(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0);
        CHECK(result == PTHREAD_CANCELED, "%p", result);
    }
}
static void cancelled(void) {
    if (check_emulated()) return;
    trace(cancelling);
#ifdef SYS_pause
    CHECK(made(SYS_pause, 0, 0, 0, 0) <= TIMES, "%d", made(SYS_pause, 0, 0, 0, 0));
#endif
    CHECK_SAME(made(SYS_nanosleep, 0, 0, 0, 0) + made(SYS_clock_nanosleep, 0, 0, 0, 0), TIMES);
}

static void *polling_in_thread(void *unused) {
    for (int n = 0; n < TIMES; n++) {
        load();
        poll(NULL, 0, 1000 / 50 + n);
    }
    return unused;
}
enum { THREADS = 4 };
static void in_threads(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) NEED(pthread_create(&t[i], NULL, polling_in_thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++) NEED(pthread_join(t[i], NULL) == 0);
}
static void threads(void) {
    if (check_emulated()) return;
    trace(in_threads);
#ifdef SYS_poll
    for (int n = 0; n < TIMES; n++) CHECK_SAME(made(SYS_poll, 7, 0, 0, 1000 / 50 + n), THREADS);
    CHECK_SAME(made(SYS_poll, 0, 0, 0, 0), THREADS * TIMES);
#else
    CHECK_SAME(made(SYS_ppoll, 0, 0, 0, 0), THREADS * TIMES);
#endif
    CHECK_SAME(made(SYS_rt_sigpending, 0, 0, 0, 0), 0);
}

RUN_CASES({"polls", polls}, {"sleeps", sleeps}, {"reads", reads}, {"locks", locks}, {"interrupted", interrupted},
    {"cancelled", cancelled}, {"threads", threads})
