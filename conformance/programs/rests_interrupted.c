//# states: what interrupts a wait does not interrupt the heap's turn before it: a handler may leave the wait by siglongjmp, or allocate, and
//# states: a thread may be cancelled anywhere; all of what was free goes back afterwards
//# libc: brawn rewritten
//# link: static static-pie lld line
//# case: leaves allocates cancelled_anywhere
//# timeout: 60
#include "check.h"
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { LEFT = 4000 }; /* KiB */
static long resident(void) { return check_status("VmRSS:"); }

/* Pages, spans, and mappings of their own: what each part of a turn gives back. */
enum { HAS = 3000 };
static unsigned char *has[HAS];
static size_t size_of(int i) { return i % 100 == 0 ? 300000 : i % 10 == 0 ? 20000 : 16 + (size_t)i; }
static void load(void) {
    for (int i = 0; i < HAS; i++) {
        NEED(has[i] = malloc(size_of(i)));
        memset(has[i], i, size_of(i));
    }
    for (int i = 0; i < HAS; i++) {
        CHECK(has[i][0] == (unsigned char)i && has[i][size_of(i) - 1] == (unsigned char)i, "block %d changed", i);
        free(has[i]);
    }
}
/* Turns may only take a small part of all time, so it may take some waits. */
static void is_back(long before) {
    if (check_emulated()) return;
    for (int i = 0; i < 100 && resident() - before >= LEFT; i++) poll(NULL, 0, 20);
    CHECK(resident() - before < LEFT, "%ld KiB, then %ld KiB", before, resident());
}
static void gives_back(long before) {
    load();
    is_back(before);
}

static volatile sig_atomic_t waits;
static unsigned drawn = 1;
/* A wait with an alarm at its beginning, at another instant each time. */
static void wait_with_alarm(void) {
    drawn = drawn * 1664525 + 1013904223;
    struct itimerval soon = {{0, 0}, {0, 1 + (drawn >> 8) % (drawn >> 31 ? 60 : 500)}};
    waits = 1;
    NEED(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    poll(NULL, 0, 3);
    waits = 0;
}
static void handle(void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
}
static int rounds(void) { return check_emulated() ? 10 : 100; }

static sigjmp_buf out;
static void leave(int number) {
    (void)number;
    if (!waits) return;
    waits = 0;
    siglongjmp(out, 1);
}
static void leaves(void) {
    static volatile int n;
    long before = resident();
    handle(leave);
    for (n = 0; n < rounds(); n++) {
        load();
        if (sigsetjmp(out, 1) == 0) wait_with_alarm();
    }
    gives_back(before);
}

/* It interrupts a function that may be interrupted, so it may call malloc. */
static void allocate(int number) {
    enum { OWN = 200 };
    static unsigned char *own[OWN];
    (void)number;
    if (!waits) return;
    for (int i = 0; i < OWN; i++) {
        size_t n = size_of(i * 7);
        if (own[i]) {
            CHECK(own[i][n - 1] == (unsigned char)i, "the handler's block %d changed", i);
            free(own[i]);
        }
        NEED(own[i] = malloc(n));
        own[i][n - 1] = (unsigned char)i;
    }
}
static void allocates(void) {
    handle(allocate);
    for (int n = 0; n < rounds(); n++) {
        load();
        wait_with_alarm();
    }
    allocate(SIGALRM);
    gives_back(resident());
}

static void *waiting_anywhere(void *unused) {
    load();
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;) poll(NULL, 0, 20);
    return unused;
}
static void cancelled_anywhere(void) {
    long before = resident();
    for (int n = 0; n < rounds() / 4; n++) {
        pthread_t t;
        void *result;
        NEED(pthread_create(&t, NULL, waiting_anywhere, NULL) == 0);
        usleep((n * 37 % 50) * 100);
        if (n % 10 == 0) is_back(before);
        NEED(pthread_cancel(t) == 0);
        NEED(pthread_join(t, &result) == 0);
        CHECK(result == PTHREAD_CANCELED, "%p", result);
    }
    gives_back(before);
}

RUN_CASES({"leaves", leaves}, {"allocates", allocates}, {"cancelled_anywhere", cancelled_anywhere})
