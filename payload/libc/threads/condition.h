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

// musl takes and gives back the private one's lock to see that nobody waits.  Whoever has to be woken has put itself
// into the list before it unlocked the mutex; who signals after locking it sees that, and any other may come too early anyway.
//
// One whose time is up takes itself out of the list under the lock, and gives that back last: only then may the one who
// signals free the condition variable.  So the lock has to be free, too.
INLINE int is_left(condition *c) {
    if (__atomic_load_n(&c->first, __ATOMIC_ACQUIRE)) return 0;
#ifdef __x86_64__
    return !__atomic_load_n(&c->lock, __ATOMIC_ACQUIRE);
#else
    // Arm lets others see the empty list before the lock that it was emptied under, unless they write there, too.
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
