//# states: what interrupts a wait does not interrupt the heap's turn before it: a handler may leave the wait by siglongjmp, or allocate, and
//# states: a thread may be cancelled anywhere; all of what was free goes back afterwards; a handler
//# states: that ends a wait, or has the kernel begin it again, does the same when it runs in the turn; what a call
//# states: finds without waiting it finds; what sigaction leaves on the stack is no handler
//# libc: brawn rewritten
//# link: static static-pie lld line
//# case: leaves allocates cancelled_anywhere ends ends_others restarts finds leftover
//# timeout: 60
#include "check.h"
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

enum { LEFT = 4000 }; /* KiB */
static long resident(void) { return check_own_memory(); }

/* Pages, spans, and mappings of their own: what each part of a turn gives back. */
enum { HAS = 3000 };
static unsigned char *has[HAS];
static size_t size_of(int i) { return i % 100 == 0 ? 300000 : i % 10 == 0 ? 20000
                                                                          : 16 + (size_t)i; }
static void load(void) {
    for (int i = 0; i < HAS; i++) {
        NEED(has[i] = malloc(size_of(i)));
        memset(has[i], i, size_of(i));
    }
    for (int i = 0; i < HAS; i++) {
        CHECK(has[i][0] == (unsigned char)i && has[i][size_of(i) - 1] == (unsigned char)i, "block %d changed", i);
        free(has[i]);
    }
}
/* Turns may only take a small part of all time, so it may take some waits: where other programs interrupt one, many. */
static void is_back(long before) {
    if (check_emulated()) return;
    for (int i = 0; i < CHECK_WAITS(20) && resident() - before >= LEFT; i++) poll(NULL, 0, 20);
    CHECK(resident() - before < LEFT, "%ld KiB, then %ld KiB", before, resident());
}
/* Where a handler was, the kernel's frame for it stays below on the stack. A later function whose variables lie there looks like one
 * that the handler called. */
static __attribute__((noinline)) void wipe_stack(void) {
    char below[32768];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}
static void gives_back(long before) {
    wipe_stack();
    load();
    is_back(before);
}

static volatile sig_atomic_t waits;
static unsigned drawn = 1;
/* A wait with an alarm at its beginning, at another instant each time. */
static void wait_with_alarm(void) {
    drawn = drawn * 1664525 + 1013904223;
    struct itimerval soon = {{0, 0}, {0, 1 + (drawn >> 8) % (drawn >> 31 ? 60 : 500)}};
    waits = 1;
    NEED(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    poll(NULL, 0, 3);
    waits = 0;
}
static void handle(void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
}
static int rounds(void) { return check_emulated() ? 10 : 100; }

static sigjmp_buf out;
static void leave(int number) {
    (void)number;
    if (!waits) return;
    waits = 0;
    siglongjmp(out, 1);
}
static void leaves(void) {
    static volatile int n;
    long before = resident();
    handle(leave);
    for (n = 0; n < rounds(); n++) {
        load();
        if (sigsetjmp(out, 1) == 0) wait_with_alarm();
    }
    gives_back(before);
}

/* It interrupts a function that may be interrupted, so it may call malloc. */
static void allocate(int number) {
    enum { OWN = 200 };
    static unsigned char *own[OWN];
    (void)number;
    if (!waits) return;
    for (int i = 0; i < OWN; i++) {
        size_t n = size_of(i * 7);
        if (own[i]) {
            CHECK(own[i][n - 1] == (unsigned char)i, "the handler's block %d changed", i);
            free(own[i]);
        }
        NEED(own[i] = malloc(n));
        own[i][n - 1] = (unsigned char)i;
    }
}
static void allocates(void) {
    handle(allocate);
    for (int n = 0; n < rounds(); n++) {
        load();
        wait_with_alarm();
    }
    allocate(SIGALRM);
    gives_back(resident());
}

static void *waiting_anywhere(void *unused) {
    load();
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;) poll(NULL, 0, 20);
    return unused;
}
static void cancelled_anywhere(void) {
    long before = resident();
    for (int n = 0; n < rounds() / 4; n++) {
        pthread_t t;
        void *result;
        NEED(pthread_create(&t, NULL, waiting_anywhere, NULL) == 0);
        usleep((n * 37 % 50) * 100);
        if (n % 10 == 0) is_back(before);
        NEED(pthread_cancel(t) == 0);
        NEED(pthread_join(t, &result) == 0);
        CHECK(result == PTHREAD_CANCELED, "%p", result);
    }
    gives_back(before);
}

