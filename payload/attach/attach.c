// What a rewritten program needs so that it can use a heap that it was not linked with: a start that runs before the
// program's own, and the heap's part of a thread's end and of a wait, of which musl knows nothing.  It also defines the few
// functions of libc that the heap calls, since the program need not contain libc's own.
//
// The start needs nothing but the stack that the kernel gave: libc has not been set up, a static-pie is not relocated,
// thread-locals do not exist.

#include "../libc/threads/by_number.h"

// The program's own: its former entry point (start.h), and __pthread_tsd_run_dtors.
HIDDEN void brawn_host_tsd_run_dtors(void);

// Words of a position-independent program that hold addresses, were moved, and are not relocated by the program itself:
// their number, then for each word its place and its value, both relative to the table.
extern HIDDEN const int64_t brawn_attach_table[];

// The first stack as the kernel wrote it (System V ABI, "Process Initialization").
HIDDEN char **__environ;
static const unsigned long *auxiliary;

// Called by brawn_attach_start (start.h) with the stack pointer that the kernel gave.
HIDDEN __attribute__((used)) void brawn_attach_begin(const unsigned long *stack) {
    const unsigned long arguments = stack[0];
    const unsigned long *word = stack + 1 + arguments + 1;
    __environ = (char **)word;
    while (*word != 0) word++;
    auxiliary = word + 1;
    uintptr_t table = (uintptr_t)brawn_attach_table;
    __asm__("" : "+r"(table));  // the words at these distances are not part of the table: the compiler must not conclude that there are none
    const int64_t *entry = (const int64_t *)table;
    for (int64_t left = *entry++; left > 0; left--, entry += 2) *(uintptr_t *)(table + entry[0]) = table + entry[1];
}

// As libc's, except that it does not set errno, which the heap must not change.  <elf.h>: pairs of a type and a value,
// the last of type 0.
HIDDEN unsigned long getauxval(unsigned long type) {
    for (const unsigned long *entry = auxiliary; entry[0] != 0; entry += 2) {
        if (entry[0] == type) return entry[1];
    }
    return 0;
}

// The heap's only key. Each thread's value of it is a thread-local, so the program can use all of its 128 keys.
static void (*destructor)(void *);
static __thread void *value;

HIDDEN int pthread_key_create(unsigned *key, void (*at_exit)(void *)) {
    *key = 0;
    destructor = at_exit;
    return 0;
}

HIDDEN int pthread_setspecific(unsigned key, const void *given) {
    (void)key;
    value = (void *)given;
    return 0;
}

// Replaces __pthread_tsd_run_dtors, which __pthread_exit calls when a thread ends.  The heap's destructor waits for a
// later round by setting its value again (heap/threads.c). Here no destructor of the program follows any more, so it is
// called until it does not ask for another round.
HIDDEN void brawn_attach_thread_exit(void) {
    brawn_host_tsd_run_dtors();
    for (void *given = value; given != NULL; given = value) {
        value = NULL;
        destructor(given);
    }
}

// musl's own __syscall_cp_c, of six arguments behind the call's number, and the code to which handlers of signals return.
HIDDEN long brawn_host_syscall_cp_c(long number, long a, long b, long c, long d, long e, long f);
extern HIDDEN const char brawn_host_restore_rt[];

// The heap's (heap/surface.c): a gift of nothing says that the thread is about to wait.
HIDDEN void __malloc_donate(char *from, char *to, size_t not_handlers_return_to, const void *end_of_stack, brawn_turn_t *t);

INLINE thread *waiting_thread(void) {
#ifdef __x86_64__
    return own_thread();
#else
    // musl's pthread_self, which the program need not have (arch/aarch64/pthread_arch.h).
    char *after;
    __asm__("mrs %0, tpidr_el0" : "=r"(after));
    return (thread *)(after - sizeof(thread));
#endif
}

// The heap's turn before a wait, which is not divided here.  Where a stack ends that is not the thread's own nobody knows
// (libc/threads/__syscall_cp.c).
static __attribute__((noinline)) brawn_turn_t rest(void) {
    const thread *const self = waiting_thread();
    const char *const end = self->stack;
    brawn_turn_t t = {.said = 0};
    if (is_restricted || (end && (size_t)(end - (const char *)__builtin_frame_address(0)) > self->stack_size)) return t;
    t.said = TURN_UNDIVIDED;
    __malloc_donate(NULL, NULL, ~(size_t)brawn_host_restore_rt, end, &t);
    return t;
}

// Comes between musl's __syscall_cp, by which all calls go in which a thread can be cancelled, and what that jumps to.
HIDDEN long brawn_attach_wait(long number, long a, long b, long c, long d, long e, long f) {
    if (!waits(number, c, d)) return brawn_host_syscall_cp_c(number, a, b, c, d, e, f);
    const brawn_turn_t t = rest();
    if (LIKELY(!t.said)) return brawn_host_syscall_cp_c(number, a, b, c, d, e, f);
    const wait w = {number, {a, b, c, d, e, f}, brawn_host_syscall_cp_c};
    return behind_handler(&w, &t);
}

// musl's: the result, or -1 with errno.
INLINE long answer(long result) {
    if ((unsigned long)result <= -4096ul) return result;
    waiting_thread()->error = (int)-result;
    return -1;
}

// syscall and prctl, the same in musl 1.2.2 to 1.2.6 (src/misc/syscall.c, src/linux/prctl.c).  A program that has these cannot restrict its
// system calls unseen by them; and what waits for a futex by syscall, as Rust's standard library does, is seen.
HIDDEN long brawn_attach_syscall(long number, long a, long b, long c, long d, long e, long f) {
    if (waits_for_futex(number, b)) {
        const brawn_turn_t t = rest();
        if (t.said) {
            const wait w = {number, {a, b, c, d, e, f}, plain};
            return answer(behind_handler(&w, &t));
        }
    }
    note_restriction(number, a);
    return answer(plain(number, a, b, c, d, e, f));
}

HIDDEN int brawn_attach_prctl(int operation, long a, long b, long c, long d) {
    note_restriction(PRCTL, operation);
    return (int)answer(plain(PRCTL, operation, a, b, c, d, 0));
}

#include "start.h"
