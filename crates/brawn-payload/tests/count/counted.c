/* The heap with thread-locals, clock and system calls of the test's: count.h. */
#include "arch.h"
#include "count.h"

#define WITHOUT_HOOKS __attribute__((no_sanitize_thread, noinline))

WITHOUT_HOOKS static long counted_call(long n, long a, long b, long c, long d, long e, long f) {
    counts.calls++;
    return arch_syscall6(n, a, b, c, d, e, f);
}

/* Any numbers do that are some pages apart, as threads' pointers are. */
WITHOUT_HOOKS static uintptr_t count_pointer(void) { return (uintptr_t)count_thread << 16; }
WITHOUT_HOOKS static uint64_t count_now(void) { return count_time; }

#define arch_syscall6 counted_call
#define arch_thread_pointer count_pointer
#define arch_counter count_now
#define arch_clock() ((int64_t)(count_now() >> 21))
#define pthread_key_create count_key_create
#define pthread_setspecific count_key_set
#define __thread
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

static mi_heap_t *heaps[COUNT_THREADS + 1];
static int rounds[COUNT_THREADS + 1];

WITHOUT_HOOKS void count_turn(unsigned thread) {
    heaps[count_thread] = brawn_heap;
    rounds[count_thread] = brawn_exit_rounds;
    count_thread = thread;
    brawn_heap = heaps[thread];
    brawn_exit_rounds = rounds[thread];
}

WITHOUT_HOOKS void count_end(void) {
    for (int i = 0; i < BRAWN_LAST_ROUND; i++) brawn_thread_exit(NULL);
    brawn_exit_rounds = 0;
}
