// What sem_post, sem_trywait and sem_timedwait share: the states are musl's, of the version that the program is linked with, since
// another process, and musl's sem_getvalue, may look at them.
//
// While nobody waits all versions do the same.  Where somebody does, the value is -1 before musl 1.2.4 (or 0, or more than
// 0 with a count of those who wait), and since then it has the highest bit beside the count.
#pragma once
#include "threads.h"

typedef struct {
    volatile int value;
    volatile int waiters;
    // 128, or 0 if processes share it.
    int is_private;
    int unused[5];
} semaphore;
_Static_assert(sizeof(semaphore) == 32, "musl's sem_t");

// CONTENDED, or -1 where musl is older.
HIDDEN int brawn_sem_waited_for(void);
HIDDEN int brawn_sem_post_waited_for(semaphore *s);
HIDDEN int brawn_sem_trywait_waited_for(semaphore *s);

// Whether the value was `from`, and is `to` now.
INLINE int changes(semaphore *s, int from, int to) {
#ifdef __x86_64__
    // Without other threads nothing but a signal's handler comes in between, and that only between instructions.
    if (s->is_private && is_alone()) {
        int is;
        __asm__ volatile("cmpxchgl %3, %1" : "=@ccz"(is), "+m"(s->value), "+a"(from) : "r"(to) : "memory");
        return is;
    }
#endif
    return __atomic_compare_exchange_n(&s->value, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

// Takes one, if there is one.
INLINE int takes_one(semaphore *s) {
    const int value = load(&s->value);
    if (!value) return 0;
    if (LIKELY(value > 0 && !load(&s->waiters) && changes(s, value, value - 1))) return 1;
    return brawn_sem_trywait_waited_for(s);
}
