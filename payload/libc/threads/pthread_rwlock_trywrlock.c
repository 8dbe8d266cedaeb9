// pthread_rwlock_trywrlock: see rwlock.h.
#include "rwlock.h"

HIDDEN int brawn_pthread_rwlock_trywrlock(rwlock *l) {
    if (UNLIKELY(l->shared)) return takes(&l->lock, 0, WRITES) ? 0 : BUSY;
    if (LIKELY(takes(&l->lock, 0, WRITER))) return 0;
    int now = load(&l->lock);
    while (!(now & ~CONTENDED)) {
        if (__atomic_compare_exchange_n(&l->lock, &now, now | WRITER, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return 0;
    }
    return BUSY;
}
NAME(__pthread_rwlock_trywrlock, brawn_pthread_rwlock_trywrlock)
NAME(pthread_rwlock_trywrlock, brawn_pthread_rwlock_trywrlock)
