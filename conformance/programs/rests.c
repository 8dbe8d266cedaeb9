//# states: a thread that is about to wait gives back what is free, in every call of libc in which it can be cancelled; errno, signal
//# states: handlers inside of malloc, cancellation, threads without a heap and the smallest stacks are as without
//# libc: brawn
//# link: static static-pie lld gc line
//# case: poll nanosleep epoll read recv futex semaphore child by_thread by_others never keeps_errno handler handler_elsewhere
//# case: ended_threads cancelled cancelled_at_once no_heap smallest_stack
//# not-covered: brawn@1.2.2/*/epoll: epoll_wait of musl 1.2.2 is no place where a thread can be cancelled
//# timeout: 60
#include "moments.h"
#include "rests.h"
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* After a load and this call, what was free is the kernel's.  A thread's first turn comes whenever it waits.  (Neither syscall nor prctl is in
 * this program: with them it may restrict itself, and would get no turn.) */
static void gives_back(void (*wait)(void)) {
    long before = resident();
    load();
    wait();
    long after = resident();
    if (shows_memory()) CHECK(after - before < LEFT, "%ld KiB, then %ld KiB", before, after);
}

static void wait_nanosleep(void) { CHECK_SAME(nanosleep(&(struct timespec){0, 20000000}, NULL), 0); }
static void wait_epoll(void) {
    struct epoll_event event;
    int e = epoll_create1(0);
    CHECK_SAME(epoll_wait(e, &event, 1, 20), 0);
    close(e);
}
/* Another process answers after 20 ms: by a write, and by its end. */
static void answer(int to) {
    pid_t child = fork();
    NEED(child >= 0);
    if (child) return;
    usleep(20000);
    if (write(to, "x", 1) != 1) _exit(1);
    _exit(0);
}
static void wait_read(void) {
    int ends[2];
    char byte = 0;
    NEED(pipe(ends) == 0);
    answer(ends[1]);
    CHECK_SAME(read(ends[0], &byte, 1), 1);
    CHECK_SAME(byte, 'x');
}
static void wait_recv(void) {
    int ends[2];
    char byte = 0;
    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    answer(ends[1]);
    CHECK_SAME(recv(ends[0], &byte, 1, 0), 1);
    CHECK_SAME(byte, 'x');
}
static void wait_child(void) {
    int ends[2], status;
    NEED(pipe(ends) == 0);
    answer(ends[1]);
    CHECK(wait(&status) > 0 && status == 0, "status %d", status);
}
static struct timespec soon(void) { return in(CLOCK_REALTIME, 20); }
static void wait_futex(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec until = soon();
    pthread_mutex_lock(&m);
    CHECK_SAME(pthread_cond_timedwait(&c, &m, &until), ETIMEDOUT);
    pthread_mutex_unlock(&m);
}
static void wait_semaphore(void) {
    sem_t s;
    struct timespec until = soon();
    NEED(sem_init(&s, 0, 0) == 0);
    CHECK(sem_timedwait(&s, &until) == -1 && errno == ETIMEDOUT, "errno %d", errno);
}
static void do_poll(void) { gives_back(wait_poll); }
static void do_nanosleep(void) { gives_back(wait_nanosleep); }
static void do_epoll(void) { gives_back(wait_epoll); }
static void do_read(void) { gives_back(wait_read); }
static void do_recv(void) { gives_back(wait_recv); }
static void do_futex(void) { gives_back(wait_futex); }
static void do_semaphore(void) { gives_back(wait_semaphore); }
static void do_child(void) { gives_back(wait_child); }

/* What is for all threads may have gone back before, when the first one began to wait for this one. */
static void *loaded(void *unused) {
    long before = resident();
    load();
    wait_poll();
    if (shows_memory()) CHECK(is_back(before, LEFT), "%ld KiB, then %ld KiB", before, resident());
    return unused;
}
static void by_thread(void) { run_thread(loaded, NULL); }

/* Another thread frees what this one took: every other block, so that no page is full any more, and later the rest. */
enum { OTHERS = 12000 };
static void *others[OTHERS];
static void *free_some(void *which) {
    for (int i = 0; i < OTHERS; i++) {
        if ((i / 8 % 2 == 0) == (which != NULL)) free(others[i]);
    }
    return NULL;
}
static void by_others(void) {
    long before = resident();
    for (int i = 0; i < OTHERS; i++) {
        NEED(others[i] = malloc(sizes[i % 8]));
        memset(others[i], i, sizes[i % 8]);
    }
    for (int last = 0; last < 2; last++) {
        run_thread(free_some, last ? NULL : others);
        free(hidden(malloc(700))); /* who freed nothing gets no turn */
        wait_poll();
        free(hidden(malloc(700)));
        wait_poll();
    }
    if (shows_memory()) CHECK(is_back(before, LEFT), "%ld KiB, then %ld KiB", before, resident());
}

