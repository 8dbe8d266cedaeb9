// A wait in parts.  Nobody knows beforehand how long a thread will wait.  But a thread that has waited for some time has nothing to do, and
// gives back then what it could not before.  So the call is made with a short time first, and again when that time is over.
//
// To the program it is one call:
//   - If a part answers anything but that its time is over, the call answers the same.
//   - If the program set a time limit, the call ends when it would have ended.
//   - A futex whose word changes between the parts is seen to have changed.
//   - Cancellation comes to each part, and one that comes between them to the next.
//   - A handler that runs between the parts would not interrupt the call.  So if the program has handlers, calls that handlers have to end
//     are not divided.  Handlers of faults do not count: between the parts, only our code could fault.
//
// Included by __syscall_cp.c.
#pragma once

enum {
    MONOTONIC = 1,
    FUTEX_REALTIME = 256,
    MILLISECOND = 1000000,
    // So many milliseconds are left for the part behind the heap's turn, or the wait is not divided.
    LEAST_REST = 60,
};
#ifdef __x86_64__
enum { CLOCK_GETTIME = 228 };
#else
enum { CLOCK_GETTIME = 113 };
#endif
#define EVER INT64_MAX

// musl's: the signals that had a handler at any time (src/signal/sigaction.c), and whether one of those was without SA_RESTART.  Weak: a
// program that has no sigaction has no handlers.
extern void __get_handler_set(unsigned long *set) __attribute__((weak));
extern volatile int __eintr_valid_flag __attribute__((weak));

// Whether a handler may run between two parts.  SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV do not count, nor do musl's own.
static int has_handlers(void) {
    static const unsigned long faults = 1ul << 3 | 1ul << 4 | 1ul << 6 | 1ul << 7 | 1ul << 10, own = 7ul << 31;
    unsigned long set[16] = {0};
    if (!__get_handler_set) return 0;
    __get_handler_set(set);
    return (set[0] & ~faults & ~own) != 0;
}

// A time that no clock gets to is EVER; -1: the kernel takes it for wrong.
static int64_t nanoseconds(const moment *m) {
    if (!m) return EVER;
    if (m->seconds < 0 || m->nanoseconds < 0 || m->nanoseconds > 999999999) return -1;
    return m->seconds > INT64_MAX / 2000000000 ? EVER : m->seconds * 1000000000 + m->nanoseconds;
}
static int64_t milliseconds(int ms) { return ms < 0 ? EVER : (int64_t)ms * MILLISECOND; }

static int64_t now(int clock) {
    moment m;
    arch_syscall4(CLOCK_GETTIME, clock, (long)&m, 0, 0);
    return nanoseconds(&m);
}

// How a kind of wait is told how long it is to be.
typedef struct {
    int clock;
    // The program said when it ends, not how long it is: the last part is the call as it came.
    int is_absolute;
    // In nanoseconds; less than 0: not known.
    int64_t time;
    // What a part answers when its time is over.
    long is_over;
} kind;

SELDOM static kind kind_of(const wait *w) {
    const long *const at = w->arguments;
    const kind unknown = {.time = -1};
    if (w->number == FUTEX) {
        // A handler without SA_RESTART ends sem_wait.
        if (&__eintr_valid_flag && __eintr_valid_flag) return unknown;
        kind k = {MONOTONIC, 0, nanoseconds((const moment *)at[3]), -ETIMEDOUT};
        if (((int)at[1] & FUTEX_COMMAND) == FUTEX_WAIT) return k;
        k.is_absolute = 1;
        k.clock = at[1] & FUTEX_REALTIME ? REALTIME : MONOTONIC;
        return (unsigned)at[5] == UINT_MAX ? k : unknown;
    }
    if (has_handlers()) return unknown;
    if (w->number == POLL) return (kind){MONOTONIC, 0, milliseconds((int)at[2]), 0};
    if (w->number == EPOLL_WAIT || w->number == EPOLL_PWAIT) return (kind){MONOTONIC, 0, milliseconds((int)at[3]), 0};
    if (w->number == PPOLL) return (kind){MONOTONIC, 0, nanoseconds((const moment *)at[2]), 0};
    if (w->number == NANOSLEEP && at[0]) return (kind){MONOTONIC, 0, nanoseconds((const moment *)at[0]), 0};
    if (w->number == CLOCK_NANOSLEEP && at[2] && (at[0] == MONOTONIC || (at[0] == REALTIME && at[1] != ABSOLUTE)))
        return (kind){MONOTONIC, at[1] == ABSOLUTE, nanoseconds((const moment *)at[2]), 0};
    return unknown;
}

// The call with another time, in whole milliseconds where its unit is that.
SELDOM static long part(const wait *w, int64_t time) {
    const long *const at = w->arguments;
    const long ms = (long)((time + MILLISECOND - 1) / MILLISECOND);
    moment m = {time / 1000000000, time % 1000000000};
    if (w->number == FUTEX) return w->calls(FUTEX, at[0], (at[1] & FUTEX_PRIVATE) | FUTEX_WAIT, at[2], (long)&m, 0, 0);
    if (w->number == POLL) return w->calls(POLL, at[0], at[1], ms, 0, 0, 0);
    if (w->number == PPOLL) return w->calls(PPOLL, at[0], at[1], (long)&m, at[3], at[4], 0);
    if (w->number == EPOLL_WAIT || w->number == EPOLL_PWAIT) return w->calls(w->number, at[0], at[1], at[2], ms, at[4], at[5]);
    return w->calls(NANOSLEEP, (long)&m, w->number == NANOSLEEP ? at[1] : at[3], 0, 0, 0, 0);
}

// A handler ended a sleep, though the program had no handler when the sleep began.  Tells how much of the whole sleep was left.
SELDOM static COLD void tell_rest(const wait *w, int64_t end) {
    moment *const rest = (moment *)(w->number == NANOSLEEP ? w->arguments[1] : w->number == CLOCK_NANOSLEEP ? w->arguments[3]
                                                                                                            : 0);
    if (!rest || w->arguments[1] == ABSOLUTE) return;
    const int64_t left = end - now(MONOTONIC);
    *rest = (moment){left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0};
}

// `t->said` milliseconds, then the heap's turn, which may ask for more, and then the rest.
SELDOM static __attribute__((noinline)) long wait_in_parts(const wait *w, brawn_turn_t *t) {
    const long *const at = w->arguments;
    const kind k = kind_of(w);
    int64_t left = k.time;
    if (left >= 0) {
        const int64_t end = left == EVER ? EVER : (k.is_absolute ? left : now(k.clock) + left);
        while (t->said > 0) {
            if (end != EVER) {
                left = end - now(k.clock);
                if (left < milliseconds((int)t->said) + milliseconds(LEAST_REST)) break;
            }
            const long result = part(w, milliseconds((int)t->said));
            if (result == -EINTR) tell_rest(w, end);
            if (result != k.is_over) return result;
            t->said = 1;
            rest(t);
        }
        if (end != EVER && !k.is_absolute) {
            left = end - now(k.clock);
            return part(w, left > 0 ? left : 0);
        }
    }
    return call_as_it_came(w);
}

// A wait of which the heap said something.
SELDOM static __attribute__((noinline)) long wait_after(const wait *w, brawn_turn_t *t) {
    return t->said < 0 ? behind_handler(w, t) : wait_in_parts(w, t);
}
