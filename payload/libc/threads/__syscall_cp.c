// __syscall_cp: by which all of musl's calls go that a thread can be cancelled in, and so nearly all that may wait.  Before
// one that may, the heap gets its turn: what is free by now can be the kernel's while the thread waits.
//
// What cancels is musl's, and is left as it is: __syscall_cp_c is pthread_cancel's where a program has that, and the place
// in which a thread is cancelled is in its assembly.  The same in musl 1.2.2 to 1.2.6 (src/thread/__syscall_cp.c).
//
// Whoever has the kernel restrict the process's system calls may have left it nothing but the one that it is to wait in: from
// then on the heap has no turn.  So prctl and syscall are here, too; and what waits for a futex by syscall, as Rust's
// standard library does, is seen.
#include "by_number.h"

// musl's way to give the heap memory.  A gift of nothing changes neither of musl's heaps; to brawn's it says that the
// thread is about to wait (heap/rest.c): with the address to which signal handlers return, all bits the other way, and the end of the stack.
// Weak: a program that has no heap gets none.
// And with a place for an answer: whether to wait in parts (parts.h), or not at all.
extern void __malloc_donate(char *from, char *to, size_t not_handlers_return_to, const void *end_of_stack, brawn_turn_t *t) __attribute__((weak));

// The code to which handlers return: musl gives the kernel its address.  Weak: a program without musl's sigaction cannot have
// a handler, and lacks this code.
extern const char __restore_rt[] __attribute__((weak));

// The stack that the thread began with, for who looks through it; the first thread's is not known here.
static __attribute__((noinline)) void rest(brawn_turn_t *t) {
    const thread *const self = own_thread();
    char *const end = self->stack;
    if (is_restricted || (end && (size_t)(end - (char *)__builtin_frame_address(0)) > self->stack_size)) {
        t->said = 0;
        return;
    }
    __malloc_donate(NULL, NULL, __restore_rt ? ~(size_t)__restore_rt : 0, end, t);
}

#include "parts.h"

extern long __syscall_cp_c(long number, long a, long b, long c, long d, long e, long f);

HIDDEN long brawn_syscall_cp_c(long number, long a, long b, long c, long d, long e, long f) { return plain(number, a, b, c, d, e, f); }
NAME(__syscall_cp_c, brawn_syscall_cp_c)

HIDDEN long brawn_syscall_cp(long number, long a, long b, long c, long d, long e, long f) {
    if (!waits(number, c, d) || !__malloc_donate) return __syscall_cp_c(number, a, b, c, d, e, f);
    brawn_turn_t t = {.said = 0};
    rest(&t);
    if (LIKELY(!t.said)) return __syscall_cp_c(number, a, b, c, d, e, f);
    const wait w = {number, {a, b, c, d, e, f}, __syscall_cp_c};
    return wait_after(&w, &t);
}
NAME(__syscall_cp, brawn_syscall_cp)

// musl's: the result, or -1 with errno.
INLINE long answer(long result) {
    if ((unsigned long)result <= -4096ul) return result;
    ERRNO = (int)-result;
    return -1;
}

// The same in musl 1.2.2 to 1.2.6 (src/misc/syscall.c, src/linux/prctl.c).
HIDDEN long brawn_syscall(long number, long a, long b, long c, long d, long e, long f) {
    if (waits_for_futex(number, b) && __malloc_donate) {
        brawn_turn_t t = {.said = 0};
        rest(&t);
        if (t.said) {
            const wait w = {number, {a, b, c, d, e, f}, plain};
            return answer(wait_after(&w, &t));
        }
    }
    note_restriction(number, a);
    return answer(plain(number, a, b, c, d, e, f));
}
NAME(syscall, brawn_syscall)

HIDDEN int brawn_prctl(int operation, long a, long b, long c, long d) {
    note_restriction(PRCTL, operation);
    return (int)answer(plain(PRCTL, operation, a, b, c, d, 0));
}
NAME(prctl, brawn_prctl)