static void never(void) {
    if (check_emulated() || !has_options("rest_delay=-1")) return;
    long before = resident();
    load();
    wait_poll();
    long after = resident();
    /* What the heap gives back by itself is another matter: it does not have to be all of it. */
    CHECK(after - before > 1000, "%ld KiB, then %ld KiB", before, after);
}

static void keeps_errno(void) {
    for (int i = 0; i < 5; i++) {
        load();
        errno = 77;
        wait_poll();
        CHECK_SAME(errno, 77);
    }
}

/* A handler that waits while the thread is inside of malloc or free, at any instruction of theirs. */
static volatile long handled;
/* The next alarm: often, and not before the handler is over, however long it waits for a processor: else it might take all the time, and
 * malloc have none.  An emulator's handlers take longer. */
static void ring_soon(void) {
    struct itimerval soon = {{0, 0}, {0, check_emulated() ? 2500 : 900}};
    NEED(setitimer(ITIMER_REAL, &soon, NULL) == 0);
}
static void waiting_handler(int number) {
    (void)number;
    int before = errno;
    nanosleep(&(struct timespec){0, 20000}, NULL);
    handled++;
    ring_soon();
    errno = before;
}
static void handle(void) {
    struct sigaction action = {.sa_handler = waiting_handler, .sa_flags = SA_RESTART};
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
    ring_soon();
}
/* Pages become full and empty all the time, and each block is looked at. */
static void churn(long until) {
    enum { HAS = 600 };
    static __thread unsigned char *has[HAS];
    static __thread size_t size[HAS];
    unsigned random = 1;
    while (handled < until) {
        for (int n = 0; n < 3000; n++) {
            random = random * 1664525 + 1013904223;
            int i = (int)(random >> 8) % HAS;
            if (has[i]) {
                CHECK(has[i][0] == (unsigned char)i && has[i][size[i] - 1] == (unsigned char)i, "block %d changed", i);
                free(has[i]);
                has[i] = NULL;
            } else {
                size[i] = 16 + (random >> 4) % (i % 50 == 0 ? 40000 : 600);
                NEED(has[i] = malloc(size[i]));
                has[i][0] = has[i][size[i] - 1] = (unsigned char)i;
            }
        }
        for (int i = 0; i < HAS; i++) {
            free(has[i]);
            has[i] = NULL;
        }
    }
}
static void handler(void) {
    if (!has_options("rest_delay=0")) return;
    handle();
    churn(check_emulated() ? 100 : 600);
}
static void *churning(void *unused) {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    churn(check_emulated() ? 100 : 600);
    return unused;
}
/* The same in a thread, once with its handlers on another stack. */
static void *churning_elsewhere(void *unused) {
    static char memory[1 << 16];
    stack_t other = {.ss_sp = memory, .ss_size = sizeof memory};
    NEED(sigaltstack(&other, NULL) == 0);
    struct sigaction action = {.sa_handler = waiting_handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
    handled = 0;
    return churning(unused);
}
static void handler_elsewhere(void) {
    if (!has_options("rest_delay=0")) return;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    handle();
    run_thread(churning, NULL);
    run_thread(churning_elsewhere, NULL);
}

/* Many threads that end together leave little, also where nobody waits. */
static pthread_barrier_t together;
static void *filling(void *unused) {
    enum { HAS = 300 };
    void *p[HAS];
    for (int i = 0; i < HAS; i++) {
        NEED(p[i] = malloc(1000));
        memset(p[i], 1, 1000);
    }
    pthread_barrier_wait(&together);
    for (int i = 0; i < HAS; i++) free(p[i]);
    pthread_barrier_wait(&together);
    return unused;
}
static void ended_threads(void) {
    enum { COUNT = 200 };
    static pthread_t t[COUNT];
    if (check_emulated() || !has_options("rest_delay=-1")) return;
    long before = resident(), after = 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    NEED(pthread_attr_setstacksize(&attributes, 32768) == 0);
    NEED(pthread_barrier_init(&together, NULL, COUNT) == 0);
    /* Of 60 MiB: what may stay for the next threads, and their stacks.  Each looks at what others left, and some may look at the same time. */
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < COUNT; i++) NEED(pthread_create(&t[i], &attributes, filling, NULL) == 0);
        for (int i = 0; i < COUNT; i++) NEED(pthread_join(t[i], NULL) == 0);
        if ((after = resident()) - before < 24000) return;
    }
    CHECK(after - before < 24000, "%ld KiB, then %ld KiB", before, after);
}

