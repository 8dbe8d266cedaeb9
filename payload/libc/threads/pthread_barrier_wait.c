// pthread_barrier_wait: musl's states, and its order of who leaves: nobody touches the barrier once the first one is free, so that it
// may be destroyed then.
//
// The first thread looks for the others before it sleeps, as musl's does.  This helps if they are on their way: waking it would take longer.
// If they are asleep themselves, the looking is lost, and glibc, which never looks, is faster.  So the last thread, which knows whether the
// first one fell asleep, counts that.  After a few times in a row the looks are short, and now and then a few long ones in a row find out whether
// the others come in time again.  (In a row: a thread that was asleep is late at the next meeting, too.  With one long look of 64 two threads that
// another program held up once went on to wake each other for milliseconds.)
#include "threads.h"

typedef struct {
    // What holds `first` or, where processes share it, the number of those that have not left.
    volatile int lock;
    volatile int waiters;
    // One less than how many meet; with the highest bit where processes share it.
    int limit;
    // Where processes share it: how many have come, and who waits for that.
    volatile int count;
    volatile int count_waiters;
    // Not musl's: how often in a row the first one fell asleep.
    int slept;
    // What the first one has on its stack while others are on their way.
    struct meeting *volatile first;
} barrier;
_Static_assert(sizeof(barrier) == 32 && offsetof(barrier, first) == 24, "musl's pthread_barrier_t");

struct meeting {
    volatile int count;
    volatile int is_full;
    volatile int waiters;
    // Set by the first one before it sleeps, and by the last to leave: the second of the two wakes, or does not sleep.
    volatile int finished;
};

enum {
    FIRST_OF_ALL = -1,  // PTHREAD_BARRIER_SERIAL_THREAD
    LONG_LOOK = 200,
    SHORT_LOOK = 5,
    MUSLS_LOOK = 100,
    LONG_LOOKS = 4,  // of so many meetings:
    ROUND = 16,
};

// musl's: waits until *address is not value; counts itself in `waiters` meanwhile.
extern void __wait(volatile int *address, volatile int *waiters, int value, int is_private);
extern void __vm_lock(void);
extern void __vm_unlock(void);

INLINE void lock(barrier *b) {
    while (__atomic_exchange_n(&b->lock, 1, __ATOMIC_ACQUIRE)) __wait(&b->lock, &b->waiters, 1, 1);
}
// All threads see both steps in this order.  So a thread that waits is seen here, or it sees that the lock is free.
INLINE void unlock(barrier *b) {
    __atomic_store_n(&b->lock, 0, __ATOMIC_SEQ_CST);
    if (UNLIKELY(__atomic_load_n(&b->waiters, __ATOMIC_SEQ_CST))) wake(&b->lock, 1, 1);
}

// The barrier is shared between processes.  No thread of this process unmaps it while others of this process are inside.
static COLD int wait_shared(barrier *b) {
    const int limit = (b->limit & INT_MAX) + 1;
    int result = 0, now = 0;
    if (limit == 1) return FIRST_OF_ALL;
    for (;;) {
        now = 0;
        if (__atomic_compare_exchange_n(&b->lock, &now, limit, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) break;
        __wait(&b->lock, &b->waiters, now, 0);
    }
    if (++b->count == limit) {
        __atomic_store_n(&b->count, 0, __ATOMIC_SEQ_CST);
        result = FIRST_OF_ALL;
        if (b->count_waiters) wake(&b->count, INT_MAX, 0);
    } else {
        __atomic_store_n(&b->lock, 0, __ATOMIC_SEQ_CST);
        if (b->waiters) wake(&b->lock, 1, 0);
        while ((now = b->count) > 0) __wait(&b->count, &b->count_waiters, now, 0);
    }
    __vm_lock();
    // Each has that lock before any goes on.
    if (__atomic_fetch_sub(&b->count, 1, __ATOMIC_SEQ_CST) == 1 - limit) {
        __atomic_store_n(&b->count, 0, __ATOMIC_SEQ_CST);
        if (b->count_waiters) wake(&b->count, INT_MAX, 0);
    } else {
        while ((now = b->count)) __wait(&b->count, &b->count_waiters, now, 0);
    }
    int waiters;
    do {
        now = b->lock;
        waiters = b->waiters;
    } while (!__atomic_compare_exchange_n(&b->lock, &(int){now}, now == INT_MIN + 1 ? 0 : now - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    // Somebody waits to use it again, or to destroy it.
    if (now == INT_MIN + 1 || (now == 1 && waiters)) wake(&b->lock, 1, 0);
    __vm_unlock();
    return result;
}

// The barrier is locked, and nobody is there.
static int come_first(barrier *b) {
    struct meeting own = {0};
    int looks = b->slept % ROUND < LONG_LOOKS ? LONG_LOOK : SHORT_LOOK;
    b->first = &own;
    unlock(b);
    for (; looks && !load(&own.finished); looks--) breathe();
    __atomic_fetch_add(&own.finished, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&own.finished, __ATOMIC_ACQUIRE) == 1) __timedwait(&own.finished, 1, REALTIME, NULL, 1);
    return FIRST_OF_ALL;
}

// As musl's __wait, but by the way on which the heap gets its turn (__syscall_cp.c): this may take long.
static void wait_for_all(struct meeting *m) {
    for (int looks = MUSLS_LOOK; looks && !load(&m->waiters); looks--) {
        if (__atomic_load_n(&m->is_full, __ATOMIC_ACQUIRE)) return;
        breathe();
    }
    __atomic_fetch_add(&m->waiters, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&m->is_full, __ATOMIC_SEQ_CST)) __timedwait(&m->is_full, 0, REALTIME, NULL, 1);
    __atomic_fetch_sub(&m->waiters, 1, __ATOMIC_SEQ_CST);
}

HIDDEN int brawn_pthread_barrier_wait(barrier *b) {
    const int limit = b->limit;
    if (!limit) return FIRST_OF_ALL;
    if (UNLIKELY(limit < 0)) return wait_shared(b);
    lock(b);
    struct meeting *const m = b->first;
    if (!m) return come_first(b);
    if (++m->count == limit) {
        b->first = NULL;
        b->slept = load(&m->finished) ? (b->slept + 1) & INT_MAX : 0;
        unlock(b);
        __atomic_store_n(&m->is_full, 1, __ATOMIC_SEQ_CST);
        if (m->waiters) wake(&m->is_full, INT_MAX, 1);
    } else {
        unlock(b);
        wait_for_all(m);
    }
    // The last to leave ends the first one's wait.  Behind that nothing of the meeting is there any more.
    if (__atomic_fetch_sub(&m->count, 1, __ATOMIC_SEQ_CST) == 1 && __atomic_fetch_add(&m->finished, 1, __ATOMIC_SEQ_CST)) wake(&m->finished, 1, 1);
    return 0;
}
NAME(pthread_barrier_wait, brawn_pthread_barrier_wait)
