// The states of a lock for readers and a writer, which all of its functions share.
//
// One that processes share has musl's states: how many read, or WRITES, with CONTENDED when somebody may wait, and besides a count
// of those who wait.  Another process may have musl's own code.
//
// In a private one a reader comes and leaves by one addition, which nobody can make fail: musl's compare and exchange is tried
// again whenever another reader was faster, and two that read all the time take four times as long.  So the word is a sum: one for
// each reader, and WRITER.  A reader who finds WRITER there has added one that does not count yet: it takes it back while the
// writer is there, or has the lock as soon as the writer is gone.
// CONTENDED: somebody may wait.  Readers wait for writers alone, and a writer that leaves takes the bit away and wakes all; the
// last reader wakes one, a writer, and leaves the bit for the others.
#pragma once
#include "threads.h"

typedef struct {
    volatile int lock;
    volatile int waiters;
    // SHARED or 0.
    int shared;
    int unused[11];
} rwlock;
_Static_assert(sizeof(rwlock) == 56, "musl's pthread_rwlock_t");

enum {
    // Of musl's states.
    COUNT = 0x7fffffff,
    WRITES = 0x7fffffff,
    MOST = 0x7ffffffe,
    // Of a private one's.
    WRITER = 0x40000000,
    // Readers, and those that take theirs back.
    READERS = 0x3fffffff,
    TOO_MANY = 0x10000000,
};

enum {
    RW_SPINS = 10,
    RW_MUSLS_SPINS = 100,
};

HIDDEN int brawn_pthread_rwlock_tryrdlock(rwlock *l);
HIDDEN int brawn_pthread_rwlock_trywrlock(rwlock *l);
HIDDEN int brawn_pthread_rwlock_timedrdlock(rwlock *restrict l, const timespec *restrict until);
HIDDEN int brawn_pthread_rwlock_timedwrlock(rwlock *restrict l, const timespec *restrict until);

// A reader of a private lock comes.  What the word was before: with WRITER, the reader has to wait or leave.
INLINE int come(rwlock *l) {
    return __atomic_fetch_add(&l->lock, 1, __ATOMIC_ACQUIRE);
}

// A private lock's reader that met a writer takes itself back, leaving `more` behind; or it has the lock since the writer has
// gone: 1.  `*left` is what the word is then.
INLINE int stays(rwlock *l, int more, int *left) {
    int now = load(&l->lock);
    while (now & WRITER) {
        *left = (now - 1) | more;
        if (__atomic_compare_exchange_n(&l->lock, &now, *left, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return 0;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return 1;
}

// Whoever waited and gives up: the bit would make each last reader ask the kernel.  Others that wait set it again.
INLINE void give_up(rwlock *l) {
    __atomic_fetch_and(&l->lock, ~CONTENDED, __ATOMIC_RELAXED);
    wake(&l->lock, INT_MAX, 1);
}

// Waits as musl does for one that processes share, until `tries` has it: 0, or an error other than BUSY.
INLINE int wait_shared(rwlock *l, const timespec *until, int (*tries)(rwlock *), int is_reader) {
    int result;
    for (int spins = RW_MUSLS_SPINS; spins && l->lock && !l->waiters; spins--) breathe();
    while ((result = tries(l)) == BUSY) {
        int now = l->lock;
        if (!now || (is_reader && (now & COUNT) != WRITES)) continue;
        const int waited = now | CONTENDED;
        __atomic_fetch_add(&l->waiters, 1, __ATOMIC_SEQ_CST);
        __atomic_compare_exchange_n(&l->lock, &now, waited, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        result = __timedwait(&l->lock, waited, REALTIME, until, 0);
        __atomic_fetch_sub(&l->waiters, 1, __ATOMIC_SEQ_CST);
        if (result && result != EINTR) break;
    }
    return result;
}
