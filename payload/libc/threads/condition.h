// What pthread_cond_signal and pthread_cond_broadcast share.  Waiting is musl's (pthread_cond_timedwait), and so are the states.
#pragma once
#include "threads.h"

// musl's pthread_cond_t, as far as it is used here: the same in musl 1.2.2 to 1.2.6.
typedef struct {
    // Not NULL if processes share it; then the two that follow count signals, and those who wait.
    void *shared;
    volatile int signals;
    volatile int waiters;
    int clock;
    int unused[3];
    volatile int lock;
    int unused2;
    // Who has waited longest, in a private one; NULL if nobody waits.
    void *volatile first;
} condition;
_Static_assert(sizeof(condition) == 48 && offsetof(condition, lock) == 32, "musl's pthread_cond_t");

// musl's: wakes that many, or all if it is -1.
extern int __private_cond_signal(condition *c, int count);

// Whether nobody waits for a private condition variable.  musl takes its lock to see that.  This only looks at the list: a thread that has to be
// woken has put itself into the list before it unlocked the mutex.  A thread that signals after locking the mutex sees that, and any other
// thread may come too early anyway.
//
// A waiter whose time is up takes itself out of the list under the lock, and unlocks last.  Before that, the thread that signals must not free
// the condition variable.  So the lock has to be free, too.
INLINE int is_left(condition *c) {
    if (__atomic_load_n(&c->first, __ATOMIC_ACQUIRE)) return 0;
#ifdef __x86_64__
    return !__atomic_load_n(&c->lock, __ATOMIC_ACQUIRE);
#else  // any other
    // On Arm, a thread may see the empty list before it sees the lock under which the list was emptied, unless it writes to the lock, too.
    return !__atomic_fetch_add(&c->lock, 0, __ATOMIC_SEQ_CST);
#endif
}

INLINE int tell(condition *c, int count) {
    if (!c->shared) return is_left(c) ? 0 : __private_cond_signal(c, count);
    if (!c->waiters) return 0;
    __atomic_fetch_add(&c->signals, 1, __ATOMIC_SEQ_CST);
    wake(&c->signals, count < 0 ? INT_MAX : count, 0);
    return 0;
}
