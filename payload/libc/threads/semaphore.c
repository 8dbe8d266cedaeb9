// What semaphores do where somebody waits, or others come in between.  See semaphore.h.
#include "semaphore.h"

extern int sem_getvalue(semaphore *restrict s, int *restrict value);

// musl's sem_getvalue tells: to the newer one, -1 is the highest count there is.
HIDDEN int brawn_sem_waited_for(void) {
    static volatile int found;
    int now = load(&found);
    if (UNLIKELY(!now)) {
        semaphore s = {.value = -1, .is_private = 128};
        int value;
        sem_getvalue(&s, &value);
        now = value ? CONTENDED : -1;
        __atomic_store_n(&found, now, __ATOMIC_RELAXED);
    }
    return now;
}

HIDDEN int brawn_sem_post_waited_for(semaphore *s) {
    // Nothing of it is read when it is posted: it may be gone.
    const int is_private = s->is_private, is_old = brawn_sem_waited_for() == -1;
    int value = load(&s->value), waiters, next;
    do {
        waiters = __atomic_load_n(&s->waiters, __ATOMIC_SEQ_CST);
        if (is_old ? value == INT_MAX : (value & INT_MAX) == INT_MAX) {
            own_thread()->error = EOVERFLOW;
            return -1;
        }
        next = value + 1;
        if (is_old) next += value < 0;
        // The last who waits takes the bit with it.
        else if (waiters <= 1) next &= INT_MAX;
    } while (!__atomic_compare_exchange_n(&s->value, &value, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    if (is_old) {
        if (value < 0 || waiters) wake(&s->value, 1, is_private);
    } else if (value < 0) {
        wake(&s->value, waiters > 1 ? 1 : INT_MAX, is_private);
    }
    return 0;
}

HIDDEN int brawn_sem_trywait_waited_for(semaphore *s) {
    const int is_old = brawn_sem_waited_for() == -1;
    int value = load(&s->value), next;
    do {
        if (is_old ? value <= 0 : !(value & INT_MAX)) return 0;
        next = value - 1;
        if (is_old && value == 1 && load(&s->waiters)) next = -1;
    } while (!__atomic_compare_exchange_n(&s->value, &value, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return 1;
}
