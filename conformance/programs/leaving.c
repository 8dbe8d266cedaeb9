//# states: functions of atexit allocate; main may leave through pthread_exit while other threads go on
//# case: atexit atexit_in_thread main_pthread_exit exit_in_thread return_with_threads quick
//# link: static zig
#include "check.h"
#include <pthread.h>

static char *kept;
static int called;

static void work(void) {
    /* qemu-user 7.2 forgets where free addresses are once a mapping has grown over the place at which it would look
       next: with pages of 64 KiB each mmap of one page then fails. There, no block gets a mapping. */
    const size_t limit = check_emulated() ? 20000 : 2000000;
    for (size_t n = 1; n < limit; n = n * 4 + 1) {
        char *p = calloc(1, n);
        if (!p || p[n - 1]) check_failed("calloc(1, %zu): %p\n", n, (void *)p);
        free(realloc(p, n * 2));
    }
}
static void at_exit(void) {
    work();
    called++;
    if (called < 40) NEED(!atexit(at_exit)); /* beyond 32 musl's list is allocated, too */
}
static void judge(void) {
    work();
    if (kept && strcmp(kept, "kept")) check_failed("found %s\n", kept);
    free(kept);
    /* A return value cannot be changed any more by returning. */
    _exit(check_failures ? 1 : (called ? 0 : 4));
}
static void *thread_atexit(void *unused) {
    kept = strdup("kept");
    NEED(!atexit(at_exit));
    return unused;
}
static void do_atexit(void) {
    NEED(!atexit(judge));
    thread_atexit(NULL);
}
static void do_atexit_in_thread(void) {
    pthread_t id;
    NEED(!atexit(judge));
    NEED(!pthread_create(&id, NULL, thread_atexit, NULL));
    pthread_join(id, NULL);
}
static void *go_on(void *main_id) {
    pthread_join(*(pthread_t *)main_id, NULL);
    CHECK(strcmp(kept, "kept") == 0, "found %s", kept);
    called = 1;
    work();
    return NULL;
}
static void do_main_pthread_exit(void) {
    static pthread_t self;
    pthread_t id;
    NEED(!atexit(judge));
    kept = strdup("kept");
    self = pthread_self();
    NEED(!pthread_create(&id, NULL, go_on, &self));
    pthread_detach(id);
    pthread_exit(NULL);
}
static void *leave(void *unused) {
    work();
    called = 1;
    exit(3); /* judge changes it */
    return unused;
}
static void do_exit_in_thread(void) {
    pthread_t id;
    NEED(!atexit(judge));
    NEED(!pthread_create(&id, NULL, leave, NULL));
    for (;;) work();
}
static void *endless(void *unused) {
    for (;;) work();
    return unused;
}
static void do_return_with_threads(void) {
    pthread_t id;
    NEED(!atexit(judge));
    for (int i = 0; i < 3; i++) NEED(!pthread_create(&id, NULL, endless, NULL));
    usleep(20000);
    called = 1;
}
static void quick_judge(void) {
    work();
    _exit(check_result());
}
static void do_quick(void) {
    NEED(!at_quick_exit(quick_judge));
    work();
    quick_exit(5);
}
RUN_CASES({"atexit", do_atexit}, {"atexit_in_thread", do_atexit_in_thread},
    {"main_pthread_exit", do_main_pthread_exit}, {"exit_in_thread", do_exit_in_thread},
    {"return_with_threads", do_return_with_threads}, {"quick", do_quick})
