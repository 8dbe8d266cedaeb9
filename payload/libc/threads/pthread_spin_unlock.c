// pthread_spin_unlock: what the lock guards comes before the store.  musl's is a barrier for all that follows, too.
#include "../libc.h"

HIDDEN int brawn_pthread_spin_unlock(volatile int *lock) {
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    return 0;
}
NAME(pthread_spin_unlock, brawn_pthread_spin_unlock)
