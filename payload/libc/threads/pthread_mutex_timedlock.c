// pthread_mutex_timedlock, which is pthread_mutex_lock, too, where the mutex is not free.
//
// A plain mutex (normal, private, neither robust nor inheriting priorities) is as in Drepper's Futexes are tricky (2011), with
// musl's words: 0, BUSY, and BUSY with CONTENDED, when somebody may wait.  Whoever has waited takes it with CONTENDED, since
// others may wait still, and so nobody else needs to count them: unlocking asks the kernel only where the bit was set.  (musl counts
// those who wait, up to when they have the lock, and asks the kernel as long as there are any: also for one who is awake.)
// musl's pthread_mutex_trylock puts BUSY where 0 was, which is right here, too.  musl's pthread_cond_timedwait may have a
// thread wait here that takes the mutex without the bit: as long as it does, `waiters` is not 0, and unlocking wakes all.
//
// Any other mutex is locked as musl does it, word for word of its states: its owner's exit, another process or the kernel
// may be next to look at it.
#include "threads.h"

extern int __pthread_mutex_trylock(mutex *m);

enum { MUSLS_SPINS = 100 };

// It does not look again before it sleeps: see README.md.
static int lock_plain(mutex *m, const timespec *until) {
    while (__atomic_exchange_n(&m->lock, BUSY | CONTENDED, __ATOMIC_ACQUIRE)) {
        const int error = wait_for_lock(&m->lock, BUSY | CONTENDED, until, 1);
        if (error && error != EINTR) return error;
    }
    return 0;
}

// A mutex that inherits priorities: while a thread waits, the kernel gives its priority to the owner.
static int lock_inheriting(mutex *m, const timespec *until) {
    const int type = m->type, is_private = !(type & SHARED);
    thread *const self = own_thread();
    if (!is_private) self->pending = (void *)&m->next;
    long error;
    do error = -futex(&m->lock, FUTEX_LOCK_PI | (is_private ? FUTEX_PRIVATE : 0), 0, until);
    while (error == EINTR);
    if (error) self->pending = NULL;
    if (!error) {
        if ((type & ROBUST) || (!(m->lock & DIED) && !m->waiters)) {
            // So that trylock knows that it is ours already.
            m->count = -1;
            return __pthread_mutex_trylock(m);
        }
        // Its owner has ended, and it is not robust: nobody can have it any more.
        __atomic_store_n(&m->waiters, -1, __ATOMIC_SEQ_CST);
        futex(&m->lock, FUTEX_UNLOCK_PI | (is_private ? FUTEX_PRIVATE : 0), 0, NULL);
        self->pending = NULL;
    } else if (error == ETIMEDOUT || (error == EDEADLK && (type & 3) == ERRORCHECK)) {
        return error;
    }
    volatile int never = 0;
    do error = __timedwait(&never, 0, REALTIME, until, 1);
    while (error != ETIMEDOUT);
    return error;
}

static COLD int lock_any(mutex *m, const timespec *until) {
    const int type = m->type;
    int result = __pthread_mutex_trylock(m);
    if (result != BUSY) return result;
    if (type & INHERITING) return lock_inheriting(m, until);
    for (int spins = MUSLS_SPINS; spins && m->lock && !m->waiters; spins--) breathe();
    while ((result = __pthread_mutex_trylock(m)) == BUSY) {
        const int now = m->lock, owner = now & OWNER;
        if (!owner && (!now || (type & ROBUST))) continue;
        if ((type & 3) == ERRORCHECK && owner == own_thread()->id) return EDEADLK;
        __atomic_fetch_add(&m->waiters, 1, __ATOMIC_SEQ_CST);
        int expected = now;
        __atomic_compare_exchange_n(&m->lock, &expected, now | CONTENDED, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        result = wait_for_lock(&m->lock, now | CONTENDED, until, !(type & SHARED));
        __atomic_fetch_sub(&m->waiters, 1, __ATOMIC_SEQ_CST);
        if (result && result != EINTR) break;
    }
    return result;
}

HIDDEN int brawn_pthread_mutex_timedlock(mutex *restrict m, const timespec *restrict until) {
    if (UNLIKELY(m->type & (KIND | SHARED))) return lock_any(m, until);
    return takes(&m->lock, 0, BUSY) ? 0 : lock_plain(m, until);
}
NAME(__pthread_mutex_timedlock, brawn_pthread_mutex_timedlock)
NAME(pthread_mutex_timedlock, brawn_pthread_mutex_timedlock)
