/* Locks and threads. */
#include "bench.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, shared = PTHREAD_MUTEX_INITIALIZER, recursive;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t one, two, alone;
static long counter;
static int turn;

static void nothing(void) {}

PREPARE {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &a);
    pthread_key_create(&key, 0);
    pthread_setspecific(key, &key);
    sem_init(&one, 0, 0);
    sem_init(&two, 0, 0);
    sem_init(&alone, 0, 0);
}

ROW("threads", mutex1, "mutex, alone") {
    pthread_mutex_lock(&plain);
    pthread_mutex_unlock(&plain);
}
ROW("threads", recursive1, "recursive mutex, alone") {
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
}
ROW("threads", try1, "mutex, trylock alone") {
    pthread_mutex_trylock(&plain);
    pthread_mutex_unlock(&plain);
}
ROW("threads", read1, "rwlock, a reader alone") {
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
}
ROW("threads", write1, "rwlock, a writer alone") {
    pthread_rwlock_wrlock(&rw);
    pthread_rwlock_unlock(&rw);
}
ROW("threads", sem1, "semaphore, post and wait alone") {
    sem_post(&alone);
    sem_wait(&alone);
}
ROW("threads", signal1, "condition variable, signal to nobody") { pthread_cond_signal(&cond); }
ROW("threads", once1, "pthread_once, done") { pthread_once(&once, nothing); }
ROW("threads", specific1, "pthread_getspecific") { KEEP(pthread_getspecific(key)); }
ROW("threads", self1, "pthread_self") { KEEP(pthread_self()); }

static int started;

/* Threads begin their work together: else the first is done before the second is there, and none waits for a lock. */
static void together(int count) {
    __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&started, __ATOMIC_RELAXED) < count) sched_yield();
}
typedef struct {
    void *(*work)(void *);
    long n;
    int count;
} Task;
static void *begin(void *p) {
    Task *task = p;
    together(task->count);
    return task->work((void *)task->n);
}

/* `n` operations on each of `count` threads. */
static void on(int count, void *(*work)(void *), long n) {
    pthread_t all[8];
    Task task = {work, n, count};
    started = 0;
    for (int i = 0; i < count; i++) pthread_create(&all[i], 0, begin, &task);
    for (int i = 0; i < count; i++) pthread_join(all[i], 0);
}
static void *locking(void *n) {
    for (long i = (long)n; i--;) {
        pthread_mutex_lock(&shared);
        counter++;
        pthread_mutex_unlock(&shared);
    }
    return 0;
}
/* Some work outside of the lock, as programs have. */
static void *working(void *n) {
    uint64_t state = (uintptr_t)&n;
    for (long i = (long)n; i--;) {
        for (int j = 0; j < 20; j++) KEEP(draw(&state));
        pthread_mutex_lock(&shared);
        counter++;
        pthread_mutex_unlock(&shared);
    }
    return 0;
}
static void *reading(void *n) {
    for (long i = (long)n; i--;) {
        pthread_rwlock_rdlock(&rw);
        KEEP(counter);
        pthread_rwlock_unlock(&rw);
    }
    return 0;
}
static void *mixed(void *n) {
    for (long i = (long)n; i--;) {
        if (i % 16) pthread_rwlock_rdlock(&rw);
        else pthread_rwlock_wrlock(&rw);
        KEEP(counter);
        pthread_rwlock_unlock(&rw);
    }
    return 0;
}
static void *answering(void *n) {
    for (long i = (long)n; i--;) {
        sem_wait(&one);
        sem_post(&two);
    }
    return 0;
}
static void *waiting(void *n) {
    pthread_mutex_lock(&shared);
    for (long i = (long)n; i--;) {
        while (turn != 1) pthread_cond_wait(&cond, &shared);
        turn = 0;
        pthread_cond_signal(&cond);
    }
    pthread_mutex_unlock(&shared);
    return 0;
}
static void *idle(void *p) { return p; }

ROW_N("threads", mutex2, "mutex, two threads, nothing else") { on(2, locking, n / 2 + 1); }
ROW_N("threads", mutex2work, "mutex, two threads with some work") { on(2, working, n / 2 + 1); }
ROW_N("threads", mutex4, "mutex, four threads with some work") { on(4, working, n / 4 + 1); }
ROW_N("threads", read2, "rwlock, two readers") { on(2, reading, n / 2 + 1); }
ROW_N("threads", mixed2, "rwlock, two threads, one in 16 writes") { on(2, mixed, n / 2 + 1); }
ROW_N("threads", pingpong, "semaphores, back and forth") {
    pthread_t other;
    pthread_create(&other, 0, answering, (void *)n);
    for (long i = n; i--;) {
        sem_post(&one);
        sem_wait(&two);
    }
    pthread_join(other, 0);
}
ROW_N("threads", condpair, "condition variable, back and forth") {
    pthread_t other;
    pthread_create(&other, 0, waiting, (void *)n);
    pthread_mutex_lock(&shared);
    for (long i = n; i--;) {
        turn = 1;
        pthread_cond_signal(&cond);
        while (turn) pthread_cond_wait(&cond, &shared);
    }
    pthread_mutex_unlock(&shared);
    pthread_join(other, 0);
}
ROW_N("threads", create, "create and join") {
    for (long i = n; i--;) {
        pthread_t other;
        pthread_create(&other, 0, idle, 0);
        pthread_join(other, 0);
    }
}
static pthread_barrier_t barrier;
static void *meeting(void *n) {
    for (long i = (long)n; i--;) pthread_barrier_wait(&barrier);
    return 0;
}
ROW_N("threads", barrier2, "barrier of two") {
    pthread_barrier_init(&barrier, 0, 2);
    on(2, meeting, n);
    pthread_barrier_destroy(&barrier);
}
