//# states: locks of every kind exclude, wait, time out and answer as POSIX says, across threads, processes, forks, signals and cancellation
//# case: mutexes locks waits cancel processes
//# link: static static-pie
#include "guarded.h"
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

enum {
    THREADS = 4,
    EVER = 10000000, /* ms: it ends before the time is over */
};

static struct timespec in(long ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
static const struct timespec past = {1, 0}, wrong = {4000000000, 1000000000};

static void run(void *(*f)(void *), void *argument, int threads) {
    pthread_t all[THREADS];
    for (int i = 0; i < threads; i++) NEED(pthread_create(&all[i], NULL, f, argument) == 0);
    for (int i = 0; i < threads; i++) NEED(pthread_join(all[i], NULL) == 0);
}

static void make(pthread_mutex_t *m, int type, int protocol, int robust, int shared) {
    pthread_mutexattr_t a;
    NEED(pthread_mutexattr_init(&a) == 0 && pthread_mutexattr_settype(&a, type) == 0);
    NEED(pthread_mutexattr_setprotocol(&a, protocol) == 0 && pthread_mutexattr_setrobust(&a, robust) == 0);
    NEED(pthread_mutexattr_setpshared(&a, shared) == 0 && pthread_mutex_init(m, &a) == 0);
    pthread_mutexattr_destroy(&a);
}

static pthread_mutex_t mutex;
static long counter;

static void *counts(void *unused) {
    for (int i = 0; i < 2000; i++) {
        if (i % 4 == 0) {
            struct timespec soon = in(EVER);
            NEED(pthread_mutex_timedlock(&mutex, &soon) == 0);
        } else if (i % 4 != 1 || pthread_mutex_trylock(&mutex)) {
            NEED(pthread_mutex_lock(&mutex) == 0);
        }
        long was = *(volatile long *)&counter;
        if (i % 64 == 0) sched_yield();
        counter = was + 1;
        NEED(pthread_mutex_unlock(&mutex) == 0);
    }
    return unused;
}

/* What others are told while this thread has it. */
static void *finds_taken(void *type) {
    struct timespec soon = in(5);
    CHECK_SAME(pthread_mutex_trylock(&mutex), EBUSY);
    CHECK_SAME(pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
    CHECK_SAME(pthread_mutex_timedlock(&mutex, &past), ETIMEDOUT);
    CHECK_SAME(pthread_mutex_timedlock(&mutex, &wrong), EINVAL);
    if (*(int *)type != PTHREAD_MUTEX_NORMAL) CHECK_SAME(pthread_mutex_unlock(&mutex), EPERM);
    return NULL;
}

static void *dies(void *unused) {
    NEED(pthread_mutex_lock(&mutex) == 0);
    return unused;
}

static void mutexes(void) {
    static const int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT};
    int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE};
    for (int kind = 0; kind < 12; kind++) {
        int type = types[kind % 3], protocol = protocols[kind / 3 % 2], robust = kind >= 6;
        if (robust && check_emulated()) continue;
        make(&mutex, type, protocol, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_PRIVATE);
        /* Alone, then with others. */
        counter = 0;
        counts(NULL);
        CHECK_SAME(counter, 2000);
        counter = 0;
        run(counts, NULL, THREADS);
        CHECK_SAME(counter, 2000 * THREADS);
        NEED(pthread_mutex_lock(&mutex) == 0);
        if (type == PTHREAD_MUTEX_ERRORCHECK) CHECK_SAME(pthread_mutex_lock(&mutex), EDEADLK);
        if (type == PTHREAD_MUTEX_RECURSIVE) CHECK_SAME(pthread_mutex_lock(&mutex), 0);
        if (type == PTHREAD_MUTEX_NORMAL) CHECK_SAME(pthread_mutex_trylock(&mutex), EBUSY);
        if (protocol == PTHREAD_PRIO_NONE) run(finds_taken, &type, 1);
        NEED(pthread_mutex_unlock(&mutex) == 0);
        if (type == PTHREAD_MUTEX_RECURSIVE) {
            CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
            CHECK_SAME(pthread_mutex_unlock(&mutex), EPERM);
        }
        if (type == PTHREAD_MUTEX_ERRORCHECK) CHECK_SAME(pthread_mutex_unlock(&mutex), EPERM);
        if (robust) {
            run(dies, NULL, 1);
            CHECK_SAME(pthread_mutex_lock(&mutex), EOWNERDEAD);
            CHECK_SAME(pthread_mutex_consistent(&mutex), 0);
            CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
            run(dies, NULL, 1);
            CHECK_SAME(pthread_mutex_trylock(&mutex), EOWNERDEAD);
            CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
            CHECK_SAME(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
            CHECK_SAME(pthread_mutex_trylock(&mutex), ENOTRECOVERABLE);
        }
        CHECK_SAME(pthread_mutex_destroy(&mutex), 0);
    }
}

static pthread_rwlock_t lock;
static void *finds_writer(void *unused) {
    struct timespec soon = in(5);
    CHECK_SAME(pthread_rwlock_tryrdlock(&lock), EBUSY);
    CHECK_SAME(pthread_rwlock_trywrlock(&lock), EBUSY);
    CHECK_SAME(pthread_rwlock_timedrdlock(&lock, &soon), ETIMEDOUT);
    CHECK_SAME(pthread_rwlock_timedwrlock(&lock, &past), ETIMEDOUT);
    CHECK_SAME(pthread_rwlock_timedrdlock(&lock, &wrong), EINVAL);
    return unused;
}
static void *finds_readers(void *unused) {
    struct timespec soon = in(5);
    CHECK_SAME(pthread_rwlock_tryrdlock(&lock), 0);
    CHECK_SAME(pthread_rwlock_unlock(&lock), 0);
    CHECK_SAME(pthread_rwlock_timedrdlock(&lock, &past), 0);
    CHECK_SAME(pthread_rwlock_unlock(&lock), 0);
    CHECK_SAME(pthread_rwlock_trywrlock(&lock), EBUSY);
    CHECK_SAME(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    CHECK_SAME(pthread_rwlock_timedwrlock(&lock, &wrong), EINVAL);
    return unused;
}
static long pair[2];
static void *reads_and_writes(void *unused) {
    for (int i = 0; i < 1500; i++) {
        if (i % 5) {
            NEED((i % 3 ? pthread_rwlock_rdlock(&lock)
                        : pthread_rwlock_timedrdlock(&lock, &(struct timespec){4000000000, 0})) == 0);
            CHECK(*(volatile long *)&pair[0] == *(volatile long *)&pair[1], "half of a change");
        } else {
            while (i % 2 ? pthread_rwlock_trywrlock(&lock) : pthread_rwlock_wrlock(&lock)) sched_yield();
            pair[0]++;
            if (i % 50 == 0) sched_yield();
            pair[1]++;
        }
        NEED(pthread_rwlock_unlock(&lock) == 0);
    }
    return unused;
}

static void locks(void) {
    for (int shared = 0; shared < 2; shared++) {
        pthread_rwlockattr_t a;
        NEED(pthread_rwlockattr_init(&a) == 0);
        NEED(pthread_rwlockattr_setpshared(&a, shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE) == 0);
        NEED(pthread_rwlock_init(&lock, &a) == 0);
        pair[0] = pair[1] = 0;
        run(reads_and_writes, NULL, THREADS);
        CHECK_SAME(pair[0], 300 * THREADS);
        NEED(pthread_rwlock_wrlock(&lock) == 0);
        run(finds_writer, NULL, 2);
        NEED(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_rdlock(&lock) == 0 &&
            pthread_rwlock_rdlock(&lock) == 0);
        run(finds_readers, NULL, 2);
        NEED(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
        CHECK_SAME(pthread_rwlock_trywrlock(&lock), 0);
        NEED(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_destroy(&lock) == 0);
    }
}

static pthread_cond_t condition;
static sem_t semaphore;
static int queue, taken, ends;
static void *takes(void *unused) {
    for (;;) {
        NEED(pthread_mutex_lock(&mutex) == 0);
        while (!queue && !ends) NEED(pthread_cond_wait(&condition, &mutex) == 0);
        int more = queue > 0;
        if (more) queue--, taken++;
        NEED(pthread_mutex_unlock(&mutex) == 0);
        if (!more) return unused;
    }
}
static void *waits_for_semaphore(void *unused) {
    for (int i = 0; i < 500; i++) {
        struct timespec soon = in(EVER);
        while (i % 2 ? sem_wait(&semaphore) : sem_timedwait(&semaphore, &soon)) NEED(errno == EINTR);
        __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
    }
    return unused;
}
static void posts(int signal) {
    (void)signal;
    int before = errno;
    if (sem_post(&semaphore)) _exit(9);
    errno = before;
}
static void nothing(int signal) { (void)signal; }
static void *is_interrupted(void *unused) {
    CHECK_ERRNO(sem_wait(&semaphore), -1, EINTR);
    __atomic_store_n(&ends, 1, __ATOMIC_SEQ_CST);
    return unused;
}

/* A condition variable may be freed by who tells all that wait of it, while one whose time is up is just leaving. */
struct box {
    pthread_cond_t c;
    char room[4096 - sizeof(pthread_cond_t)];
};
enum { LEAVES = 150 };
static struct box *box;
static void *leaves(void *unused) {
    for (int i = 0; i < LEAVES; i++) {
        NEED(pthread_mutex_lock(&mutex) == 0);
        while (!box) {
            pthread_mutex_unlock(&mutex);
            sched_yield();
            NEED(pthread_mutex_lock(&mutex) == 0);
        }
        struct timespec soon = in(0);
        soon.tv_nsec += i * 97 % 20000;
        if (soon.tv_nsec >= 1000000000) soon.tv_nsec = 999999999;
        queue = 1;
        int error = pthread_cond_timedwait(&box->c, &mutex, &soon);
        CHECK(error == 0 || error == ETIMEDOUT, "%d", error);
        box = NULL;
        NEED(pthread_mutex_unlock(&mutex) == 0);
    }
    return unused;
}
static void freed_early(void) {
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, leaves, NULL) == 0);
    for (int i = 0; i < LEAVES; i++) {
        struct box *mine = mmap(NULL, sizeof *mine, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        NEED(mine != MAP_FAILED && pthread_cond_init(&mine->c, NULL) == 0 && pthread_mutex_lock(&mutex) == 0);
        queue = 0;
        box = mine;
        while (!queue || (box && i % 2)) {
            pthread_mutex_unlock(&mutex);
            NEED(pthread_mutex_lock(&mutex) == 0);
        }
        NEED(pthread_cond_broadcast(&mine->c) == 0 && pthread_cond_destroy(&mine->c) == 0 &&
            munmap(mine, sizeof *mine) == 0);
        while (box) {
            pthread_mutex_unlock(&mutex);
            sched_yield();
            NEED(pthread_mutex_lock(&mutex) == 0);
        }
        NEED(pthread_mutex_unlock(&mutex) == 0);
    }
    pthread_join(thread, NULL);
}

static void waits(void) {
    make(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_PRIVATE);
    for (int monotonic = 0; monotonic < 2; monotonic++) {
        pthread_condattr_t a;
        NEED(pthread_condattr_init(&a) == 0 &&
            pthread_condattr_setclock(&a, monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME) == 0);
        NEED(pthread_cond_init(&condition, &a) == 0);
        CHECK_SAME(pthread_cond_signal(&condition), 0);
        CHECK_SAME(pthread_cond_broadcast(&condition), 0);
        queue = taken = ends = 0;
        pthread_t all[THREADS];
        for (int i = 0; i < THREADS; i++) NEED(pthread_create(&all[i], NULL, takes, NULL) == 0);
        for (int i = 0; i < 3000; i++) {
            NEED(pthread_mutex_lock(&mutex) == 0);
            queue++;
            if (i % 2) NEED(pthread_cond_signal(&condition) == 0);
            NEED(pthread_mutex_unlock(&mutex) == 0);
            if (i % 2 == 0) NEED((i % 8 ? pthread_cond_signal(&condition) : pthread_cond_broadcast(&condition)) == 0);
        }
        NEED(pthread_mutex_lock(&mutex) == 0);
        ends = 1;
        NEED(pthread_cond_broadcast(&condition) == 0 && pthread_mutex_unlock(&mutex) == 0);
        for (int i = 0; i < THREADS; i++) pthread_join(all[i], NULL);
        CHECK_SAME(taken, 3000);
        NEED(pthread_mutex_lock(&mutex) == 0);
        CHECK_SAME(pthread_cond_timedwait(&condition, &mutex, &past), ETIMEDOUT);
        CHECK_SAME(pthread_cond_timedwait(&condition, &mutex, &wrong), EINVAL);
        CHECK_SAME(pthread_mutex_trylock(&mutex), EBUSY);
        NEED(pthread_mutex_unlock(&mutex) == 0 && pthread_cond_destroy(&condition) == 0);
    }
    freed_early();
    NEED(sem_init(&semaphore, 0, 0) == 0);
    taken = 0;
    pthread_t all[THREADS];
    for (int i = 0; i < THREADS; i++) NEED(pthread_create(&all[i], NULL, waits_for_semaphore, NULL) == 0);
    /* From a signal's handler, too. */
    struct sigaction action = {.sa_handler = posts};
    NEED(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < 500 * THREADS; i++) NEED((i % 10 ? sem_post(&semaphore) : raise(SIGUSR1)) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(all[i], NULL);
    int value;
    CHECK(taken == 500 * THREADS && sem_getvalue(&semaphore, &value) == 0 && value == 0, "%d taken", taken);
    CHECK_ERRNO(sem_trywait(&semaphore), -1, EAGAIN);
    CHECK_ERRNO(sem_timedwait(&semaphore, &past), -1, ETIMEDOUT);
    CHECK_ERRNO(sem_timedwait(&semaphore, &wrong), -1, EINVAL);
#ifndef __GLIBC__
    /* Where there is no need to wait, nobody looks at the time; glibc does. */
    NEED(sem_post(&semaphore) == 0);
    CHECK_ERRNO(sem_timedwait(&semaphore, &wrong), 0, 0);
#endif
    action.sa_handler = nothing;
    NEED(sigaction(SIGUSR1, &action, NULL) == 0);
    ends = 0;
    NEED(pthread_create(&all[0], NULL, is_interrupted, NULL) == 0);
    while (!__atomic_load_n(&ends, __ATOMIC_SEQ_CST)) {
        usleep(2000);
        if (!__atomic_load_n(&ends, __ATOMIC_SEQ_CST)) pthread_kill(all[0], SIGUSR1);
    }
    pthread_join(all[0], NULL);
    sem_destroy(&semaphore);
    CHECK_ERRNO(sem_init(&semaphore, 0, SEM_VALUE_MAX), 0, 0);
    CHECK_ERRNO(sem_post(&semaphore), -1, EOVERFLOW);
    CHECK_ERRNO(sem_init(&semaphore, 0, SEM_VALUE_MAX + 1u), -1, EINVAL);
}

static void cleans(void *has_mutex) {
    if (has_mutex) {
        /* It is this thread's again. */
        CHECK_SAME(pthread_mutex_trylock(&mutex), EBUSY);
        CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
    }
    __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
}
static void *waits_for_ever(void *how) {
    int number = (int)(intptr_t)how;
    struct timespec late = in(EVER);
    if (number < 2) NEED(pthread_mutex_lock(&mutex) == 0);
    pthread_cleanup_push(cleans, number < 2 ? &mutex : NULL);
    __atomic_fetch_add(&queue, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        if (number == 0) pthread_cond_wait(&condition, &mutex);
        if (number == 1) pthread_cond_timedwait(&condition, &mutex, &late);
        if (number == 2) sem_wait(&semaphore);
        if (number == 3) sem_timedwait(&semaphore, &late);
    }
    pthread_cleanup_pop(0);
    return NULL;
}
static void *is_not_cancelled(void *unused) {
    __atomic_fetch_add(&queue, 1, __ATOMIC_SEQ_CST);
    NEED(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    NEED(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);
    pthread_testcancel();
    CHECK(0, "it was cancelled");
    return unused;
}

static void cancel(void) {
    NEED(pthread_mutex_init(&mutex, NULL) == 0 && pthread_cond_init(&condition, NULL) == 0);
    NEED(sem_init(&semaphore, 0, 0) == 0 && pthread_rwlock_init(&lock, NULL) == 0);
    for (int turn = 0; turn < 8; turn++) {
        pthread_t all[4];
        queue = taken = 0;
        for (int i = 0; i < 4; i++) NEED(pthread_create(&all[i], NULL, waits_for_ever, (void *)(intptr_t)i) == 0);
        while (__atomic_load_n(&queue, __ATOMIC_SEQ_CST) < 4) sched_yield();
        if (turn % 2) usleep(1000);
        for (int i = 0; i < 4; i++) NEED(pthread_cancel(all[i]) == 0);
        for (int i = 0; i < 4; i++) {
            void *result;
            NEED(pthread_join(all[i], &result) == 0);
            CHECK(result == PTHREAD_CANCELED, "not cancelled");
        }
        CHECK_SAME(taken, 4);
        /* Nothing is left of those who waited. */
        CHECK_SAME(pthread_mutex_trylock(&mutex), 0);
        CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
        NEED(sem_post(&semaphore) == 0 && sem_trywait(&semaphore) == 0);
    }
    /* Locks are no points where a thread is cancelled. */
    pthread_t thread;
    queue = taken = 0;
    NEED(pthread_mutex_lock(&mutex) == 0 && pthread_rwlock_wrlock(&lock) == 0);
    NEED(pthread_create(&thread, NULL, is_not_cancelled, NULL) == 0);
    while (!__atomic_load_n(&queue, __ATOMIC_SEQ_CST)) sched_yield();
    usleep(2000);
    NEED(pthread_cancel(thread) == 0 && pthread_mutex_unlock(&mutex) == 0);
    usleep(2000);
    NEED(pthread_rwlock_unlock(&lock) == 0 && pthread_join(thread, NULL) == 0);
    CHECK_SAME(taken, 1);
}

/* Between processes, in memory that they share. */
struct shared {
    pthread_mutex_t mutex, robust;
    pthread_rwlock_t lock;
    pthread_cond_t condition;
    sem_t semaphore;
    long counter;
    int turn, posted;
};
static struct shared *s;

static void works(int me) {
    for (int i = 0; i < 500; i++) {
        NEED(pthread_mutex_lock(&s->mutex) == 0);
        s->counter++;
        NEED(pthread_mutex_unlock(&s->mutex) == 0 && pthread_rwlock_wrlock(&s->lock) == 0);
        s->counter++;
        NEED(pthread_rwlock_unlock(&s->lock) == 0 && pthread_rwlock_rdlock(&s->lock) == 0 &&
            pthread_rwlock_unlock(&s->lock) == 0);
    }
    for (int i = 0; i < 200; i++) {
        NEED(pthread_mutex_lock(&s->mutex) == 0);
        while (s->turn != me) NEED(pthread_cond_wait(&s->condition, &s->mutex) == 0);
        s->turn = !me;
        NEED(pthread_cond_signal(&s->condition) == 0 && pthread_mutex_unlock(&s->mutex) == 0);
    }
    for (int i = 0; i < 200; i++) NEED((me ? sem_post(&s->semaphore) : sem_wait(&s->semaphore)) == 0);
}
static void other_process(void) { works(1); }
static void ends_with_it(void) {
    NEED(pthread_mutex_lock(&s->robust) == 0);
    _exit(0);
}

/* A child of a process that has threads: what its one thread held is still held, and works. */
static void child_of_threads(void) {
    CHECK_SAME(pthread_mutex_trylock(&mutex), EBUSY);
    CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
    NEED(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    /* qemu-user 7.2 cannot have a thread in such a child. */
    if (!check_emulated()) {
        counter = 0;
        run(counts, NULL, 2);
        CHECK_SAME(counter, 4000);
    }
    NEED(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_wrlock(&lock) == 0);
}
static void *waits_at_fork(void *unused) {
    NEED(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    return unused;
}

static void processes(void) {
    s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    NEED(s != MAP_FAILED);
    pthread_rwlockattr_t la;
    pthread_condattr_t ca;
    make(&s->mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, PTHREAD_PROCESS_SHARED);
    /* qemu-user has no list of robust mutexes. */
    int robust = check_emulated() ? PTHREAD_MUTEX_STALLED : PTHREAD_MUTEX_ROBUST;
    make(&s->robust, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, robust, PTHREAD_PROCESS_SHARED);
    NEED(pthread_rwlockattr_init(&la) == 0 && pthread_rwlockattr_setpshared(&la, PTHREAD_PROCESS_SHARED) == 0);
    NEED(pthread_rwlock_init(&s->lock, &la) == 0 && pthread_condattr_init(&ca) == 0);
    NEED(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED) == 0 && pthread_cond_init(&s->condition, &ca) == 0);
    NEED(sem_init(&s->semaphore, 1, 0) == 0);
    pid_t child = fork();
    NEED(child >= 0);
    if (!child) {
        other_process();
        _exit(check_result());
    }
    works(0);
    int status;
    NEED(waitpid(child, &status, 0) == child);
    CHECK(status == 0 && s->counter <= 2000 && s->counter >= 1000, "%#x", (unsigned)status);
    if (robust == PTHREAD_MUTEX_ROBUST) {
        NEED(in_child(ends_with_it) == 0);
        CHECK_SAME(pthread_mutex_lock(&s->robust), EOWNERDEAD);
        CHECK_SAME(pthread_mutex_consistent(&s->robust), 0);
        CHECK_SAME(pthread_mutex_unlock(&s->robust), 0);
    }

    pthread_t thread;
    NEED(pthread_mutex_init(&mutex, NULL) == 0 && pthread_rwlock_init(&lock, NULL) == 0);
    NEED(pthread_mutex_lock(&mutex) == 0 && pthread_rwlock_rdlock(&lock) == 0 &&
        pthread_create(&thread, NULL, waits_at_fork, NULL) == 0);
    usleep(3000);
    CHECK_SAME(in_child(child_of_threads), 0);
    NEED(pthread_mutex_unlock(&mutex) == 0 && pthread_join(thread, NULL) == 0);
}

RUN_CASES({"mutexes", mutexes}, {"locks", locks}, {"waits", waits}, {"cancel", cancel}, {"processes", processes})