/* What a handler that runs in the turn does to the wait is what it would do in the wait. */
static volatile sig_atomic_t rang, rang_in_wait;
static int ends_of_pipe[2];
static void ring(int number) {
    (void)number;
    if (waits) rang_in_wait++;
    if (write(ends_of_pipe[1], "x", 1) == 1) rang++;
}
static void set_alarm(int microseconds, int again) {
    struct itimerval timer = {{0, again}, {0, microseconds}};
    NEED(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
static void do_pause(void) { CHECK(pause() == -1 && errno == EINTR, "errno %d", errno); }
static void do_poll(void) { CHECK(poll(NULL, 0, -1) == -1 && errno == EINTR, "errno %d", errno); }
/* What is left is what has not passed.  The kernel counts in by how much it may end a sleep late. */
static void do_sleep(void) {
    enum { ALL = 1000 };
    struct timespec all = {ALL, 0}, left = {-1, -1};
    double begin = seconds(), late = (double)prctl(PR_GET_TIMERSLACK) / 1e9;
    CHECK(nanosleep(&all, &left) == -1 && errno == EINTR, "errno %d", errno);
    double passed = seconds() - begin, is_left = (double)left.tv_sec + (double)left.tv_nsec / 1e9;
    CHECK(is_left >= ALL - passed - 1e-6 && is_left <= ALL + late + 1e-6, "%.9f s left, %.9f s passed", is_left, passed);
}
static void do_read(void) {
    char byte;
    CHECK(read(ends_of_pipe[0], &byte, 1) == -1 && errno == EINTR, "errno %d", errno);
}
/* An alarm may come before the wait does: a second one ends it then.  And it may come between the first line of ours and the wait; but that is
 * one instruction of thousands, so most of those that come when `waits` is set are to end the wait. */
static void interrupt(void (*const *wait)(void), int count, int all, int flags) {
    struct sigaction action = {.sa_handler = ring, .sa_flags = flags};
    int late = 0;
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
    for (int n = 0; n < all; n++) {
        load();
        drawn = drawn * 1664525 + 1013904223;
        rang_in_wait = 0;
        set_alarm(100 + (drawn >> 8) % 400, 200000);
        waits = 1;
        wait[n % count]();
        waits = 0;
        late += rang_in_wait > 1;
        set_alarm(0, 0);
    }
    if (!check_emulated()) CHECK(late * 2 <= all, "%d of %d waits went on behind a handler", late, all);
}
static void ends(void) {
    static void (*const waiting[])(void) = {do_pause, do_poll, do_sleep, do_read};
    NEED(pipe(ends_of_pipe) == 0);
    /* What the handler writes is for nobody here. */
    int other[2];
    NEED(pipe(other) == 0);
    ends_of_pipe[1] = other[1];
    interrupt(waiting, 4, rounds() / 2, 0);
}
/* Those that have a set of signals of their own, which does not block the alarm; and those that wait for something else.  Each is tried by
 * itself. */
static int sockets[2], queue, events;
static sem_t semaphore;
static sigset_t open_set;
static void do_pselect(void) { CHECK(pselect(0, NULL, NULL, NULL, NULL, &open_set) == -1 && errno == EINTR, "errno %d", errno); }
static void do_ppoll(void) { CHECK(ppoll(NULL, 0, NULL, &open_set) == -1 && errno == EINTR, "errno %d", errno); }
static void do_epoll(void) {
    struct epoll_event event;
    CHECK(epoll_pwait(events, &event, 1, -1, &open_set) == -1 && errno == EINTR, "errno %d", errno);
}
static void do_sigsuspend(void) { CHECK(sigsuspend(&open_set) == -1 && errno == EINTR, "errno %d", errno); }
static void do_readv(void) {
    char byte;
    struct iovec to = {&byte, 1};
    CHECK(readv(ends_of_pipe[0], &to, 1) == -1 && errno == EINTR, "errno %d", errno);
}
static void do_recvmmsg(void) {
    char byte;
    struct iovec to = {&byte, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &to, .msg_iovlen = 1}};
    CHECK(recvmmsg(sockets[0], &message, 1, 0, NULL) == -1 && errno == EINTR, "errno %d", errno);
}
static void do_waitid(void) {
    siginfo_t info;
    CHECK(waitid(P_ALL, 0, &info, WEXITED) == -1 && errno == EINTR, "errno %d", errno);
}
static void do_sem_wait(void) { CHECK(sem_wait(&semaphore) == -1 && errno == EINTR, "errno %d", errno); }
static void do_msgrcv(void) {
    struct {
        long type;
        char text[8];
    } message;
    CHECK(msgrcv(queue, &message, 8, 0, 0) == -1 && errno == EINTR, "errno %d", errno);
}
static void do_futex(void) {
    int word = 0;
    CHECK(syscall(SYS_futex, &word, 128, 0, NULL, NULL, 0) == -1 && errno == EINTR, "errno %d", errno);
}
static void ends_others(void) {
    static void (*const waiting[])(void) = {
        do_pselect, do_ppoll, do_epoll, do_sigsuspend, do_readv, do_recvmmsg, do_waitid, do_sem_wait, do_msgrcv, do_futex};
    int other[2];
    NEED(pipe(ends_of_pipe) == 0 && pipe(other) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) == 0);
    ends_of_pipe[1] = other[1];
    NEED((events = epoll_create1(0)) >= 0 && sem_init(&semaphore, 0, 0) == 0 && sigprocmask(SIG_BLOCK, NULL, &open_set) == 0);
    NEED((queue = msgget(IPC_PRIVATE, 0600)) >= 0);
    pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        for (;;) pause();
    }
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) interrupt(waiting + i, 1, rounds() / 8, 0);
    kill(child, SIGKILL);
    msgctl(queue, IPC_RMID, NULL);
}
static void do_read_again(void) {
    char byte = 0;
    CHECK_SAME(read(ends_of_pipe[0], &byte, 1), 1);
}
static void restarts(void) {
    static void (*const waiting[])(void) = {do_read_again};
    NEED(pipe(ends_of_pipe) == 0);
    interrupt(waiting, 1, rounds() / 2, SA_RESTART);
}

