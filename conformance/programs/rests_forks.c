//# states: fork comes at any instant of a thread's turn before a wait, in the heap's knowledge or without it, and does not take away a thread's heap
//# libc: brawn
//# link: static static-pie lld gc line
//# case: forks forks_silently first_blocks
//# timeout: 60
#include "rests.h"
#include <sys/wait.h>

/* While others give back, and give back after fork. */
static volatile int done;
static void *resting(void *unused) {
    while (!done) {
        void *p[300];
        for (int i = 0; i < 300; i++) NEED(p[i] = malloc(100 + (size_t)i * 100));
        for (int i = 0; i < 300; i++) free(p[i]);
        poll(NULL, 0, 1);
    }
    return unused;
}
static void forks(void) {
    if (!has_options("rest_delay=0")) return;
    pthread_t t[3];
    for (int i = 0; i < 3; i++) NEED(pthread_create(&t[i], NULL, resting, NULL) == 0);
    for (int n = 0; n < 20; n++) {
        pid_t child = fork();
        NEED(child >= 0);
        if (child == 0) {
            alarm(CHECK_HANGS);
            long before = resident();
            load();
            wait_poll();
            if (shows_memory() && !is_back(before, 2 * LEFT)) _exit(3);
            _exit(0);
        }
        int status;
        NEED(waitpid(child, &status, 0) == child);
        CHECK(status == 0, "a child ended with %#x", status);
    }
    done = 1;
    for (int i = 0; i < 3; i++) NEED(pthread_join(t[i], NULL) == 0);
}

/* A child of which the heap is not told may wait, though another thread of its parent was in the middle of anything. (Emulated, its
 * threads share the emulator's locks.) */
pid_t _Fork(void);
static void *ending(void *unused) {
    void *p[50];
    for (int i = 0; i < 50; i++) NEED(p[i] = malloc(1000 + (size_t)i * 100));
    for (int i = 0; i < 50; i++) free(p[i]);
    return unused;
}
static void *making(void *unused) {
    while (!done) run_thread(ending, NULL);
    return unused;
}
static void *forking(void *unused) {
    while (!done) {
        int status;
        pid_t child = fork();
        NEED(child >= 0);
        if (child == 0) _exit(0);
        NEED(waitpid(child, &status, 0) == child);
    }
    return unused;
}
enum { WORKERS = 4 };
static void begin_work(pthread_t t[WORKERS]) {
    void *(*const work[WORKERS])(void *) = {making, making, forking, forking};
    for (int i = 0; i < WORKERS; i++) NEED(pthread_create(&t[i], NULL, work[i], NULL) == 0);
}
static void forks_silently(void) {
    if (check_emulated() || !has_options("rest_delay=0")) return;
    pthread_t t[WORKERS];
    begin_work(t);
    for (int n = 0; n < 30; n++) {
        static void *freed[2000];
        for (int i = 0; i < 2000; i++) NEED(freed[i] = malloc(3000));
        for (int i = 0; i < 2000; i++) free(freed[i]);
        pid_t child = _Fork();
        NEED(child >= 0);
        if (child == 0) {
            alarm(CHECK_HANGS);
            poll(NULL, 0, 1);
            _exit(0);
        }
        int status;
        NEED(waitpid(child, &status, 0) == child);
        CHECK(status == 0, "a child ended with %#x", status);
        if (status) break;
    }
    done = 1;
    for (int i = 0; i < WORKERS; i++) NEED(pthread_join(t[i], NULL) == 0);
}

/* The first blocks of threads come also where these have to wait for them: the heap makes a key, and fork has the lock of the keys. It has it
 * for long where processors are busy. */
static void first_blocks_while_forking(void) {
    pthread_t t[WORKERS];
    alarm(CHECK_HANGS);
    begin_work(t);
    for (int i = 0; i < 2000; i++) NEED(hidden(malloc(3000)));
    poll(NULL, 0, 10);
    _exit(0);
}
static void first_blocks(void) {
    if (check_emulated() || !has_options("rest_delay=0")) return;
    enum { ROUNDS = 12,
        AT_ONCE = 8 };
    for (int n = 0; n < ROUNDS; n++) {
        for (int i = 0; i < AT_ONCE; i++) {
            const pid_t child = fork();
            NEED(child >= 0);
            if (child == 0) first_blocks_while_forking();
        }
        for (int i = 0; i < AT_ONCE; i++) {
            int status;
            NEED(wait(&status) > 0);
            CHECK(status == 0, "a child ended with %#x", status);
        }
    }
}

RUN_CASES({"forks", forks}, {"forks_silently", forks_silently}, {"first_blocks", first_blocks})
