// What POSIX and musl promise of mutexes, locks for readers and writers, semaphores, barriers and condition variables, by their public names:
// linked with brawn's, as a program has them, beside musl's own pthread_mutex_trylock, pthread_cond_wait and C11 functions; with -DSTOCK
// musl's alone.  Ends with 1 and says what is wrong; what hangs ends after LIMIT seconds.  An argument makes it shorter.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum {
    LIMIT = 300,
    THREADS = 16,
};

#ifndef STOCK
// The public names are brawn's: this program defines each name of the members that go.
#ifdef __x86_64__
#define JUMP "jmp"
#elif defined(__aarch64__)
#define JUMP "b"
#else
#error "not written for this architecture: docs/contributing/architecture.md"
#endif
#define IS_OURS(public, own) __asm__(".text\n.globl " #public "\n.type " #public ", %function\n" #public ": " JUMP " brawn_" #own);
#define OURS(name) IS_OURS(name, name) IS_OURS(__##name, name)
OURS(pthread_mutex_lock)
OURS(pthread_mutex_timedlock)
OURS(pthread_mutex_unlock)
OURS(pthread_rwlock_rdlock)
OURS(pthread_rwlock_tryrdlock)
OURS(pthread_rwlock_timedrdlock)
OURS(pthread_rwlock_wrlock)
OURS(pthread_rwlock_trywrlock)
OURS(pthread_rwlock_timedwrlock)
OURS(pthread_rwlock_unlock)
IS_OURS(sem_timedwait, sem_timedwait)
IS_OURS(sem_post, sem_post)
IS_OURS(sem_trywait, sem_trywait)
IS_OURS(pthread_barrier_wait, pthread_barrier_wait)
IS_OURS(pthread_cond_signal, pthread_cond_signal)
IS_OURS(pthread_cond_broadcast, pthread_cond_broadcast)
OURS(pthread_create)
OURS(pthread_exit)
OURS(pthread_join)
IS_OURS(pthread_timedjoin_np, pthread_timedjoin_np)
IS_OURS(pthread_tryjoin_np, pthread_tryjoin_np)
IS_OURS(__tl_lock, tl_lock)
IS_OURS(__tl_unlock, tl_unlock)
IS_OURS(__tl_sync, tl_sync)
IS_OURS(__do_cleanup_push, do_cleanup_push)
IS_OURS(__do_cleanup_pop, do_cleanup_pop)
#endif

static const char *doing = "";
static int share = 1;

