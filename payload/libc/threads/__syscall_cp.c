// __syscall_cp: by which all of musl's calls go that a thread can be cancelled in, and so nearly all that may wait.  Before such a call, the
// heap may give back what is free (heap/wait.c).  The call itself is musl's: it reaches the kernel once, with the program's arguments.
//
// A turn in the middle of malloc or free would find lists half changed.  It comes there only by a handler of a signal, which may call write;
// and it would stay in its own middle only where a thread is cancelled at any instruction.  So there is no turn in a program that ever had a
// handler, nor in such a thread.  (What is not seen: a program's first handler, where it is set by one thread and runs in another that is in its
// turn at that moment.)
//
// Nor does a program get turns that may have the kernel restrict its system calls: it may have left itself nothing but the one that it is about
// to make.  It does that by prctl or syscall, so no program that has one of these gets turns.
//
// The same in musl 1.2.2 to 1.2.6 (src/thread/__syscall_cp.c).
#include "threads.h"

// The heap's.  Weak: a program may have another heap.
extern HIDDEN _Bool brawn_wait_is_due(void) __attribute__((weak));
extern HIDDEN void brawn_wait_turn(void) __attribute__((weak));

// musl's: the signals that had a handler at any time (src/signal/sigaction.c).  Weak, as the next two: a program without these has none of them.
extern void __get_handler_set(unsigned long *set) __attribute__((weak));
extern long syscall(long number, ...) __attribute__((weak));
extern int prctl(int operation, ...) __attribute__((weak));

// What makes the call: pthread_cancel's own in a program that has that.
extern long __syscall_cp_c(long number, long a, long b, long c, long d, long e, long f);
HIDDEN long brawn_syscall_cp_c(long number, long a, long b, long c, long d, long e, long f) { return arch_syscall6(number, a, b, c, d, e, f); }
NAME(__syscall_cp_c, brawn_syscall_cp_c)

static COLD void take_turn(void) {
    const unsigned long own = 7ul << 31;  // the signals that musl keeps for itself
    unsigned long handlers[16] = {0};
    if (__get_handler_set) __get_handler_set(handlers);
    if (!(handlers[0] & ~own) && !own_thread()->cancel_at_once) brawn_wait_turn();
}

HIDDEN long brawn_syscall_cp(long number, long a, long b, long c, long d, long e, long f) {
    if (!syscall && !prctl && brawn_wait_is_due && UNLIKELY(brawn_wait_is_due())) take_turn();
    return __syscall_cp_c(number, a, b, c, d, e, f);
}
NAME(__syscall_cp, brawn_syscall_cp)
