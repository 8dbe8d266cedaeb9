// pthread_create, pthread_exit, and the lock of the list of threads.
//
// musl's thread ends with the list's lock held, which the kernel frees when the thread has gone: whoever joins sleeps for the
// thread's word, is woken, and sleeps again for the lock.  Here the thread frees the lock itself, and the kernel writes ENDED
// (0) to the thread's word when it has gone, which wakes who joins, once: as in glibc.  So whoever has the list's lock may miss
// threads that only have to tell the kernel that they end.  A thread that is detached, and gives its own stack back,
// keeps the lock as in musl, since the word goes with the stack.
//
// For most threads, the kernel knows from the beginning where to write when the thread ends.  The main thread, a thread that called fork
// and a thread that leaves its stack behind have to tell the kernel (set_tid_address).
#include "stacks.h"

typedef struct file file;
struct file {
    char before[112];
    file *next;
    char between[20];
    volatile int lock;
};
_Static_assert(offsetof(file, lock) == 0x8c, "musl's FILE");

// musl's pthread_attr_t (include/alltypes.h.in, src/internal/pthread_impl.h).
typedef struct {
    size_t size, guard, end;
    int is_detached, is_scheduled, policy, priority;
    size_t rest[2];
} attributes;
_Static_assert(sizeof(attributes) == 56 && offsetof(attributes, priority) == 36, "musl's pthread_attr_t");

// sigset_t.
typedef struct {
    unsigned long bits[16];
} signals;

extern volatile int __thread_list_lock;
extern unsigned __default_stacksize, __default_guardsize;
extern void __wait(volatile int *address, volatile int *waiters, int value, int is_private);
extern void __lock(volatile int *lock);
extern void __unlock(volatile int *lock);
extern void __vm_lock(void);
extern void __vm_unlock(void);
extern void __vm_wait(void);
extern void __block_app_sigs(signals *old);
extern void __block_all_sigs(signals *old);
extern void __restore_sigs(const signals *old);
extern void *__mmap(void *at, size_t size, int rights, int flags, int fd, int64_t offset);
extern int __munmap(void *map, size_t size);
extern thread *__copy_tls(unsigned char *memory);
extern int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
_Noreturn extern void __unmapself(void *map, size_t size);
extern file **__ofl_lock(void);
extern void __ofl_unlock(void);
_Noreturn extern void exit(int status);

// What a program has if it uses what these are for; musl's member has weak ones that do nothing.
#define IF_THERE __attribute__((weak))
extern IF_THERE void __acquire_ptc(void);
extern IF_THERE void __release_ptc(void);
extern IF_THERE void __pthread_tsd_run_dtors(void);
extern IF_THERE void __do_orphaned_stdio_locks(void);
extern IF_THERE void __dl_thread_cleanup(void);
extern IF_THERE void __membarrier_init(void);
extern IF_THERE volatile size_t __pthread_tsd_size;
extern IF_THERE void *__pthread_tsd_main[];
extern IF_THERE file *volatile __stdin_used;
extern IF_THERE file *volatile __stdout_used;
extern IF_THERE file *volatile __stderr_used;
#define DO(function)              \
    do {                          \
        if (function) function(); \
    } while (0)

#ifdef __x86_64__
enum {
    MPROTECT = 10,
    SIGPROCMASK = 14,
    EXIT = 60,
    SETSCHEDULER = 144,
    SET_TID_ADDRESS = 218,
    SET_ROBUST_LIST = 273,
};
#elif defined(__aarch64__)
enum {
    MPROTECT = 226,
    SIGPROCMASK = 135,
    EXIT = 93,
    SETSCHEDULER = 119,
    SET_TID_ADDRESS = 96,
    SET_ROBUST_LIST = 99,
};
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
enum {
    UNBLOCK = 1,
    SET = 2,
    MASK_SIZE = 8,
};
// musl's signals: for cancellation, and to have all threads do something.
enum {
    CANCEL_SIGNAL = 33,
    CALL_SIGNAL = 34,
};
#define BIT(signal) (1ul << ((signal) - 1))
enum {
    NONE = 0,
    READ_AND_WRITE = 3,
    PRIVATE_MEMORY = 0x22,
};
// Linux's: VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, DETACHED.
enum { CLONE_THREAD = 0x7d0f00 };

static int again, waiters;

