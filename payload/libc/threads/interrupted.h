// A wait before which a handler ran, at the end of the heap's turn.  Had the turn taken no time, the handler would have run in the wait.  So
// the wait ends as the kernel would have ended it: with EINTR, unless the kernel makes such a call again behind a handler with SA_RESTART
// (man 7 signal).  But what the call finds without waiting it finds: the kernel looks for that first.
//
// Some calls have their own set of blocked signals.  The signals in this set do not end the call.
//
// Included by waits.h.
#pragma once

#ifdef __x86_64__
enum {
    GETPID = 39,
    FCNTL = 72,
};
#else
enum {
    FCNTL = 25,
    GETPID = 172,
};
#endif
enum {
    CANCELED = 125,  // ECANCELED
    NO_MESSAGE = 42,  // ENOMSG
    WITHOUT_WAITING = 1,  // WNOHANG
    AND_STAYS = 0x01000000,  // WNOWAIT
    NO_WAIT = 04000,  // IPC_NOWAIT
    GET_FLAGS = 3,  // F_GETFL
    NEVER_WAITS = 04000,  // O_NONBLOCK
    DOES_NOT_WAIT = 0x40,  // MSG_DONTWAIT
    CAN_BE_READ = 1,  // POLLIN
};

// Ends a sleep before it begins: all of its time is left.  0: its arguments are wrong, and the kernel is to say so.
INLINE long sleep_is_over(const wait *w) {
    const long *const at = w->arguments;
    const int by_clock = w->number == CLOCK_NANOSLEEP;
    const moment *const asked = (const moment *)at[by_clock ? 2 : 0];
    moment *const left = (moment *)at[by_clock ? 3 : 1];
    if (!asked || asked->seconds < 0 || (uint64_t)asked->nanoseconds > 999999999) return 0;
    if (left && !(by_clock && at[1] & ABSOLUTE)) *left = *asked;
    return -EINTR;
}

// Whether nothing is there to be read, or to be accepted, and the call would wait for that.
INLINE int waits_to_read(const wait *w) {
    const long *const at = w->arguments;
    const moment none = {0, 0};
    struct {
        int file;
        short wants, has;
    } poll = {(int)at[0], CAN_BE_READ, 0};
    long flags = 0;
    if (w->number == RECVMSG) flags = at[2];
    if (w->number == RECVFROM || w->number == RECVMMSG) flags = at[3];
    if (flags & DOES_NOT_WAIT || arch_syscall4(FCNTL, at[0], GET_FLAGS, 0, 0) & NEVER_WAITS) return 0;
    return arch_syscall4(PPOLL, (long)&poll, 1, (long)&none, 0) == 0;
}

// The call's own set of signals that are blocked while it waits, if it has one.
INLINE const uint64_t *own_set(const wait *w) {
    const long *const at = w->arguments;
    if (w->number == PPOLL) return (const uint64_t *)at[3];
    if (w->number == EPOLL_PWAIT) return (const uint64_t *)at[4];
    if (w->number == SIGSUSPEND) return (const uint64_t *)at[0];
    return w->number == PSELECT6 && at[5] ? *(const uint64_t *const *)at[5] : NULL;
}

INLINE int reads(long number) {
    return number == READ || number == READV || number == RECVFROM || number == RECVMSG || number == RECVMMSG || number == ACCEPT ||
        number == ACCEPT4 || number == MQ_TIMEDRECEIVE;
}

// What the call answers if it does not wait, in *result; 0: it is to be made as it came.
INLINE int finds(const wait *w, const brawn_turn_t *t, long *result) {
    const long number = w->number, *const at = w->arguments;
    const uint64_t *const set = own_set(w);
    const moment none = {0, 0};
    // `nothing`: what the call answers if it finds nothing.  `ends`: handlers end it even if they have SA_RESTART.
    long nothing = 0, found;
    int ends = 1;
    if (set && !(t->ran & ~*set)) return 0;
    *result = -EINTR;
    if (number == NANOSLEEP || number == CLOCK_NANOSLEEP) return sleep_is_over(w) != 0;
    if (number == PAUSE || number == SIGSUSPEND || number == SELECT || number == PSELECT6) return 1;
    if (number == POLL) found = call_with(w, 0, 0);
    else if (number == PPOLL) found = call_with(w, (long)&none, at[3]);
    else if (number == EPOLL_WAIT || number == EPOLL_PWAIT) found = call_with(w, at[2], 0);
    else if (number == MSGRCV) {
        if (at[4] & NO_WAIT) return 0;
        nothing = -NO_MESSAGE;
        found = w->calls(number, at[0], at[1], at[2], at[3], at[4] | NO_WAIT, 0);
    } else ends = 0;
    if (!ends) {
        if (t->said == TURN_RESTARTS && !(number == FUTEX && at[3])) return 0;
        if (number == FUTEX) {
            nothing = -ETIMEDOUT;
            found = w->calls(number, at[0], (at[1] & FUTEX_PRIVATE) | FUTEX_WAIT, at[2], (long)&none, 0, 0);
        } else if (number == WAIT4 && !(at[2] & WITHOUT_WAITING)) found = call_with(w, at[2] | WITHOUT_WAITING, at[3]);
        else if (number == WAITID && !(at[3] & WITHOUT_WAITING)) {
            int child[32];  // siginfo_t; its first word is 0 if there is none
            found = w->calls(number, at[0], at[1], (long)child, at[3] | WITHOUT_WAITING | AND_STAYS, 0, 0);
            return found == 0 && child[0] == 0;
        } else return reads(number) && waits_to_read(w);
    }
    if (found != nothing) *result = found;
    return 1;
}

SELDOM static COLD long behind_handler(const wait *w, const brawn_turn_t *t) {
    // A cancellation comes first: it looks for one, and does nothing else.
    long result = w->calls(GETPID, 0, 0, 0, 0, 0, 0);
    if (result == -CANCELED || finds(w, t, &result)) return result;
    return call_as_it_came(w);
}
