//# states: idle threads share memory, and a thread that never allocated gives back what others left; a wait is the program's own: its time, what
//# states: ends it, handlers, cancellation, and the blocks of a thread that gave its heap to others
//# libc: brawn
//# link: static static-pie lld gc line
//# case: no_heap no_heap_in_thread share share_unfreed go_on thread_ends event_later wakes_later times interrupted cancelled forks
//# timeout: 60
//# fails: brawn-trace/*/share: what is recorded says whose heap a block is in, so a thread keeps its own
//# fails: brawn-trace/*/share_unfreed: as above
//# not-covered: brawn-secure/*/share_unfreed: with pages of at least 32 KiB, blocks of so many sizes fill more than the one segment that is handed on
#include "check.h"
#include "marked.h"
#include "moments.h"
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

enum { BLOCKS = 1600 };
static void load(void) {
    static __thread void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        size_t n = i % 4 ? 500 : 3000;
        NEED(blocks[i] = malloc(n));
        memset(blocks[i], i, n);
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
}

enum { LONG = 900 }; /* ms */
static long ms_since(clockid_t clock, const struct timespec *begin) {
    struct timespec t;
    clock_gettime(clock, &t);
    return ((t.tv_sec - begin->tv_sec) * 1000000000 + t.tv_nsec - begin->tv_nsec) / 1000000;
}

static void wait_poll(void) { CHECK_SAME(poll(NULL, 0, LONG), 0); }
static void wait_epoll(void) {
    struct epoll_event event;
    int e = epoll_create1(0);
    CHECK_SAME(epoll_wait(e, &event, 1, LONG), 0);
    close(e);
}
static void wait_sleep(void) { CHECK_SAME(nanosleep(&(struct timespec){0, LONG * 1000000l}, NULL), 0); }
static void wait_sleep_until(void) {
    struct timespec until = in(CLOCK_MONOTONIC, LONG);
    CHECK_SAME(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), 0);
}
static void wait_futex(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec until = in(CLOCK_REALTIME, LONG);
    pthread_mutex_lock(&m);
    CHECK_SAME(pthread_cond_timedwait(&c, &m, &until), ETIMEDOUT);
    pthread_mutex_unlock(&m);
}
static void wait_semaphore(void) {
    sem_t s;
    struct timespec until = in(CLOCK_REALTIME, LONG);
    NEED(sem_init(&s, 0, 0) == 0);
    CHECK(sem_timedwait(&s, &until) == -1 && errno == ETIMEDOUT, "errno %d", errno);
}
static long before;
/* Threads take blocks and end; this one only frees them, and has no heap. */
enum { TAKEN = 300 };
static void *taken[TAKEN];
static void *taking(void *unused) {
    for (int i = 0; i < TAKEN; i++) {
        NEED(taken[i] = malloc(60000));
        memset(taken[i], 1, 60000);
    }
    return unused;
}
static void run_thread(void *(*run)(void *), void *argument) {
    pthread_t t;
    NEED(pthread_create(&t, NULL, run, argument) == 0);
    NEED(pthread_join(t, NULL) == 0);
}
static void no_heap(void) {
    long given = 0;
    for (int i = 0; i < CHECK_WAITS(LONG); i++) {
        run_thread(taking, NULL);
        before = resident();
        for (int n = 0; n < TAKEN; n++) free(taken[n]);
        wait_sleep();
        given = before - resident();
        if (check_emulated() || given > 15000) return;
    }
    CHECK(given > 15000, "of %ld KiB, %ld went back", before, given);
}
static void *freeing(void *unused) {
    no_heap();
    return unused;
}
static void no_heap_in_thread(void) { run_thread(freeing, NULL); }

