// pthread_rwlock_unlock: see rwlock.h.
#include "rwlock.h"

static COLD int unlock_shared(rwlock *l) {
    int now = load(&l->lock), waiters, next;
    do {
        waiters = l->waiters;
        next = (now & COUNT) == WRITES || (now & COUNT) == 1 ? 0 : now - 1;
    } while (!__atomic_compare_exchange_n(&l->lock, &now, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    if (!next && (waiters || now < 0)) wake(&l->lock, now & COUNT, 0);
    return 0;
}

// Nothing of it is touched once it is unlocked, since it may be gone: waking takes its address alone.
HIDDEN int brawn_pthread_rwlock_unlock(rwlock *l) {
    if (UNLIKELY(l->shared)) return unlock_shared(l);
#ifdef __x86_64__
    // Fetches the line for writing at once, where another reader has it.  Processors that do not know it do nothing.
    __asm__ volatile("prefetchw %0" : : "m"(l->lock));
#endif
    int now = load(&l->lock);
    if (now & WRITER) {
        // Readers that take themselves back may be in the word.
        now = __atomic_fetch_and(&l->lock, READERS, __ATOMIC_RELEASE);
        if (UNLIKELY(now < 0)) wake(&l->lock, INT_MAX, 1);
    } else {
        now = __atomic_fetch_sub(&l->lock, 1, __ATOMIC_RELEASE);
        if (UNLIKELY(now == (CONTENDED | 1))) wake(&l->lock, 1, 1);
    }
    return 0;
}
NAME(__pthread_rwlock_unlock, brawn_pthread_rwlock_unlock)
NAME(pthread_rwlock_unlock, brawn_pthread_rwlock_unlock)
