// The kernel's calls by their numbers, as a program makes them through syscall and prctl. Some wait for a futex; some restrict what
// the process may call from then on.  For __syscall_cp.c, and for rewritten programs (attach/attach.c).
//
// Both functions are variadic to their callers, but not where they are defined: by both ABIs (System V ABI AMD64, 3.5.7; AAPCS64, 6.4), integers
// after the `...` are passed as others are, and a variadic function would first save all registers that could be one.
#pragma once
#include "waits.h"

#ifdef __x86_64__
enum {
    PRCTL = 157,
    SECCOMP = 317,
};
#else
enum {
    PRCTL = 167,
    SECCOMP = 277,
};
#endif
enum {
    PR_SET_SECCOMP = 22,
    FUTEX_COMMAND = 127,
    FUTEX_WAIT_BITSET = 9,
};

static int is_restricted;

// One copy: it is called at several places, and by its address.
static __attribute__((noinline)) long plain(long number, long a, long b, long c, long d, long e, long f) {
    return arch_syscall6(number, a, b, c, d, e, f);
}

INLINE int waits_for_futex(long number, long operation) {
    const int command = (int)operation & FUTEX_COMMAND;
    return number == FUTEX && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

// To be called before each call: from one that restricts the process on, the heap has no turn.
INLINE void note_restriction(long number, long first) {
    if (number == SECCOMP || (number == PRCTL && (int)first == PR_SET_SECCOMP)) is_restricted = 1;
}
