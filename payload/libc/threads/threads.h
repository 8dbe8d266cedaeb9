// What locks are written with: musl's structures as far as they are used here, the same in musl 1.2.2 to 1.2.6
// (src/internal/pthread_impl.h, include/alltypes.h.in), and waiting.
#pragma once
#include "../../common/syscall.h"
#include "../libc.h"
#include <limits.h>

// musl's: a handler on the stack that runs when the thread is cancelled.
typedef struct cleanup {
    void (*function)(void *);
    void *argument;
    struct cleanup *next;
} cleanup;

// What a thread knows of itself, at its pthread_self().
typedef struct thread thread;
struct thread {
    thread *self;
#ifdef __x86_64__
    void *thread_locals;
#endif
    // All threads, in a ring.
    thread *previous, *next;
    uintptr_t kernels_page;
#ifdef __x86_64__
    uintptr_t canary;
#endif
    int id;
    int error;
    volatile int state;
    volatile int cancelled;
    volatile unsigned char keeps_on, cancel_at_once;
    // Where it and its thread-locals lie, unless in memory of the program's.
    void *map;
    size_t mapped;
    // Its stack's end, and how much is below it.
    void *stack;
    size_t stack_size;
    size_t guard;
    void *result;
    cleanup *handlers;
    void **values;
    // What the kernel is told of by set_robust_list: mutexes that the thread holds, which it marks when the thread ends.
    void *volatile held;
    long offset;
    void *volatile pending;
    int error_of_resolver;
    volatile int timer;
    const void *locale;
    volatile int kill_lock;
    void *rest[2];
#ifdef __aarch64__
    uintptr_t canary;
    void *thread_locals;
#endif
};

#ifdef __x86_64__
_Static_assert(offsetof(thread, id) == 48 && offsetof(thread, map) == 72 && offsetof(thread, values) == 128, "musl's struct pthread");
_Static_assert(offsetof(thread, held) == 136 && offsetof(thread, kill_lock) == 176, "musl's struct pthread");
#elif defined(__aarch64__)
_Static_assert(offsetof(thread, id) == 32 && offsetof(thread, map) == 56 && offsetof(thread, values) == 112, "musl's struct pthread");
_Static_assert(offsetof(thread, held) == 120 && offsetof(thread, kill_lock) == 160 && sizeof(thread) == 200, "musl's struct pthread");
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

// The calling thread.  On x86_64 its address is its first word, and a finished program may lack pthread_self, which
// nothing in musl calls.
#ifdef __x86_64__
INLINE thread *own_thread(void) {
    thread *self;
    __asm__("movq %%fs:0, %0" : "=r"(self));
    return self;
}
#elif defined(__aarch64__)
extern thread *pthread_self(void);
INLINE thread *own_thread(void) { return pthread_self(); }
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif

typedef struct {
    // What it is: KIND and SHARED.
    int type;
    // 0; BUSY for normal ones and else the owner's id; with CONTENDED, and DIED for robust ones.
    volatile int lock;
    // How many threads wait in musl's own code, or for a mutex that is not plain.
    volatile int waiters;
    int unused;
    int unused2;
    // How often a recursive one was locked again.
    int count;
    // In the list of those that the owner holds, where it is not normal: addresses of `next` and of the field before it.
    void *volatile previous;
    void *volatile next;
} mutex;
_Static_assert(sizeof(mutex) == 40, "musl's pthread_mutex_t");

enum {
    RECURSIVE = 1,
    ERRORCHECK = 2,
    ROBUST = 4,
    INHERITING = 8,
    KIND = 15,
    SHARED = 128,

    BUSY = 16,
    OWNER = 0x3fffffff,
    DIED = 0x40000000,
    CONTENDED = INT_MIN,
    NOT_RECOVERABLE = 0x7fffffff,
};

// Linux's numbers of errors; BUSY is EBUSY, too.
enum {
    EPERM = 1,
    EINTR = 4,
    EAGAIN = 11,
    EINVAL = 22,
    EDEADLK = 35,
    ENOSYS = 38,
    EOVERFLOW = 75,
    ETIMEDOUT = 110,
};

typedef struct timespec timespec;

// musl's: waits while *address is value, until `until` of `clock`, if there is any; 0, ETIMEDOUT, EINTR or EINVAL.  The second is
// a cancellation point.
extern int __timedwait(volatile int *address, int value, int clock, const timespec *until, int is_private);
extern int __timedwait_cp(volatile int *address, int value, int clock, const timespec *until, int is_private);
enum { REALTIME = 0 };

#ifdef __x86_64__
enum { FUTEX = 202 };
#elif defined(__aarch64__)
enum { FUTEX = 98 };
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
enum {
    FUTEX_WAIT = 0,
    FUTEX_WAKE = 1,
    FUTEX_LOCK_PI = 6,
    FUTEX_UNLOCK_PI = 7,
    FUTEX_PRIVATE = 128,
};

INLINE long futex(volatile int *address, long operation, long value, const void *until) {
    return arch_syscall4(FUTEX, (long)address, operation, value, (long)until);
}

// Wakes up to `count`.  It may be another's memory by now: whoever waits there wakes for nothing.
INLINE void wake(volatile int *address, int count, int is_private) {
    futex(address, FUTEX_WAKE | (is_private ? FUTEX_PRIVATE : 0), count, NULL);
}

// Waits for a lock, as __timedwait does.  Without a time limit, which is so with nearly all locks, it is the kernel's call alone: a wait for a
// lock is short as a rule, and the heap gets no turn before it (__syscall_cp.c).
INLINE int wait_for_lock(volatile int *address, int value, const timespec *until, int is_private) {
    if (UNLIKELY(until != NULL)) return __timedwait(address, value, REALTIME, until, is_private);
    futex(address, FUTEX_WAIT | (is_private ? FUTEX_PRIVATE : 0), value, NULL);
    return 0;
}

INLINE int load(volatile int *p) {
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

// Whether *p was `from`, and is `to` now: what the lock guards comes behind it.
INLINE int takes(volatile int *p, int from, int to) {
    return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

INLINE void breathe(void) {
#ifdef __x86_64__
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    // `yield` does nothing on most; this waits for some cycles.
    __asm__ volatile("isb" ::: "memory");
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
}

// The beginning of musl's struct __libc (src/internal/libc.h), the same in musl 1.2.2 to 1.2.6.
extern struct {
    char can_have_threads, has_threads, is_privileged;
    // 1 if locks have to be taken; less than 0 if the next one who takes one sees that they need not any more.
    volatile signed char needs_locks;
    int threads_minus_1;
    void *unused[2];
    size_t thread_locals;
    size_t unused2[2];
    size_t page;
    void *locale[6];
} __libc;
_Static_assert(__builtin_offsetof(__typeof(__libc), thread_locals) == 24 && __builtin_offsetof(__typeof(__libc), locale) == 56, "musl's struct __libc");

// Whether this is the only thread.  pthread_create counts a new thread before it begins, and a thread that ends is counted until it has
// unlocked all that it unlocks.  So what a private lock guards needs no atomic operation: as in glibc.
INLINE int is_alone(void) {
    return !__atomic_load_n(&__libc.threads_minus_1, __ATOMIC_ACQUIRE);
}
