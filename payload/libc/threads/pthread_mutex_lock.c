// pthread_mutex_lock: see pthread_mutex_timedlock.c.
#include "threads.h"

HIDDEN int brawn_pthread_mutex_timedlock(mutex *restrict m, const timespec *restrict until);

// Of which only this process's owner is known: recursive, or checking for errors.
static int lock_owned(mutex *m) {
    thread *const self = own_thread();
    // In this order: another thread may end in between, and what it held stays its own.
    const int alone = is_alone(), now = load(&m->lock), id = self->id;
    if ((now & OWNER) == id && (m->type & 3) == RECURSIVE) {
        if ((unsigned)m->count >= INT_MAX) return EAGAIN;
        m->count++;
        return 0;
    }
    if (!now && alone) __atomic_store_n(&m->lock, id, __ATOMIC_RELAXED);
    else if (now || !takes(&m->lock, 0, id)) return brawn_pthread_mutex_timedlock(m, NULL);
    // musl's own trylock and unlock expect it first in the list of those that are held.
    void *const next = self->held;
    m->next = next;
    m->previous = (void *)&self->held;
    if (next != (void *)&self->held) ((void *volatile *)next)[-1] = (void *)&m->next;
    self->held = (void *)&m->next;
    return 0;
}

HIDDEN int brawn_pthread_mutex_lock(mutex *m) {
    if (LIKELY(!(m->type & KIND))) {
        if (is_alone() && !(m->type & SHARED) && !load(&m->lock)) {
            __atomic_store_n(&m->lock, BUSY, __ATOMIC_RELAXED);
            return 0;
        }
        if (LIKELY(takes(&m->lock, 0, BUSY))) return 0;
    }
    if ((m->type & KIND) && !(m->type & (ROBUST | INHERITING | SHARED))) return lock_owned(m);
    return brawn_pthread_mutex_timedlock(m, NULL);
}
NAME(__pthread_mutex_lock, brawn_pthread_mutex_lock)
NAME(pthread_mutex_lock, brawn_pthread_mutex_lock)