/* Threads that wait are cancelled there, with what they freed given back, and their handlers run. */
static int cleaned;
static void clean(void *unused) {
    (void)unused;
    cleaned++;
    free(malloc(100));
}
static void *waiting_for_ever(void *how) {
    pthread_cleanup_push(clean, NULL);
    load();
    if (how) pause();
    else poll(NULL, 0, -1);
    pthread_cleanup_pop(0);
    return NULL;
}
static void cancelled(void) {
    for (int n = 0; n < 10; n++) {
        long before = resident();
        pthread_t t;
        void *result;
        NEED(pthread_create(&t, NULL, waiting_for_ever, n % 2 ? &cleaned : NULL) == 0);
        usleep(n * 20000);
        NEED(pthread_cancel(t) == 0);
        NEED(pthread_join(t, &result) == 0);
        CHECK(result == PTHREAD_CANCELED, "%p", result);
        CHECK_SAME(cleaned, n + 1);
        wait_poll();
        if (shows_memory() && n > 0) CHECK(is_back(before, LEFT + 5000), "%ld KiB, then %ld KiB", before, resident());
    }
}
/* One that is cancelled before it waits does not wait. */
static void *waiting_too_late(void *unused) {
    pthread_cleanup_push(clean, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    load();
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    char byte;
    int ends[2] = {-1, -1};
    if (pipe(ends) == 0 && read(ends[0], &byte, 1) >= 0) check_say("it was not cancelled\n");
    pthread_cleanup_pop(0);
    return unused;
}
static void cancelled_at_once(void) {
    pthread_t t;
    void *result;
    alarm(CHECK_HANGS);
    NEED(pthread_create(&t, NULL, waiting_too_late, NULL) == 0);
    NEED(pthread_join(t, &result) == 0);
    CHECK(result == PTHREAD_CANCELED && cleaned == 1, "%p, %d", result, cleaned);
}

/* A thread that only waits gets no heap. (Barriers are no calls that can be cancelled.) */
static pthread_barrier_t barrier;
static void *waiting_only(void *unused) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 5; i++) wait_poll();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return unused;
}
static void no_heap(void) {
    pthread_t t;
    NEED(pthread_barrier_init(&barrier, NULL, 2) == 0);
    NEED(pthread_create(&t, NULL, waiting_only, NULL) == 0);
    pthread_barrier_wait(&barrier);
    long before = check_mapped();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CHECK_SAME(check_mapped(), before);
    pthread_barrier_wait(&barrier);
    NEED(pthread_join(t, NULL) == 0);
}

static void *on_a_small_stack(void *unused) {
    for (int n = 0; n < 20; n++) {
        void *p[20];
        for (int i = 0; i < 20; i++) p[i] = hidden(malloc(3000));
        for (int i = 0; i < 20; i++) free(p[i]);
        poll(NULL, 0, 12);
    }
    return unused;
}
static void smallest_stack(void) {
    pthread_attr_t attributes;
    pthread_t t;
    pthread_attr_init(&attributes);
    NEED(pthread_attr_setstacksize(&attributes, 2048) == 0);
    NEED(pthread_create(&t, &attributes, on_a_small_stack, NULL) == 0);
    NEED(pthread_join(t, NULL) == 0);
}

RUN_CASES({"poll", do_poll}, {"nanosleep", do_nanosleep}, {"epoll", do_epoll}, {"read", do_read}, {"recv", do_recv},
    {"futex", do_futex}, {"semaphore", do_semaphore}, {"child", do_child}, {"by_thread", by_thread}, {"by_others", by_others},
    {"never", never},
    {"keeps_errno", keeps_errno}, {"handler", handler}, {"handler_elsewhere", handler_elsewhere}, {"ended_threads", ended_threads},
    {"cancelled", cancelled}, {"cancelled_at_once", cancelled_at_once}, {"no_heap", no_heap}, {"smallest_stack", smallest_stack})