/* Threads that each took a little, keep less, or all of it, and wait, have less than a page of memory for each size together. */
enum {
    IDLE = 120,
    AT_ONCE = 8,
};
static sem_t go_on_now, came;
static int keeps; /* how many blocks a thread keeps, of TOOK */
enum { TOOK = 16 };
static void *idle(void *argument) {
    unsigned char *kept[TOOK];
    size_t sizes[TOOK];
    unsigned random = (unsigned)(uintptr_t)argument * 7919 + 1;
    for (int n = 0; n < TOOK; n++) {
        random = random * 1664525 + 1013904223;
        size_t size = 32 + (random >> 8) % (64u << (n % 7));
        unsigned char *p = malloc(size);
        NEED(p);
        memset(p, n, size);
        if (n < keeps) kept[n] = p, sizes[n] = size;
        else free(p);
    }
    sem_post(&came);
    while (sem_wait(&go_on_now)) {}
    for (int n = 0; n < keeps; n++) {
        for (size_t i = 0; i < sizes[n]; i++) CHECK(kept[n][i] == n, "a block of %zu bytes changed", sizes[n]);
        free(kept[n]);
    }
    return NULL;
}
/* Whether they do so where those who come next come `pause` ms later. */
static int they_share(int pause) {
    pthread_t t[IDLE];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    NEED(pthread_attr_setstacksize(&attributes, 16384) == 0);
    NEED(sem_init(&go_on_now, 0, 0) == 0 && sem_init(&came, 0, 0) == 0);
    before = resident();
    for (int i = 0; i < IDLE; i += AT_ONCE) {
        for (int n = 0; n < AT_ONCE; n++) NEED(pthread_create(&t[i + n], &attributes, idle, (void *)(uintptr_t)(i + n)) == 0);
        for (int n = 0; n < AT_ONCE; n++) NEED(sem_wait(&came) == 0);
        poll(NULL, 0, pause);
    }
    long after = resident();
    for (int i = 0; i < IDLE; i++) sem_post(&go_on_now);
    for (int i = 0; i < IDLE; i++) NEED(pthread_join(t[i], NULL) == 0);
    if (check_emulated() || after - before < IDLE * 30) return 1;
    printf("%ld KiB, then %ld KiB\n", before, after);
    return 0;
}
/* On a busy machine threads come to their turn later: the statement is that there is a pause that is long enough. */
static void share_of(int kept) {
    int status = -1;
    keeps = kept;
    for (int pause = 60; status != 0 && pause <= 60 << 4; pause *= 2) {
        fflush(stdout);
        pid_t child = fork();
        NEED(child >= 0);
        if (child == 0) {
            int do_share = they_share(pause);
            fflush(stdout);
            _exit(check_failures ? 2 : !do_share);
        }
        NEED(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) break;
    }
    CHECK(status == 0, "no pause was long enough, or a child ended with %#x", status);
}
static void share(void) { share_of(4); }
static void share_unfreed(void) { share_of(TOOK); }

