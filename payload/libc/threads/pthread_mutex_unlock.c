// pthread_mutex_unlock: see pthread_mutex_timedlock.c.
#include "threads.h"

extern void __vm_lock(void);
extern void __vm_unlock(void);

// Out of the list of those that are held.
INLINE void leave_list(mutex *m, thread *self) {
    void *volatile *const before = m->previous;
    void *volatile *const after = m->next;
    *before = (void *)after;
    if (after != &self->held) after[-1] = (void *)before;
}

// Of which only this process's owner is known: recursive, or checking for errors.
static int unlock_simple(mutex *m) {
    thread *const self = own_thread();
    const int waiters = m->waiters;
    int was = load(&m->lock);
    if ((was & OWNER) != self->id) return EPERM;
    if ((m->type & 3) == RECURSIVE && m->count) {
        m->count--;
        return 0;
    }
    leave_list(m, self);
    // Nothing of it is read when it is unlocked: it may be gone.
    if (is_alone()) __atomic_store_n(&m->lock, 0, __ATOMIC_RELAXED);
    else was = __atomic_exchange_n(&m->lock, 0, __ATOMIC_SEQ_CST);
    if (UNLIKELY(waiters || was < 0)) wake(&m->lock, 1, 1);
    return 0;
}

// Of which the owner is known.
static COLD int unlock_owned(mutex *m) {
    // Nothing of it is read when it is unlocked: it may be gone.
    const int waiters = m->waiters, type = m->type, is_private = !(type & SHARED), old = m->lock;
    thread *const self = own_thread();
    if ((old & OWNER) != self->id) return EPERM;
    if ((type & 3) == RECURSIVE && m->count) {
        m->count--;
        return 0;
    }
    const int next = (type & ROBUST) && (old & DIED) ? NOT_RECOVERABLE : 0;
    if (!is_private) {
        // While the kernel may still mark it, no thread of this process unmaps it.
        self->pending = (void *)&m->next;
        __vm_lock();
    }
    leave_list(m, self);
    int was = 0;
    if (type & INHERITING) {
        int expected = old;
        if (old < 0 || !__atomic_compare_exchange_n(&m->lock, &expected, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            if (next) __atomic_store_n(&m->waiters, -1, __ATOMIC_SEQ_CST);
            futex(&m->lock, FUTEX_UNLOCK_PI | (is_private ? FUTEX_PRIVATE : 0), 0, NULL);
        }
    } else {
        was = __atomic_exchange_n(&m->lock, next, __ATOMIC_SEQ_CST);
    }
    if (!is_private) {
        self->pending = NULL;
        __vm_unlock();
    }
    if (!(type & INHERITING) && (waiters || was < 0)) wake(&m->lock, 1, is_private);
    return 0;
}

HIDDEN int brawn_pthread_mutex_unlock(mutex *m) {
    const int type = m->type;
    if (UNLIKELY(type & KIND)) return type & (ROBUST | INHERITING | SHARED) ? unlock_owned(m) : unlock_simple(m);
    const int waiters = load(&m->waiters);
    int was;
    if (is_alone() && !(type & SHARED)) {
        was = load(&m->lock);
        __atomic_store_n(&m->lock, 0, __ATOMIC_RELAXED);
    } else {
        was = __atomic_exchange_n(&m->lock, 0, __ATOMIC_RELEASE);
    }
    if (UNLIKELY(waiters || was < 0)) {
        // For a plain mutex, musl's own code counts waiters only in pthread_cond_timedwait.  A waiter that wakes there does not set the bit for
        // others that still wait.  So all of them are woken.
        wake(&m->lock, waiters && !(type & SHARED) ? INT_MAX : 1, !(type & SHARED));
    }
    return 0;
}
NAME(__pthread_mutex_unlock, brawn_pthread_mutex_unlock)
NAME(pthread_mutex_unlock, brawn_pthread_mutex_unlock)
