// sem_timedwait, and how sem_wait waits.  The states are those of musl's sem_post and sem_trywait: another process may have musl's
// own code of this.
//
// musl looks a hundred times before it sleeps.  Where each post is answered by one, the other side is asleep and needs
// longer than that to wake, so that nearly every wait takes the time of both: this sleeps at once.
#include "semaphore.h"

extern void _pthread_cleanup_push(cleanup *c, void (*function)(void *), void *argument);
extern void _pthread_cleanup_pop(cleanup *c, int runs);
extern void pthread_testcancel(void);
extern int sem_post(semaphore *s);
extern int sem_trywait(semaphore *s);

static void leave(void *waiters) {
    __atomic_fetch_sub((volatile int *)waiters, 1, __ATOMIC_SEQ_CST);
}

// What a semaphore's value is while somebody waits: -1 before musl 1.2.4, and the highest bit since then.  musl's sem_post shows which: for the
// newer musl, -1 is that bit with the highest count there is, so sem_post fails.  Our sem_post does the same, but only a program that is being
// linked has it.
static volatile int waited_for;

static COLD int find_waited_for(void) {
    const int before = ERRNO;
    semaphore s = {.value = -1, .is_private = 128};
    const int found = sem_post(&s) ? CONTENDED : -1;
    ERRNO = before;
    __atomic_store_n(&waited_for, found, __ATOMIC_RELAXED);
    return found;
}

HIDDEN int brawn_sem_timedwait(semaphore *restrict s, const timespec *restrict until) {
    if (UNLIKELY(own_thread()->cancelled)) pthread_testcancel();
    if (!sem_trywait(s)) return 0;
    int value = load(&waited_for);
    if (UNLIKELY(!value)) value = find_waited_for();
    while (sem_trywait(s)) {
        cleanup c;
        const int is_private = s->is_private;
        __atomic_fetch_add(&s->waiters, 1, __ATOMIC_SEQ_CST);
        int expected = 0;
        __atomic_compare_exchange_n(&s->value, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        _pthread_cleanup_push(&c, leave, (void *)&s->waiters);
        const int error = __timedwait_cp(&s->value, value, REALTIME, until, is_private);
        _pthread_cleanup_pop(&c, 1);
        if (error) {
            ERRNO = error;
            return -1;
        }
    }
    return 0;
}
NAME(sem_timedwait, brawn_sem_timedwait)