/* Threads that leave their heaps, wake, and go on: what they had, they free, grow and hand to others; each block is looked at. */
enum {
    WORKERS = 6,
    OWN = 200,
};
static unsigned char *_Atomic handed[WORKERS][OWN];
static void *working(void *argument) {
    int self = (int)(intptr_t)argument;
    unsigned random = (unsigned)self * 31337 + 5;
    unsigned char *own[OWN] = {0};
    for (int round = 0; round < 30; round++) {
        for (int n = 0; n < OWN; n++) {
            random = random * 1664525 + 1013904223;
            size_t size = 16 + (random >> 9) % (n % 20 ? 900 : 30000);
            if (own[n]) look(own[n]);
            if (random >> 30 == 0) {
                NEED(own[n] = realloc(own[n], size));
                mark(own[n], size);
            } else if (random >> 30 == 1) {
                own[n] = atomic_exchange(&handed[(self + 1) % WORKERS][n], own[n]);
            } else {
                free(own[n]);
                NEED(own[n] = malloc(size));
                mark(own[n], size);
            }
        }
        poll(NULL, 0, round % 3 ? 150 : (int)(random >> 12) % 30);
    }
    for (int n = 0; n < OWN; n++) free(own[n]);
    return NULL;
}
static void go_on(void) {
    pthread_t t[WORKERS];
    for (int i = 0; i < WORKERS; i++) NEED(pthread_create(&t[i], NULL, working, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < WORKERS; i++) NEED(pthread_join(t[i], NULL) == 0);
    for (int i = 0; i < WORKERS; i++)
        for (int n = 0; n < OWN; n++)
            if (handed[i][n]) look(handed[i][n]), free(handed[i][n]);
}

/* One that left its heap ends, and its key's destructor takes memory and frees what it had. */
static pthread_key_t key;
static int destroyed;
static void destroy(void *p) {
    look(p);
    free(p);
    free(hidden(malloc(3000)));
    destroyed++;
}
static void *ending(void *unused) {
    unsigned char *p = malloc(777);
    NEED(p);
    mark(p, 777);
    pthread_setspecific(key, p);
    wait_poll();
    return unused;
}
static void thread_ends(void) {
    NEED(pthread_key_create(&key, destroy) == 0);
    for (int i = 0; i < 3; i++) run_thread(ending, NULL);
    CHECK_SAME(destroyed, 3);
}

/* What comes while the thread waits ends its wait. */
static void *writing_later(void *to) {
    usleep(200000);
    NEED(write(*(int *)to, "x", 1) == 1);
    return NULL;
}
static void event_later(void) {
    for (int how = 0; how < 2; how++) {
        int ends[2];
        char byte = 0;
        pthread_t t;
        NEED(pipe(ends) == 0);
        struct pollfd p = {ends[0], POLLIN, 0};
        struct epoll_event event = {.events = EPOLLIN}, got = {0};
        int e = epoll_create1(0);
        NEED(epoll_ctl(e, EPOLL_CTL_ADD, ends[0], &event) == 0);
        NEED(pthread_create(&t, NULL, writing_later, &ends[1]) == 0);
        load();
        poll(NULL, 0, 40);
        load();
        if (how) CHECK(poll(&p, 1, -1) == 1 && p.revents == POLLIN, "events %d", p.revents);
        else CHECK(epoll_wait(e, &got, 1, -1) == 1 && got.events == EPOLLIN, "events %u", got.events);
        CHECK(read(ends[0], &byte, 1) == 1 && byte == 'x', "byte %d", byte);
        NEED(pthread_join(t, NULL) == 0);
    }
}
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int said, woken;
static void *waiting_for_word(void *unused) {
    load();
    poll(NULL, 0, 40);
    load();
    pthread_mutex_lock(&m);
    while (!said) pthread_cond_wait(&c, &m);
    woken++;
    pthread_mutex_unlock(&m);
    return unused;
}
static void wakes_later(void) {
    pthread_t t[5];
    for (int i = 0; i < 5; i++) NEED(pthread_create(&t[i], NULL, waiting_for_word, NULL) == 0);
    usleep(300000);
    pthread_mutex_lock(&m);
    said = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 5; i++) NEED(pthread_join(t[i], NULL) == 0);
    CHECK_SAME(woken, 5);
}

/* No wait ends before its time, by the clock that it goes by. */
static void times(void) {
    static const struct {
        void (*wait)(void);
        clockid_t clock;
    } waits[] = {{wait_poll, CLOCK_MONOTONIC}, {wait_epoll, CLOCK_MONOTONIC}, {wait_sleep, CLOCK_MONOTONIC}, {wait_sleep_until, CLOCK_MONOTONIC},
        {wait_futex, CLOCK_REALTIME}, {wait_semaphore, CLOCK_REALTIME}};
    for (size_t n = 0; n < sizeof waits / sizeof *waits; n++) {
        load();
        poll(NULL, 0, 40);
        load();
        struct timespec begin = in(waits[n].clock, 0);
        waits[n].wait();
        CHECK(ms_since(waits[n].clock, &begin) >= LONG - 1, "wait %zu took %ld ms", n, ms_since(waits[n].clock, &begin));
    }
}

