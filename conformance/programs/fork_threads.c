//# states: a child of a multi-threaded fork has a working heap, whatever other threads were doing
//# link: static
//# case: many_forks deep fork_from_thread
//# timeout: 180
//# alone
//# not-covered: qemu/*/deep: qemu-user 7.2 asserts, with stock as well
//# not-covered: qemu/*/fork_from_thread: qemu-user 7.2 may hang, with stock as well
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>

static volatile int over;

static void *allocate(void *argument) {
    uint64_t state = 17 + (size_t)argument;
    void *live[32] = {0};
    while (!over) {
        uint64_t r = next_random(&state);
        free(live[r % 32]);
        live[r % 32] = malloc((r >> 20) % (r % 61 ? 2000 : 200000));
    }
    for (int i = 0; i < 32; i++) free(live[i]);
    return NULL;
}
static void *short_life(void *unused) {
    free(malloc(100));
    free(malloc(100000));
    return unused;
}
/* Threads that begin and end all the time: a fork meets them inside the heap's set-up, too. */
static void *begin_and_end(void *unused) {
    while (!over) {
        pthread_t id;
        if (pthread_create(&id, NULL, short_life, NULL) == 0) pthread_join(id, NULL);
    }
    return unused;
}
static int in_child(int number) {
    void *blocks[10];
    for (size_t i = 0; i < 10; i++) {
        size_t n = i == 9 ? 300000 : 1 + i * 200 + number % 100;
        if (!(blocks[i] = malloc(n))) return 1;
        memset(blocks[i], number, n);
    }
    char *p = realloc(calloc(10, 10), 5000);
    if (!p || p[99] != 0) return 2;
    free(p);
    for (size_t i = 0; i < 10; i++) free(blocks[i]);
    return 0;
}
static void wait_for(pid_t pid, int number) {
    int status = -1;
    NEED(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0, "child %d ended with wait status %#x (14: it hung)", number, status);
}
static void forks(int all, int (*body)(int)) {
    int count = (int)check_share(all);
    void *mine = malloc(1000);
    fill(mine, 1000, 5);
    for (int i = 0; i < count; i++) {
        pid_t pid = fork();
        NEED(pid >= 0);
        if (pid == 0) {
            alarm(CHECK_HANGS);
            if (first_wrong(mine, 1000, 5) != (size_t)-1) _exit(9);
            free(mine);
            _exit(body(i));
        }
        wait_for(pid, i);
    }
    free(mine);
}
static void with_threads(void (*body)(void)) {
    pthread_t ids[3];
    for (size_t i = 0; i < 2; i++) NEED(!pthread_create(&ids[i], NULL, allocate, (void *)i));
    NEED(!pthread_create(&ids[2], NULL, begin_and_end, NULL));
    body();
    over = 1;
    for (size_t i = 0; i < 3; i++) pthread_join(ids[i], NULL);
}
/* In parts, each in a process of its own: under an emulator that keeps something of every thread there
 * was, a fork takes longer each time. */
enum {
    FORKS = 20000,
    PARTS = 10,
};
static void part(void) {
    const char *all = getenv("CONFORMANCE_FORKS");
    forks((all ? atoi(all) : FORKS) / PARTS, in_child);
}
static void many_forks(void) {
    for (int i = 0; i < PARTS; i++) {
        pid_t pid = fork();
        NEED(pid >= 0);
        if (pid == 0) {
            with_threads(part);
            _exit(check_result());
        }
        wait_for(pid, i);
    }
}

/* The child makes threads and forks again. */
static int child_with_threads(int number) {
    pthread_t id;
    if (pthread_create(&id, NULL, short_life, NULL)) return 3;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(CHECK_HANGS);
        _exit(in_child(number));
    }
    int status = -1;
    if (waitpid(pid, &status, 0) != pid || status) return 4;
    if (pthread_join(id, NULL)) return 5;
    return in_child(number);
}
static void five_hundred_deep(void) { forks(500, child_with_threads); }
static void deep(void) { with_threads(five_hundred_deep); }

/* The thread that forks is the child's only one, and its first: main's blocks are there still. */
static void *forking_thread(void *main_block) {
    for (int i = 0; i < (int)check_share(500); i++) {
        pid_t pid = fork();
        NEED(pid >= 0);
        if (pid == 0) {
            alarm(CHECK_HANGS);
            free(main_block);
            int result = in_child(i);
            if (result) _exit(result);
            pthread_exit(NULL); /* the child's last thread: its process ends with 0 */
        }
        wait_for(pid, i);
    }
    return NULL;
}
static void in_forking_thread(void) {
    pthread_t id;
    void *block = malloc(3000);
    NEED(!pthread_create(&id, NULL, forking_thread, block));
    pthread_join(id, NULL);
    free(block);
}
static void fork_from_thread(void) { with_threads(in_forking_thread); }
RUN_CASES({"many_forks", many_forks}, {"deep", deep}, {"fork_from_thread", fork_from_thread})
