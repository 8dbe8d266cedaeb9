// What locks are written with: musl's structures as far as they are used here, the same in musl 1.2.2 to 1.2.6
// (src/internal/pthread_impl.h, include/alltypes.h.in), and waiting.
#pragma once
#include "../libc.h"
#include <limits.h>

// A thread's own numbers, at its pthread_self().
typedef struct thread {
#ifdef __x86_64__
    char before[48];
#else
    char before[32];
#endif
    int id;
    char between[84];
    // What the kernel is told of by set_robust_list: mutexes that the thread holds, which it marks when the thread ends.
    void *volatile held;
    long offset;
    void *volatile pending;
} thread;

#ifdef __x86_64__
_Static_assert(offsetof(thread, held) == 136, "musl's struct pthread");
#else
_Static_assert(offsetof(thread, held) == 120, "musl's struct pthread");
#endif

// The calling thread.  On x86_64 its address is its first word, and a finished program may lack pthread_self, which
// nothing in musl calls.
#ifdef __x86_64__
INLINE thread *own_thread(void) {
    thread *self;
    __asm__("movq %%fs:0, %0" : "=r"(self));
    return self;
}
#else
extern thread *pthread_self(void);
INLINE thread *own_thread(void) { return pthread_self(); }
#endif

typedef struct {
    // What it is: KIND and SHARED.
    int type;
    // 0; BUSY for normal ones and else the owner's id; with CONTENDED, and DIED for robust ones.
    volatile int lock;
    // How many wait that are musl's own code, and those that wait for mutexes that are not plain.
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
enum { EPERM = 1, EINTR = 4, EAGAIN = 11, EDEADLK = 35, ETIMEDOUT = 110 };

typedef struct timespec timespec;

// musl's: waits while *address is value, until `until` of `clock`, if there is any; 0, ETIMEDOUT, EINTR or EINVAL.  The second is
// a cancellation point.
extern int __timedwait(volatile int *address, int value, int clock, const timespec *until, int is_private);
extern int __timedwait_cp(volatile int *address, int value, int clock, const timespec *until, int is_private);
enum { REALTIME = 0 };

#ifdef __x86_64__
enum { FUTEX = 202 };
#else
enum { FUTEX = 98 };
#endif
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_LOCK_PI = 6, FUTEX_UNLOCK_PI = 7, FUTEX_PRIVATE = 128 };

// The result is a negative number of an error.
INLINE long futex(volatile int *address, long operation, long value, const void *until) {
#ifdef __x86_64__
    long result;
    register const void *fourth __asm__("r10") = until;
    __asm__ volatile("syscall" : "=a"(result) : "a"((long)FUTEX), "D"(address), "S"(operation), "d"(value), "r"(fourth) : "rcx", "r11", "memory");
    return result;
#else
    register volatile int *first __asm__("x0") = address;
    register long second __asm__("x1") = operation;
    register long third __asm__("x2") = value;
    register const void *fourth __asm__("x3") = until;
    register long number __asm__("x8") = FUTEX;
    register long result __asm__("x0");
    __asm__ volatile("svc 0" : "=r"(result) : "r"(first), "r"(second), "r"(third), "r"(fourth), "r"(number) : "memory");
    return result;
#endif
}

// Wakes up to `count`.  It may be another's memory by now: whoever waits there wakes for nothing.
INLINE void wake(volatile int *address, int count, int is_private) {
    futex(address, FUTEX_WAKE | (is_private ? FUTEX_PRIVATE : 0), count, NULL);
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
#else
    // `yield` does nothing on most; this waits for some cycles.
    __asm__ volatile("isb" ::: "memory");
#endif
}

// The beginning of musl's struct __libc (src/internal/libc.h), the same in musl 1.2.2 to 1.2.6.
extern struct {
    char flags[4];
    int threads_minus_1;
} __libc;
_Static_assert(sizeof(__libc) == 8, "musl's struct __libc");

// Whether this is the only thread.  pthread_create counts the new one before it begins, and a thread that ends has unlocked
// what it unlocks before it is taken off, so that what a private lock guards needs no atomic operation: as in glibc.
INLINE int is_alone(void) {
    return !__atomic_load_n(&__libc.threads_minus_1, __ATOMIC_ACQUIRE);
}
