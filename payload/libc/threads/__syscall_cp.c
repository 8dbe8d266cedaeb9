// __syscall_cp: by which all of musl's calls go that a thread can be cancelled in, and so nearly all that may wait.  Before
// one that may, the heap gets its turn: what is free by now can be the kernel's while the thread waits.
//
// What cancels is musl's, and is left as it is: __syscall_cp_c is pthread_cancel's where a program has that, and the place
// in which a thread is cancelled is in its assembly.  The same in musl 1.2.2 to 1.2.6 (src/thread/__syscall_cp.c).
//
// Whoever has the kernel restrict the process's system calls may have left it nothing but the one that it is to wait in: from
// then on the heap has no turn.  So prctl and syscall are here, too; and what waits for a futex by syscall, as Rust's
// standard library does, is seen.
#include "waits.h"
#include <stdarg.h>

// musl's way to give the heap memory.  A gift of nothing changes neither of musl's heaps; to brawn's it says that the
// thread is about to wait (heap/rest.c): with the address to which signal handlers return, all bits the other way, and the end of the stack.
// Weak: a program that has no heap gets none.
// And with a place for an answer: whether to wait in parts (parts.h), or not at all.
extern void __malloc_donate(char *from, char *to, size_t not_handlers_return_to, const void *end_of_stack, long *wait) __attribute__((weak));

// Its code is at the address that musl has the kernel write behind a handler's frame.  Weak: a program that cannot have a
// handler, since it has no sigaction of musl's, has none.
extern const char __restore_rt[] __attribute__((weak));

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

INLINE int waits_for_futex(long operation) {
    const int command = (int)operation & FUTEX_COMMAND;
    return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}

// The stack that the thread began with, for who looks through it; the first thread's is not known here.
static __attribute__((noinline)) void rest(long *said) {
    const thread *const self = own_thread();
    char *const end = self->stack;
    if (is_restricted || (end && (size_t)(end - (char *)__builtin_frame_address(0)) > self->stack_size)) {
        *said = 0;
        return;
    }
    __malloc_donate(NULL, NULL, __restore_rt ? ~(size_t)__restore_rt : 0, end, said);
}

#include "parts.h"

extern long __syscall_cp_c(long number, long a, long b, long c, long d, long e, long f);

HIDDEN long brawn_syscall_cp_c(long number, long a, long b, long c, long d, long e, long f) { return plain(number, a, b, c, d, e, f); }
NAME(__syscall_cp_c, brawn_syscall_cp_c)

HIDDEN long brawn_syscall_cp(long number, long a, long b, long c, long d, long e, long f) {
    if (!waits(number, c, d) || !__malloc_donate) return __syscall_cp_c(number, a, b, c, d, e, f);
    long said = 0;
    rest(&said);
    if (LIKELY(!said)) return __syscall_cp_c(number, a, b, c, d, e, f);
    const wait w = {number, {a, b, c, d, e, f}, __syscall_cp_c};
    return said < 0 ? behind_handler(&w, said) : wait_in_parts(&w, said);
}
NAME(__syscall_cp, brawn_syscall_cp)

// musl's: the result, or -1 with errno.
INLINE long answer(long result) {
    if ((unsigned long)result <= -4096ul) return result;
    ERRNO = (int)-result;
    return -1;
}

// The same in musl 1.2.2 to 1.2.6 (src/misc/syscall.c, src/linux/prctl.c).
HIDDEN long brawn_syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    const long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    const long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (number == FUTEX && waits_for_futex(b) && __malloc_donate) {
        long said = 0;
        rest(&said);
        const wait w = {number, {a, b, c, d, e, f}, plain};
        if (said > 0) return answer(wait_in_parts(&w, said));
    }
    if (number == SECCOMP || (number == PRCTL && a == PR_SET_SECCOMP)) is_restricted = 1;
    return answer(plain(number, a, b, c, d, e, f));
}
NAME(syscall, brawn_syscall)

HIDDEN int brawn_prctl(int operation, ...) {
    va_list list;
    va_start(list, operation);
    const long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long);
    va_end(list);
    if (operation == PR_SET_SECCOMP) is_restricted = 1;
    return (int)answer(plain(PRCTL, operation, a, b, c, d, 0));
}
NAME(prctl, brawn_prctl)
