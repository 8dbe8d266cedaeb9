// pthread_join and its kin: see pthread_create.c.
#include "stacks.h"

extern int __munmap(void *map, size_t size);
extern int pthread_setcancelstate(int state, int *old);
extern void pthread_testcancel(void);

enum { CANCEL_ENABLE,
    CANCEL_DISABLE };

HIDDEN int brawn_pthread_timedjoin_np(thread *t, void **result, const timespec *until) {
    int state, cancel, error = 0;
    pthread_testcancel();
    pthread_setcancelstate(CANCEL_DISABLE, &cancel);
    // In the state "masked" (PTHREAD_CANCEL_MASKED), a call only reports a cancellation.  While this waits, that counts as disabled.
    if (cancel == CANCEL_ENABLE) pthread_setcancelstate(cancel, NULL);
    while ((state = __atomic_load_n(&t->state, __ATOMIC_ACQUIRE)) && error != ETIMEDOUT && error != EINVAL) {
        if (state >= DETACHED) __builtin_trap();
        // The kernel wakes whoever waits as for memory that processes share.
        error = __timedwait_cp(&t->state, state, REALTIME, until, 0);
    }
    pthread_setcancelstate(cancel, NULL);
    if (error == ETIMEDOUT || error == EINVAL) return error;
    if (result) *result = t->result;
    void *const map = t->map;
    if (!map) return 0;
    volatile int *kept = NULL;
    if (has_own_stack(t)) kept = brawn_stack_keep(map, t->mapped, t->guard, t->stack, NULL);
    if (kept) __atomic_store_n(kept, 0, __ATOMIC_RELEASE);
    else __munmap(map, t->mapped);
    return 0;
}

HIDDEN int brawn_pthread_join(thread *t, void **result) {
    return brawn_pthread_timedjoin_np(t, result, NULL);
}

HIDDEN int brawn_pthread_tryjoin_np(thread *t, void **result) {
    return t->state == JOINABLE ? BUSY : brawn_pthread_join(t, result);
}
NAME(__pthread_join, brawn_pthread_join)
NAME(pthread_join, brawn_pthread_join)
NAME(pthread_timedjoin_np, brawn_pthread_timedjoin_np)
NAME(pthread_tryjoin_np, brawn_pthread_tryjoin_np)
