// pthread_rwlock_rdlock: see rwlock.h.
#include "rwlock.h"

HIDDEN int brawn_pthread_rwlock_rdlock(rwlock *l) {
    return brawn_pthread_rwlock_timedrdlock(l, NULL);
}
NAME(__pthread_rwlock_rdlock, brawn_pthread_rwlock_rdlock)
NAME(pthread_rwlock_rdlock, brawn_pthread_rwlock_rdlock)
