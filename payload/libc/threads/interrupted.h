// A wait before which a handler ran, at the end of the heap's turn.  Had the turn taken no time, the handler would have run in the wait.  So
// the wait ends as the kernel would have ended it: with EINTR, unless the kernel makes such a call again behind a handler with SA_RESTART
// (man 7 signal).  But what the call finds without waiting it finds: the kernel looks for that first.
//
// Other calls than those here are made as they came, and wait.  So is one that has a set of signals of its own: whoever gives
// that has blocked the signals that are to end it.
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
    WITHOUT_WAITING = 1,  // WNOHANG
    GET_FLAGS = 3,  // F_GETFL
    NEVER_WAITS = 04000,  // O_NONBLOCK
    DOES_NOT_WAIT = 0x40,  // MSG_DONTWAIT
    CAN_BE_READ = 1,  // POLLIN
};

// A sleep, of which all is left.  0: the kernel is to say what is wrong with it.
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
    if (w->number == RECVFROM) flags = at[3];
    if (flags & DOES_NOT_WAIT || kernel(FCNTL, at[0], GET_FLAGS, 0, 0) & NEVER_WAITS) return 0;
    return kernel(PPOLL, (long)&poll, 1, (long)&none, 0) == 0;
}

// What the call answers if it does not wait; 0: it is to be made as it came.
INLINE long found(const wait *w, long said) {
    const long number = w->number, *const at = w->arguments;
    long result = 0;
    if (number == NANOSLEEP || number == CLOCK_NANOSLEEP) return sleep_is_over(w);
    if (number == PAUSE || number == SELECT) return -EINTR;
    if (number == PSELECT6) return at[5] && *(const long *)at[5] ? 0 : -EINTR;
    if (number == POLL) result = call_with(w, 0, 0);
    else if (number == PPOLL && !at[3]) {
        const moment none = {0, 0};
        result = call_with(w, (long)&none, 0);
    } else if (number == EPOLL_WAIT || (number == EPOLL_PWAIT && !at[4])) result = call_with(w, at[2], 0);
    else if (said == RESTARTS) return 0;
    else if (number == WAIT4 && !(at[2] & WITHOUT_WAITING)) result = call_with(w, at[2] | WITHOUT_WAITING, at[3]);
    else if (number == READ || number == RECVFROM || number == RECVMSG || number == ACCEPT || number == ACCEPT4) return waits_to_read(w) ? -EINTR : 0;
    else return 0;
    return result ? result : -EINTR;
}

SELDOM static COLD long behind_handler(const wait *w, long said) {
    // A cancellation comes first: it looks for one, and does nothing else.
    const long cancelled = w->calls(GETPID, 0, 0, 0, 0, 0, 0);
    if (cancelled == -CANCELED) return cancelled;
    const long result = found(w, said);
    return result ? result : call_as_it_came(w);
}
