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
INLINE int tell(condition *c, int count) {
    if (!c->shared) return __atomic_load_n(&c->first, __ATOMIC_RELAXED) ? __private_cond_signal(c, count) : 0;
    if (!c->waiters) return 0;
    __atomic_fetch_add(&c->signals, 1, __ATOMIC_SEQ_CST);
    wake(&c->signals, count < 0 ? INT_MAX : count, 0);
    return 0;
}