#define FAIL(...) (printf("%s: ", doing), printf(__VA_ARGS__), printf(" (line %d)\n", __LINE__), fflush(stdout), _exit(1))
#define IS(expected, call)                                                         \
    do {                                                                           \
        const int is = (call);                                                     \
        if (is != (expected)) FAIL("%s is %d, expected %s", #call, is, #expected); \
    } while (0)

static void hangs(int signal) {
    (void)signal;
    static const char said[] = ": hangs\n";
    _exit(write(1, doing, strlen(doing)) < 0 || write(1, said, sizeof said - 1) < 0 ? 2 : 1);
}

static struct timespec in(long ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    const long long all = t.tv_sec * 1000LL + ms;
    t.tv_sec = all / 1000;
    t.tv_nsec += all % 1000 * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void run(int threads, void *(*f)(void *), void *argument) {
    pthread_t all[THREADS];
    for (int i = 0; i < threads; i++) IS(0, pthread_create(&all[i], NULL, f, argument));
    for (int i = 0; i < threads; i++) IS(0, pthread_join(all[i], NULL));
}

#include "threads-mutex.h"
#include "threads-others.h"
#include "threads-meet.h"

// Memory that is given back as soon as the lock is had once more: unlocking does not touch it any more.
struct page {
    pthread_mutex_t m;
    pthread_rwlock_t l;
    volatile int state;
};

static void *unlocks(void *argument) {
    struct page *const p = argument;
    pthread_mutex_lock(&p->m);
    pthread_rwlock_rdlock(&p->l);
    __atomic_store_n(&p->state, 1, __ATOMIC_SEQ_CST);
    sched_yield();
    pthread_rwlock_unlock(&p->l);
    pthread_mutex_unlock(&p->m);
    return NULL;
}

static void destruction(void) {
    doing = "unlocking what is unmapped then";
    for (int turn = 0; turn < 3000 / share; turn++) {
        struct page *const p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_t other;
        pthread_mutex_init(&p->m, NULL);
        pthread_rwlock_init(&p->l, NULL);
        IS(0, pthread_create(&other, NULL, unlocks, p));
        while (!p->state) sched_yield();
        IS(0, pthread_rwlock_wrlock(&p->l));
        IS(0, pthread_rwlock_unlock(&p->l));
        IS(0, pthread_mutex_lock(&p->m));
        IS(0, pthread_mutex_unlock(&p->m));
        IS(0, pthread_mutex_destroy(&p->m));
        IS(0, munmap(p, sizeof *p));
        IS(0, pthread_join(other, NULL));
    }
}

// Processes.
struct both {
    pthread_mutex_t m;
    pthread_rwlock_t l;
    sem_t s;
    pthread_cond_t c;
    volatile long counter, turn;
};

static void process(struct both *b, int me) {
    for (int i = 0; i < 3000 / share; i++) {
        IS(0, pthread_mutex_lock(&b->m));
        b->counter++;
        if (!(i & 15)) sched_yield();
        IS(0, pthread_mutex_unlock(&b->m));
        IS(0, pthread_rwlock_wrlock(&b->l));
        b->counter++;
        IS(0, pthread_rwlock_unlock(&b->l));
        IS(0, pthread_rwlock_rdlock(&b->l));
        IS(0, pthread_rwlock_unlock(&b->l));
        while (sem_wait(&b->s));
        b->counter++;
        IS(0, sem_post(&b->s));
    }
    for (int i = 0; i < 300 / share; i++) {
        IS(0, pthread_mutex_lock(&b->m));
        while (b->turn != me) IS(0, pthread_cond_wait(&b->c, &b->m));
        b->turn = !me;
        IS(0, pthread_cond_signal(&b->c));
        IS(0, pthread_mutex_unlock(&b->m));
    }
}

static void child_ends(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0) IS(EINTR, errno);
    IS(0, status);
}

static void processes(void) {
    doing = "processes";
    struct both *const b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t ma;
    pthread_rwlockattr_t la;
    pthread_condattr_t ca;
    pthread_mutexattr_init(&ma);
    pthread_mutexattr_setpshared(&ma, 1);
    pthread_rwlockattr_init(&la);
    pthread_rwlockattr_setpshared(&la, 1);
    pthread_condattr_init(&ca);
    pthread_condattr_setpshared(&ca, 1);
    IS(0, pthread_mutex_init(&b->m, &ma));
    IS(0, pthread_rwlock_init(&b->l, &la));
    IS(0, pthread_cond_init(&b->c, &ca));
    IS(0, sem_init(&b->s, 1, 1));
    const pid_t child = fork();
    process(b, !child);
    if (!child) _exit(0);
    child_ends(child);
    // Each kind counts under a lock of its own only in one of three steps: none is lost where they exclude each other.
    if (b->counter > 2 * 3 * (3000 / share) || b->counter < 3000 / share) FAIL("%ld", b->counter);

    doing = "fork while held";
    IS(0, pthread_mutex_init(&m, NULL));
    IS(0, pthread_mutex_lock(&m));
    const pid_t second = fork();
    if (!second) {
        struct timespec soon = in(3);
        IS(EBUSY, pthread_mutex_trylock(&m));
        IS(ETIMEDOUT, pthread_mutex_timedlock(&m, &soon));
        IS(0, pthread_mutex_unlock(&m));
        IS(0, pthread_mutex_lock(&m));
        IS(0, pthread_mutex_unlock(&m));
        _exit(0);
    }
    child_ends(second);
    IS(0, pthread_mutex_unlock(&m));

    doing = "a process that ends with a robust mutex";
    // qemu-user has no such lists, and so nobody marks the mutex.
    void *head;
    size_t size;
    if (syscall(SYS_get_robust_list, 0, &head, &size)) return;
    pthread_mutexattr_setrobust(&ma, PTHREAD_MUTEX_ROBUST);
    IS(0, pthread_mutex_init(&b->m, &ma));
    const pid_t third = fork();
    if (!third) _exit(pthread_mutex_lock(&b->m));
    child_ends(third);
    IS(EOWNERDEAD, pthread_mutex_lock(&b->m));
    IS(0, pthread_mutex_consistent(&b->m));
    IS(0, pthread_mutex_unlock(&b->m));
}

#include "threads-ends.h"
#ifndef STOCK
#include "threads-objects.h"
#else
static void objects(void) {}
#endif

// C11's, which musl makes of the same.
static mtx_t mt;
static cnd_t cn;

static int eleven(void *unused) {
    (void)unused;
    for (long i = 0; i < rounds; i++) {
        IS(thrd_success, mtx_lock(&mt));
        if (inside++) FAIL("two hold it");
        counter++;
        inside--;
        struct timespec soon = in(1);
        if (!(i & 127)) cnd_timedwait(&cn, &mt, &soon);
        if (!(i & 63)) cnd_broadcast(&cn);
        IS(thrd_success, mtx_unlock(&mt));
    }
    return 0;
}

static void c11(void) {
    static const int types[] = {mtx_plain, mtx_timed, mtx_plain | mtx_recursive};
    doing = "mtx";
    for (int t = 0; t < 3; t++) {
        thrd_t all[8];
        IS(thrd_success, mtx_init(&mt, types[t]));
        IS(thrd_success, cnd_init(&cn));
        rounds = 3000 / share;
        counter = 0;
        for (int i = 0; i < 8; i++) IS(thrd_success, thrd_create(&all[i], eleven, NULL));
        for (int i = 0; i < 8; i++) IS(thrd_success, thrd_join(all[i], NULL));
        if (counter != rounds * 8) FAIL("%ld", counter);
    }
}

#ifdef STOCK
#define brawn_pthread_attr_init pthread_attr_init
#define brawn_pthread_spin_unlock pthread_spin_unlock
#else
extern int brawn_pthread_attr_init(pthread_attr_t *);
extern int brawn_pthread_spin_unlock(pthread_spinlock_t *);
#endif
static pthread_spinlock_t spin;

static void *spins(void *unused) {
    for (long i = 0; i < rounds; i++) {
        pthread_spin_lock(&spin);
        if (inside++) FAIL("two hold it");
        counter++;
        inside--;
        IS(0, brawn_pthread_spin_unlock(&spin));
    }
    return unused;
}

static void small_ones(void) {
    doing = "attributes";
    pthread_attr_t ours, musls;
    for (int i = 0; i < 2; i++) {
        memset(&ours, 1, sizeof ours);
        memset(&musls, 2, sizeof musls);
        IS(0, brawn_pthread_attr_init(&ours));
        pthread_attr_init(&musls);
        IS(0, memcmp(&ours, &musls, sizeof ours));
        pthread_attr_setstacksize(&musls, 1 << 20);
        pthread_attr_setguardsize(&musls, 1 << 16);
        IS(0, pthread_setattr_default_np(&musls));
    }
    doing = "spin lock";
    pthread_t all[3];
    rounds = 30000 / share;
    counter = 0;
    pthread_spin_init(&spin, 0);
    for (int i = 0; i < 3; i++) IS(0, pthread_create(&all[i], NULL, spins, NULL));
    for (int i = 0; i < 3; i++) IS(0, pthread_join(all[i], NULL));
    if (counter != rounds * 3) FAIL("%ld", counter);
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) share = 30;
    signal(SIGALRM, hangs);
    alarm(LIMIT);
    handlers();
    barriers();
    void (*const all[])(void) = {results, held_together, musls_locks, exclusion, owners, requeue, read_write, semaphores, interruption, left_late, cancellation, destruction, processes, remains, lives, stacks,
        process_ends, ends, c11, small_ones, objects};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) all[i]();
    puts("threads: as promised");
    return 0;
}
