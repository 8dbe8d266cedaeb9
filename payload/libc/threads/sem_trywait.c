// sem_trywait: see semaphore.h.
#include "semaphore.h"

HIDDEN int brawn_sem_trywait(semaphore *s) {
    if (takes_one(s)) return 0;
    own_thread()->error = EAGAIN;
    return -1;
}
NAME(sem_trywait, brawn_sem_trywait)
