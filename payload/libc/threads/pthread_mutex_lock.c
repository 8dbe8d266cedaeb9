// pthread_mutex_lock: see pthread_mutex_timedlock.c.
#include "threads.h"

HIDDEN int brawn_pthread_mutex_timedlock(mutex *restrict m, const timespec *restrict until);

HIDDEN int brawn_pthread_mutex_lock(mutex *m) {
    if (LIKELY(!(m->type & (KIND | SHARED)))) {
        if (is_alone() && !load(&m->lock)) {
            __atomic_store_n(&m->lock, BUSY, __ATOMIC_RELAXED);
            return 0;
        }
        if (LIKELY(takes(&m->lock, 0, BUSY))) return 0;
    }
    return brawn_pthread_mutex_timedlock(m, NULL);
}
NAME(__pthread_mutex_lock, brawn_pthread_mutex_lock)
NAME(pthread_mutex_lock, brawn_pthread_mutex_lock)
