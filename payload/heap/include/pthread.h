// Stands before libc's header of this name.  The engine's locks are pthread mutexes; libc's would be
// undefined symbols of the payload, pull in code, and could not be held across fork.  This one is
// the three-state futex mutex of Drepper, "Futexes Are Tricky" (2011), section 5.
#ifndef BRAWN_PTHREAD_H
#define BRAWN_PTHREAD_H

#include <stdlib.h>
#include <sys/types.h>  // names the types below on some libcs: before the macros
#include "arch.h"

// 0 free, 1 held, 2 held and somebody may wait.
typedef struct {
    int state;
} brawn_mutex_t;
#undef PTHREAD_MUTEX_INITIALIZER
#define PTHREAD_MUTEX_INITIALIZER {0}

enum {
    BRAWN_FUTEX_WAIT_PRIVATE = 128,
    BRAWN_FUTEX_WAKE_PRIVATE = 129,
};

// The thread that is inside fork and holds what fork holds (by its thread pointer), 0: none.  Handlers that
// pthread_atfork has may run between ours and fork itself, and allocate: to that thread, nothing is locked.
static uintptr_t brawn_mutex_forking;

static inline int brawn_mutex_is_forks(void) {
    return BRAWN_SHARED && __atomic_load_n(&brawn_mutex_forking, __ATOMIC_RELAXED) == arch_thread_pointer();
}

static inline int brawn_mutex_trylock(brawn_mutex_t *m) {
    int free = 0;
    return !__atomic_compare_exchange_n(&m->state, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline int brawn_mutex_lock(brawn_mutex_t *m) {
    if (brawn_mutex_is_forks() || brawn_mutex_trylock(m) == 0) return 0;
    for (int i = 0; i < 100; i++) {
        arch_pause();
        if (__atomic_load_n(&m->state, __ATOMIC_RELAXED) == 0 && brawn_mutex_trylock(m) == 0) return 0;
    }
    while (__atomic_exchange_n(&m->state, 2, __ATOMIC_ACQUIRE) != 0)
        arch_syscall6(ARCH_SYS_futex, (long)&m->state, BRAWN_FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
    return 0;
}

static inline int brawn_mutex_unlock(brawn_mutex_t *m) {
    if (brawn_mutex_is_forks()) return 0;
    if (__atomic_exchange_n(&m->state, 0, __ATOMIC_RELEASE) == 2)
        arch_syscall6(ARCH_SYS_futex, (long)&m->state, BRAWN_FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    return 0;
}

static inline int brawn_mutex_destroy(brawn_mutex_t *m) {
    (void)m;
    return 0;
}

#define pthread_mutex_t brawn_mutex_t
#define pthread_mutex_trylock brawn_mutex_trylock
#define pthread_mutex_lock brawn_mutex_lock
#define pthread_mutex_unlock brawn_mutex_unlock
#define pthread_mutex_destroy brawn_mutex_destroy

#endif
