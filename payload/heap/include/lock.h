// The engine's locks, and what it does where it would wait for nearly nothing (payload/engine/lock.patch).  A lock is the three-state
// futex mutex of Drepper, "Futexes Are Tricky" (2011), section 5.
#ifndef BRAWN_LOCK_H
#define BRAWN_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "arch.h"

// 0 free, 1 held, 2 held and somebody may wait.
typedef struct {
    int state;
} brawn_mutex_t;
#define BRAWN_MUTEX_FREE {0}

enum {
    BRAWN_FUTEX_WAIT_PRIVATE = 128,
    BRAWN_FUTEX_WAKE_PRIVATE = 129,
};

// The thread that is inside fork and holds what fork holds (by its thread pointer), 0: none.  Handlers that
// pthread_atfork has may run between ours and fork itself, and allocate: to that thread, nothing is locked.
static uintptr_t brawn_mutex_forking;

static inline bool brawn_mutex_is_forks(void) {
    return BRAWN_SHARED && __atomic_load_n(&brawn_mutex_forking, __ATOMIC_RELAXED) == arch_thread_pointer();
}

static inline bool brawn_mutex_trylock(brawn_mutex_t *m) {
    int free = 0;
    return __atomic_compare_exchange_n(&m->state, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void brawn_mutex_lock(brawn_mutex_t *m) {
    if (brawn_mutex_is_forks() || brawn_mutex_trylock(m)) return;
    for (int i = 0; i < 100; i++) {
        arch_pause();
        if (__atomic_load_n(&m->state, __ATOMIC_RELAXED) == 0 && brawn_mutex_trylock(m)) return;
    }
    while (__atomic_exchange_n(&m->state, 2, __ATOMIC_ACQUIRE) != 0)
        arch_syscall6(ARCH_SYS_futex, (long)&m->state, BRAWN_FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

static inline void brawn_mutex_unlock(brawn_mutex_t *m) {
    if (brawn_mutex_is_forks()) return;
    if (__atomic_exchange_n(&m->state, 0, __ATOMIC_RELEASE) == 2)
        arch_syscall6(ARCH_SYS_futex, (long)&m->state, BRAWN_FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

// Gives the processor away, where a thread waits for another one that is in the middle of a few instructions: a futex that nobody
// wakes, with no time to wait.  The kernel looks at the clock and comes back.
static inline void brawn_yield(void) {
    static const int word;
    static const long at_once[2] = {0, 0};  // struct timespec
    arch_syscall6(ARCH_SYS_futex, (long)&word, BRAWN_FUTEX_WAIT_PRIVATE, 0, (long)at_once, 0, 0);
}

#endif
