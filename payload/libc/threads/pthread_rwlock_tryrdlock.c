// pthread_rwlock_tryrdlock: see rwlock.h.
#include "rwlock.h"

HIDDEN int brawn_pthread_rwlock_tryrdlock(rwlock *l) {
    if (UNLIKELY(l->shared)) {
        int now = load(&l->lock);
        do {
            if ((now & COUNT) == WRITES) return BUSY;
            if ((now & COUNT) == MOST) return EAGAIN;
        } while (!__atomic_compare_exchange_n(&l->lock, &now, now + 1, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
        return 0;
    }
    const int was = come(l);
    int left;
    if (UNLIKELY(was & WRITER)) return stays(l, 0, &left) ? 0 : BUSY;
    if (LIKELY((was & READERS) < TOO_MANY)) return 0;
    // There are readers, so this was not the last.
    __atomic_fetch_sub(&l->lock, 1, __ATOMIC_RELAXED);
    return EAGAIN;
}
NAME(__pthread_rwlock_tryrdlock, brawn_pthread_rwlock_tryrdlock)
NAME(pthread_rwlock_tryrdlock, brawn_pthread_rwlock_tryrdlock)
