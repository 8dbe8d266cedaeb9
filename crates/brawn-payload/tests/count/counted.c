/* The heap with thread-locals, clock and system calls of the test's: count.h. */
#include "arch.h"
#include "count.h"

#define WITHOUT_HOOKS __attribute__((no_sanitize_thread, noinline))

WITHOUT_HOOKS static long counted_call(long n, long a, long b, long c, long d, long e, long f) {
    /* How many pages of the stack profile trace looks at is chance: where in a page the kernel lets the first stack begin. */
    const int looks = n == ARCH_SYS_rt_sigprocmask && a == -1;
    counts.calls += !looks;
    const long result = arch_syscall6(n, a, b, c, d, e, f);
    if ((unsigned long)result > -4096ul) return result;
    const int discards = 4; /* <asm-generic/mman-common.h>, MADV_DONTNEED */
    if (n == ARCH_SYS_munmap || (n == ARCH_SYS_madvise && c == discards)) count_forget((uintptr_t)a, (size_t)b);
    if (n == ARCH_SYS_mremap && result != a) {
        count_move((uintptr_t)a, (uintptr_t)result, (size_t)(b < c ? b : c));
        count_forget((uintptr_t)a, (size_t)b);
    } else if (n == ARCH_SYS_mremap && c < b) count_forget((uintptr_t)(a + c), (size_t)(b - c));
    return result;
}

/* Any numbers do that are some pages apart, as threads' pointers are; but 0 is no thread's. */
WITHOUT_HOOKS static uintptr_t count_pointer(void) { return (uintptr_t)(count_thread + 1) << 16; }
WITHOUT_HOOKS static uint64_t count_now(void) { return count_time; }

#define arch_syscall6 counted_call
#define arch_thread_pointer count_pointer
#define arch_counter count_now
#define arch_clock() ((int64_t)(count_now() >> 21))
#define pthread_key_create count_key_create
#define pthread_setspecific count_key_set
/* Thread-locals lie in a section of their own, whose bytes change with the thread: hooks.c. */
#define __thread __attribute__((section("count_locals")))
#define tls_model(model) unused

#include "brawn-heap.c"

/* Destructors of threads' values: count_end calls the heap's. */
int count_key_create(unsigned *key, void (*destructor)(void *)) {
    (void)destructor;
    *key = 1;
    return 0;
}
int count_key_set(unsigned key, const void *value) {
    (void)key, (void)value;
    return 0;
}

enum { MOST_LOCALS = 256 };
static char locals[COUNT_THREADS + 1][MOST_LOCALS];

/* A thread's locals are all 0 when it begins. */
WITHOUT_HOOKS void count_turn(unsigned thread) {
    const size_t size = (size_t)(count_locals_end - count_locals_begin);
    if (size > MOST_LOCALS) __builtin_trap();
    __builtin_memcpy(locals[count_thread], count_locals_begin, size);
    count_thread = thread;
    __builtin_memcpy(count_locals_begin, locals[thread], size);
}

WITHOUT_HOOKS void count_end(void) {
    for (int i = 0; i < BRAWN_LAST_ROUND; i++) brawn_thread_exit(NULL);
    __builtin_memset(count_locals_begin, 0, (size_t)(count_locals_end - count_locals_begin));
}
