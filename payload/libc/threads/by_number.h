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

static long plain(long number, long a, long b, long c, long d, long e, long f) {
#ifdef __x86_64__
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return result;
#else
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    register long x8 __asm__("x8") = number;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5), "r"(x8) : "memory");
    return x0;
#endif
}

INLINE int waits_for_futex(long number, long operation) {
    const int command = (int)operation & FUTEX_COMMAND;
    return number == FUTEX && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

// To be called before each call: from one that restricts the process on, the heap has no turn.
INLINE void note_restriction(long number, long first) {
    if (number == SECCOMP || (number == PRCTL && (int)first == PR_SET_SECCOMP)) is_restricted = 1;
}