/* A handler ends a wait as it does without a heap, and what was left of a sleep is told. */
static volatile int handled;
static void handler(int number) {
    (void)number;
    handled++;
}
/* And again: the first one may come before the wait. */
static void alarm_in(long ms) {
    struct itimerval often = {{0, ms * 1000}, {0, ms * 1000}};
    NEED(setitimer(ITIMER_REAL, &often, NULL) == 0);
}
static void interrupted(void) {
    struct sigaction action = {.sa_handler = handler};
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
    for (int n = 0; n < 3; n++) {
        struct timespec left = {0};
        load();
        poll(NULL, 0, 40);
        load();
        alarm_in(100 + n * 7);
        errno = 0;
        handled = 0;
        struct timespec begin = in(CLOCK_MONOTONIC, 0);
        if (n == 0) CHECK(poll(NULL, 0, -1) == -1 && errno == EINTR, "errno %d", errno);
        if (n == 1) {
            sem_t s;
            NEED(sem_init(&s, 0, 0) == 0);
            CHECK(sem_wait(&s) == -1 && errno == EINTR, "errno %d", errno);
        }
        if (n == 2) {
            enum { ALL = 1000 };
            CHECK(nanosleep(&(struct timespec){ALL, 0}, &left) == -1 && errno == EINTR, "errno %d", errno);
            const long passed = ms_since(CLOCK_MONOTONIC, &begin), is_left = left.tv_sec * 1000 + left.tv_nsec / 1000000;
            CHECK(is_left + passed >= ALL * 1000 - 2 && is_left <= ALL * 1000 + 1, "%ld ms were left after %ld",
                is_left, passed);
        }
        alarm_in(0);
        CHECK(handled > 0, "no handler ran");
    }
}

/* A thread that has left its heap is cancelled in its wait. */
static int cleaned;
static void clean(void *p) {
    look(p);
    free(p);
    free(hidden(malloc(100)));
    cleaned++;
}
static void *waiting_for_ever(void *unused) {
    unsigned char *p = malloc(500);
    NEED(p);
    mark(p, 500);
    pthread_cleanup_push(clean, p);
    if (unused) pause();
    for (;;) poll(NULL, 0, -1);
    pthread_cleanup_pop(0);
    return unused;
}
static void cancelled(void) {
    for (int n = 0; n < 8; n++) {
        pthread_t t;
        void *result;
        NEED(pthread_create(&t, NULL, waiting_for_ever, NULL) == 0);
        usleep(n * 8000);
        NEED(pthread_cancel(t) == 0);
        NEED(pthread_join(t, &result) == 0);
        CHECK(result == PTHREAD_CANCELED, "%p", result);
        CHECK_SAME(cleaned, n + 1);
    }
}

/* Forks while others leave their heaps, and by one that has left its own. */
static void *forking(void *unused) {
    for (int n = 0; n < 5; n++) {
        unsigned char *p = malloc(500);
        NEED(p);
        mark(p, 500);
        poll(NULL, 0, 100);
        pid_t child = fork();
        NEED(child >= 0);
        if (child == 0) {
            alarm(CHECK_HANGS);
            load();
            look(p);
            free(p);
            poll(NULL, 0, 100);
            load();
            _exit(0);
        }
        int status;
        NEED(waitpid(child, &status, 0) == child);
        CHECK(status == 0, "a child ended with %#x", status);
        free(p);
    }
    return unused;
}
static void forks(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) NEED(pthread_create(&t[i], NULL, forking, NULL) == 0);
    for (int i = 0; i < 4; i++) NEED(pthread_join(t[i], NULL) == 0);
}

RUN_CASES({"no_heap", no_heap}, {"no_heap_in_thread", no_heap_in_thread}, {"share", share}, {"share_unfreed", share_unfreed}, {"go_on", go_on},
    {"thread_ends", thread_ends}, {"event_later", event_later}, {"wakes_later", wakes_later}, {"times", times},
    {"interrupted", interrupted}, {"cancelled", cancelled}, {"forks", forks})
