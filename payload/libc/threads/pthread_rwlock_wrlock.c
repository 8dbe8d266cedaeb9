// pthread_rwlock_wrlock: see rwlock.h.
#include "rwlock.h"

HIDDEN int brawn_pthread_rwlock_wrlock(rwlock *l) {
    return brawn_pthread_rwlock_timedwrlock(l, NULL);
}
NAME(__pthread_rwlock_wrlock, brawn_pthread_rwlock_wrlock)
NAME(pthread_rwlock_wrlock, brawn_pthread_rwlock_wrlock)