/* What is there already is found, whatever handler ran: the kernel looks for it before it looks for signals. */
static void finds(void) {
    struct sigaction action = {.sa_handler = ring};
    NEED(pipe(ends_of_pipe) == 0);
    NEED(sigaction(SIGCHLD, &action, NULL) == 0);
    for (int n = 0; n < rounds() / 2; n++) {
        load();
        int status, microseconds = n * 37 % 50 * 10;
        pid_t child = fork();
        NEED(child >= 0);
        if (child == 0) {
            for (double until = seconds() + microseconds / 1e6; seconds() < until;) {}
            _exit(7);
        }
        CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7, "errno %d, status %d", errno, status);
    }
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
    for (int n = 0; n < rounds() / 2; n++) {
        char byte = 0;
        ring(0);
        load();
        set_alarm(1 + n * 37 % 50 * 10, 0);
        CHECK_SAME(read(ends_of_pipe[0], &byte, 1), 1);
    }
}

/* sigaction has the address to which handlers return on its stack.  It lies there still where a function has variables to which it does
 * not write, as a server's loop with a buffer. */
static __attribute__((noinline)) void set_handler(void) { handle(ring); }
static __attribute__((noinline)) void with_buffer(size_t room) {
    char buffer[room];
    __asm__ volatile("" : : "r"(buffer) : "memory");
    long before = resident();
    load();
    is_back(before);
}
static void leftover(void) {
    volatile size_t room = 4096;
    set_handler();
    with_buffer(room);
}

RUN_CASES({"leaves", leaves}, {"allocates", allocates}, {"cancelled_anywhere", cancelled_anywhere}, {"ends", ends},
    {"ends_others", ends_others}, {"restarts", restarts}, {"finds", finds}, {"leftover", leftover})
