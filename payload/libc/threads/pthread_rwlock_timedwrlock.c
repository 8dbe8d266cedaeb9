// pthread_rwlock_timedwrlock, and how pthread_rwlock_wrlock waits: see rwlock.h.
#include "rwlock.h"

static COLD int wait(rwlock *l, const timespec *until) {
    for (int spins = RW_SPINS;;) {
        int now = load(&l->lock);
        if (!(now & ~CONTENDED)) {
            if (!brawn_pthread_rwlock_trywrlock(l)) return 0;
        } else if (spins && now >= 0) {
            spins--;
            breathe();
        } else {
            // Who has the lock, or adds itself now, finds the bit.
            const int waited = now | CONTENDED;
            if (now != waited && !__atomic_compare_exchange_n(&l->lock, &now, waited, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
            const int error = wait_for_lock(&l->lock, waited, until, 1);
            if (error && error != EINTR) {
                give_up(l);
                return error;
            }
        }
    }
}

HIDDEN int brawn_pthread_rwlock_timedwrlock(rwlock *restrict l, const timespec *restrict until) {
    if (LIKELY(!brawn_pthread_rwlock_trywrlock(l))) return 0;
    return l->shared ? wait_shared(l, until, brawn_pthread_rwlock_trywrlock, 0) : wait(l, until);
}
NAME(__pthread_rwlock_timedwrlock, brawn_pthread_rwlock_timedwrlock)
NAME(pthread_rwlock_timedwrlock, brawn_pthread_rwlock_timedwrlock)
