// pthread_rwlock_timedrdlock, and how pthread_rwlock_rdlock waits: see rwlock.h.
#include "rwlock.h"

static COLD int wait(rwlock *l, const timespec *until) {
    for (int spins = RW_SPINS; spins && (load(&l->lock) & (WRITER | CONTENDED)) == WRITER; spins--) breathe();
    for (;;) {
        const int result = brawn_pthread_rwlock_tryrdlock(l);
        if (result != BUSY) return result;
        // Once more, as a reader that goes to wait.
        int left;
        if (!(come(l) & WRITER) || stays(l, CONTENDED, &left)) return 0;
        const int error = wait_for_lock(&l->lock, left, until, 1);
        if (error && error != EINTR) {
            give_up(l);
            return error;
        }
    }
}

HIDDEN int brawn_pthread_rwlock_timedrdlock(rwlock *restrict l, const timespec *restrict until) {
    const int result = brawn_pthread_rwlock_tryrdlock(l);
    if (LIKELY(result != BUSY)) return result;
    return l->shared ? wait_shared(l, until, brawn_pthread_rwlock_tryrdlock, 1) : wait(l, until);
}
NAME(__pthread_rwlock_timedrdlock, brawn_pthread_rwlock_timedrdlock)
NAME(pthread_rwlock_timedrdlock, brawn_pthread_rwlock_timedrdlock)
