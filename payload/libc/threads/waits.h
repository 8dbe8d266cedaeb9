// Which of the kernel's calls may wait.  For __syscall_cp.c, and for rewritten programs (attach/attach.c).
#pragma once
#include "../../common/turn.h"
#include "threads.h"

// Those that may wait: by their numbers in the kernel's tables.
#ifdef __x86_64__
enum {
    READ = 0,
    POLL = 7,
    READV = 19,
    SELECT = 23,
    PAUSE = 34,
    NANOSLEEP = 35,
    ACCEPT = 43,
    RECVFROM = 45,
    RECVMSG = 47,
    WAIT4 = 61,
    MSGRCV = 70,
    SIGTIMEDWAIT = 128,
    SIGSUSPEND = 130,
    CLOCK_NANOSLEEP = 230,
    EPOLL_WAIT = 232,
    MQ_TIMEDRECEIVE = 243,
    WAITID = 247,
    PSELECT6 = 270,
    PPOLL = 271,
    EPOLL_PWAIT = 281,
    ACCEPT4 = 288,
    RECVMMSG = 299,
};
#else
enum {
    EPOLL_PWAIT = 22,
    READ = 63,
    READV = 65,
    PSELECT6 = 72,
    PPOLL = 73,
    WAITID = 95,
    NANOSLEEP = 101,
    CLOCK_NANOSLEEP = 115,
    SIGSUSPEND = 133,
    SIGTIMEDWAIT = 137,
    MQ_TIMEDRECEIVE = 183,
    MSGRCV = 188,
    ACCEPT = 202,
    RECVFROM = 207,
    RECVMSG = 212,
    ACCEPT4 = 242,
    RECVMMSG = 243,
    WAIT4 = 260,
    POLL = -1,
    SELECT = -1,
    PAUSE = -1,
    EPOLL_WAIT = -1,
};
#endif

#define BIT(n, word) ((n) >= 0 && (n) / 64 == (word) ? 1ull << ((n) & 63) : 0)
#define WORD(w)                                                                                                           \
    (BIT(READ, w) | BIT(POLL, w) | BIT(READV, w) | BIT(SELECT, w) | BIT(PAUSE, w) | BIT(NANOSLEEP, w) | BIT(ACCEPT, w) |  \
        BIT(RECVFROM, w) | BIT(RECVMSG, w) | BIT(WAIT4, w) | BIT(MSGRCV, w) | BIT(SIGTIMEDWAIT, w) | BIT(SIGSUSPEND, w) | \
        BIT(CLOCK_NANOSLEEP, w) | BIT(EPOLL_WAIT, w) | BIT(MQ_TIMEDRECEIVE, w) | BIT(WAITID, w) | BIT(PSELECT6, w) |      \
        BIT(PPOLL, w) | BIT(EPOLL_PWAIT, w) | BIT(ACCEPT4, w) | BIT(RECVMMSG, w) | BIT(FUTEX, w))

// Whether it may wait: poll and epoll_wait that only look are told by their 0.
INLINE int waits(long number, long third, long fourth) {
    static const unsigned long long numbers[] = {WORD(0), WORD(1), WORD(2), WORD(3), WORD(4)};
    if ((unsigned long)number >= 64 * sizeof numbers / sizeof *numbers || !(numbers[number / 64] >> (number & 63) & 1)) return 0;
    if (number == POLL) return (int)third != 0;
    return number != EPOLL_PWAIT && number != EPOLL_WAIT ? 1 : (int)fourth != 0;
}

// The kernel's struct timespec.
typedef struct {
    int64_t seconds, nanoseconds;
} moment;
enum { ABSOLUTE = 1 };  // TIMER_ABSTIME

// For what takes long anyway: rather small than fast.
#ifdef __clang__
#define SELDOM __attribute__((minsize))
#else
#define SELDOM
#endif

typedef long call(long number, long a, long b, long c, long d, long e, long f);
typedef struct {
    long number, arguments[6];
    call *calls;
} wait;

INLINE long call_with(const wait *w, long third, long fourth) {
    const long *const at = w->arguments;
    return w->calls(w->number, at[0], at[1], third, fourth, at[4], at[5]);
}
INLINE long call_as_it_came(const wait *w) { return call_with(w, w->arguments[2], w->arguments[3]); }

#include "interrupted.h"