HIDDEN void brawn_tl_lock(void) {
    const int id = own_thread()->id;
    int now = __atomic_load_n(&__thread_list_lock, __ATOMIC_RELAXED);
    if (now == id) {
        again++;
        return;
    }
    for (;;) {
        now = 0;
        if (__atomic_compare_exchange_n(&__thread_list_lock, &now, id, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
        __wait(&__thread_list_lock, &waiters, now, 0);
    }
}

HIDDEN void brawn_tl_unlock(void) {
    if (again) {
        again--;
        return;
    }
    __atomic_store_n(&__thread_list_lock, 0, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&waiters, __ATOMIC_SEQ_CST)) wake(&__thread_list_lock, 1, 0);
}

// musl's pthread_join asks for this.
HIDDEN void brawn_tl_sync(thread *t) {
    (void)t;
    const int now = __atomic_load_n(&__thread_list_lock, __ATOMIC_SEQ_CST);
    if (!now) return;
    __wait(&__thread_list_lock, &waiters, now, 0);
    if (__atomic_load_n(&waiters, __ATOMIC_SEQ_CST)) wake(&__thread_list_lock, 1, 0);
}

HIDDEN void brawn_do_cleanup_push(cleanup *c) {
    thread *const self = own_thread();
    c->next = self->handlers;
    self->handlers = c;
}

HIDDEN void brawn_do_cleanup_pop(cleanup *c) {
    own_thread()->handlers = c->next;
}

// What the thread holds of robust mutexes belongs to nobody: the kernel does not see those that one process has to itself.
static void leave_mutexes(thread *self) {
    __vm_lock();
    void *volatile *held;
    while ((held = self->held) && held != &self->held) {
        mutex *const m = (mutex *)((char *)held - offsetof(mutex, next));
        const int is_waited_for = m->waiters, is_private = !(m->type & SHARED);
        self->pending = (void *)held;
        self->held = *held;
        const int was = __atomic_exchange_n(&m->lock, DIED, __ATOMIC_SEQ_CST);
        self->pending = NULL;
        if (was < 0 || is_waited_for) wake(&m->lock, 1, is_private);
    }
    __vm_unlock();
}

_Noreturn HIDDEN void brawn_pthread_exit(void *result) {
    thread *const self = own_thread();
    signals blocked;
    self->keeps_on = 1;
    self->cancel_at_once = 0;
    self->result = result;
    for (cleanup *c; (c = self->handlers);) {
        void (*const function)(void *) = c->function;
        void *const argument = c->argument;
        self->handlers = c->next;
        function(argument);
    }
    DO(__pthread_tsd_run_dtors);
    __block_app_sigs(&blocked);

    // pthread_detach may come now: who is second has to give the stack back.
    int state = JOINABLE;
    __atomic_compare_exchange_n(&self->state, &state, ENDING, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    volatile int *goes = &self->state;
    if (state == DETACHED) {
        goes = NULL;
        if (has_own_stack(self)) goes = brawn_stack_keep(self->map, self->mapped, self->guard, self->stack, __builtin_frame_address(0));
        // Before any lock: who holds what makes this wait may need them.
        if (!goes && self->map) __vm_wait();
    }

    __lock(&self->kill_lock);
    brawn_tl_lock();
    if (self->next == self) {
        // The last one ends the process.
        brawn_tl_unlock();
        __unlock(&self->kill_lock);
        self->state = state;
        __restore_sigs(&blocked);
        exit(0);
    }
    // Another may get this number soon.
    const int self_id = self->id;
    self->id = 0;
    __unlock(&self->kill_lock);
    leave_mutexes(self);
    DO(__do_orphaned_stdio_locks);
    DO(__dl_thread_cleanup);

    // From here on, other code may find that there is only one thread, and take no locks.  So this comes after all of the above.
    if (!--__libc.threads_minus_1) __libc.needs_locks = -1;
    self->next->previous = self->previous;
    self->previous->next = self->next;
    self->previous = self->next = self;
    if (goes) {
        if (goes != &self->state || self->kernels_page != (uintptr_t)self_id) arch_syscall4(SET_TID_ADDRESS, (long)goes, 0, 0, 0);
        // What was written to this stack is there before the kernel says that it is free.
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        brawn_tl_unlock();
    } else {
        // The lock is the kernel's to free.  Without a stack not even musl's own signals may come.
        arch_syscall4(SET_TID_ADDRESS, (long)&__thread_list_lock, 0, 0, 0);
        if (self->map) {
            __block_all_sigs(&blocked);
            if (self->offset) arch_syscall4(SET_ROBUST_LIST, 0, 3 * sizeof(long), 0, 0);
            __unmapself(self->map, self->mapped);
        }
    }
    for (;;) arch_syscall4(EXIT, 0, 0, 0, 0);
}

// What a new thread begins with, on its stack.
typedef struct {
    void *(*function)(void *);
    void *argument;
    // 0: it can begin; 1: it has to wait, and 2 that it does; 3: it has to end.
    volatile int order;
    unsigned long mask;
} beginning;

// Notes whose `state` the kernel writes to, by a number that the child of a fork does not have; no code for these
// architectures uses the field.
INLINE void note_word(void) {
    thread *const self = own_thread();
    self->kernels_page = self->id;
}

static int begin(void *p) {
    beginning *const b = p;
    note_word();
    if (b->order) {
        int expected = 1;
        if (__atomic_compare_exchange_n(&b->order, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) __wait(&b->order, NULL, 2, 1);
        if (b->order) {
            arch_syscall4(SET_TID_ADDRESS, (long)&b->order, 0, 0, 0);
            for (;;) arch_syscall4(EXIT, 0, 0, 0, 0);
        }
    }
    arch_syscall4(SIGPROCMASK, SET, (long)&b->mask, 0, MASK_SIZE);
    brawn_pthread_exit(b->function(b->argument));
}

// thrd_create's, with the signals blocked as in musl.
static int begin_c11(void *p) {
    beginning *const b = p;
    note_word();
    int (*const function)(void *) = (int (*)(void *))(uintptr_t)b->function;
    brawn_pthread_exit((void *)(uintptr_t)function(b->argument));
}

INLINE void lock_from_now_on(file *f) {
    if (f && f->lock < 0) f->lock = 0;
}

static COLD void become_threaded(thread *self) {
    static void *none[1];
    static const unsigned long own = BIT(CANCEL_SIGNAL) | BIT(CALL_SIGNAL);
    for (file *f = *__ofl_lock(); f; f = f->next) lock_from_now_on(f);
    __ofl_unlock();
    if (&__stdin_used) lock_from_now_on(__stdin_used);
    if (&__stdout_used) lock_from_now_on(__stdout_used);
    if (&__stderr_used) lock_from_now_on(__stderr_used);
    arch_syscall4(SIGPROCMASK, UNBLOCK, (long)&own, 0, MASK_SIZE);
    self->values = __pthread_tsd_main ? __pthread_tsd_main : none;
    DO(__membarrier_init);
    __libc.has_threads = 1;
}

// Where a thread is going to be.
typedef struct {
    unsigned char *map;
    size_t size, guard;
    // The pointers of its keys, behind its thread-locals.
    unsigned char *values;
    unsigned char *stack, *low;
} place;

static unsigned char *map_of(size_t size, size_t guard) {
    unsigned char *const map = __mmap(NULL, size, guard ? NONE : READ_AND_WRITE, PRIVATE_MEMORY, -1, 0);
    if (map == (void *)-1) return NULL;
    const long error = guard ? arch_syscall4(MPROTECT, (long)(map + guard), size - guard, READ_AND_WRITE, 0) : 0;
    if (!error || error == -ENOSYS) return map;
    __munmap(map, size);
    return NULL;
}

// Both are multiples of a pointer's size.
INLINE void clear(unsigned char *from, size_t size) {
    for (size_t i = 0; i < size / sizeof(uintptr_t); i++) ((uintptr_t *)from)[i] = 0;
}

static int find_place(place *at, const attributes *a) {
    const size_t page = __libc.page, keys = &__pthread_tsd_size ? __pthread_tsd_size : 0, locals = __libc.thread_locals;
    const size_t need = locals + keys;
    *at = (place){.size = a->size};
    if (a->end) {
        at->low = (unsigned char *)(a->end - a->size);
        at->stack = (unsigned char *)(a->end & -16ul);
        // In the program's own memory only if that is hardly less then.
        if (need < a->size / 8 && need < 2048) {
            at->values = at->stack - keys;
            at->stack = at->values - locals;
            clear(at->stack, need);
            return 1;
        }
        at->size = (need + page - 1) & -page;
    } else {
        at->guard = (a->guard + page - 1) & -page;
        at->size = at->guard + ((a->size + need + page - 1) & -page);
    }
    at->map = brawn_stack_take(at->size, at->guard);
    // The thread before may have put pages of it out of reach, as some runtimes do for guards of their own.
    if (at->map && arch_syscall4(MPROTECT, (long)(at->map + at->guard), at->size - at->guard, READ_AND_WRITE, 0)) {
        __munmap(at->map, at->size);
        at->map = NULL;
    }
    const int was_used = at->map != NULL;
    if (!at->map) at->map = map_of(at->size, at->guard);
    if (!at->map) {
        brawn_stacks_drop();
        at->map = map_of(at->size, at->guard);
    }
    if (!at->map) return 0;
    at->values = at->map + at->size - keys;
    if (was_used) clear(at->values - locals, need);
    if (!at->stack) {
        at->stack = at->values - locals;
        at->low = at->map + at->guard;
    }
    return 1;
}

// What the kernel and the thread's own code expect in the register for thread-locals.
INLINE void *locals_of(thread *t) {
#ifdef __x86_64__
    return t;
#elif defined(__aarch64__)
    return t + 1;
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
}

#define C11 ((const attributes *)-1)

static thread *prepare(const place *at, const attributes *a, const thread *self) {
    thread *const t = __copy_tls(at->values - __libc.thread_locals);
    t->self = t;
    t->map = at->map;
    t->mapped = at->size;
    t->stack = at->stack;
    t->stack_size = at->stack - at->low;
    t->guard = at->guard;
    t->values = (void **)at->values;
    t->locale = __libc.locale;
    t->state = a->is_detached ? DETACHED : JOINABLE;
    t->held = (void *)&t->held;
    t->canary = self->canary;
    t->kernels_page = 0;
    return t;
}

// Gives a thread that has begun its priority, and lets it go on.  If that fails, the thread ends; returns the number of the error, or 0.
static int schedule(thread *t, const attributes *a, beginning *b) {
    const int error = arch_syscall4(SETSCHEDULER, t->id, a->policy, (long)&a->priority, 0);
    if (__atomic_exchange_n(&b->order, error ? 3 : 0, __ATOMIC_SEQ_CST) == 2) wake(&b->order, 1, 1);
    if (error) __wait(&b->order, NULL, 3, 0);
    return -error;
}

HIDDEN int brawn_pthread_create(thread **restrict created, const attributes *restrict wanted, void *(*function)(void *), void *restrict argument) {
    if (!__libc.can_have_threads) return ENOSYS;
    thread *const self = own_thread();
    if (!__libc.has_threads) become_threaded(self);
    const int is_c11 = wanted == C11;
    attributes a = {0};
    if (wanted && !is_c11) a = *wanted;
    DO(__acquire_ptc);
    if (!wanted || is_c11) a.size = __default_stacksize, a.guard = __default_guardsize;
    place at;
    if (!find_place(&at, &a)) {
        DO(__release_ptc);
        return EAGAIN;
    }
    thread *const t = prepare(&at, &a, self);
    beginning *const b = (beginning *)((uintptr_t)at.stack & -sizeof(uintptr_t)) - 1;
    signals old;
    // The list's lock is taken in signal handlers, too.
    __block_app_sigs(&old);
    *b = (beginning){function, argument, a.is_scheduled ? 1 : 0, old.bits[0] & ~BIT(CANCEL_SIGNAL)};

    brawn_tl_lock();
    if (!__libc.threads_minus_1++) __libc.needs_locks = 1;
    int (*const first)(void *) = is_c11 ? begin_c11 : begin;
    int error = 0;
    if (__clone(first, b, CLONE_THREAD, b, &t->id, locals_of(t), &t->state) < 0) error = EAGAIN;
    else if (a.is_scheduled) error = schedule(t, &a, b);
    if (!error) {
        t->next = self->next;
        t->previous = self;
        t->next->previous = t;
        t->previous->next = t;
    } else if (!--__libc.threads_minus_1) {
        __libc.needs_locks = 0;
    }
    brawn_tl_unlock();
    __restore_sigs(&old);
    DO(__release_ptc);
    if (!error) *created = t;
    else if (at.map) __munmap(at.map, at.size);
    return error;
}

NAME(__pthread_create, brawn_pthread_create)
NAME(pthread_create, brawn_pthread_create)
NAME(__pthread_exit, brawn_pthread_exit)
NAME(pthread_exit, brawn_pthread_exit)
// Other members of musl's have weak ones of these that do nothing: weak ones of ours might come too late behind them.
#ifndef BRAWN_MEMORY_UNNAMED
#define STRONG(public, own) extern __typeof(own) public __attribute__((alias(#own), visibility("default")));
STRONG(__tl_lock, brawn_tl_lock)
STRONG(__tl_unlock, brawn_tl_unlock)
STRONG(__tl_sync, brawn_tl_sync)
STRONG(__do_cleanup_push, brawn_do_cleanup_push)
STRONG(__do_cleanup_pop, brawn_do_cleanup_pop)
#endif
