// sem_post: see semaphore.h.  A signal's handler may call it.
#include "semaphore.h"

HIDDEN int brawn_sem_post(semaphore *s) {
    const int value = load(&s->value);
    if (LIKELY(value >= 0 && value < INT_MAX && !__atomic_load_n(&s->waiters, __ATOMIC_ACQUIRE) && changes(s, value, value + 1))) return 0;
    return brawn_sem_post_waited_for(s);
}
NAME(sem_post, brawn_sem_post)
