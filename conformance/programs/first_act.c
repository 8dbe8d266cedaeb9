//# states: any call may be a thread's very first one, and the process's first may come on any thread
//# link: static static-pie zig
//# case: malloc calloc realloc aligned_alloc posix_memalign memalign valloc reallocarray strdup
//# case: free_null usable_size_null huge_malloc bad_alignment free_foreign realloc_foreign
//# case: asprintf fopen race small_stack fork keeps_errno as_the_next
#include "check.h"
#include <malloc.h>
#include <pthread.h>
#include <sys/wait.h>
#include <limits.h>

static void *foreign[8];
static void use(void *p, size_t n) {
    CHECK(p != NULL, "errno %d", errno);
    if (p) memset(p, 1, n);
    free(p);
}
static void do_malloc(void) { use(malloc(100), 100); }
static void do_calloc(void) {
    char *p = calloc(10, 10);
    CHECK(p && p[99] == 0, "%p", (void *)p);
    use(p, 100);
}
static void do_realloc(void) { use(realloc(NULL, 100), 100); }
static void do_reallocarray(void) { use(reallocarray(NULL, 10, 10), 100); }
static void do_aligned_alloc(void) { use(aligned_alloc(4096, 100), 100); }
static void do_posix_memalign(void) {
    void *p = NULL;
    CHECK_SAME(posix_memalign(&p, 64, 100), 0);
    use(p, 100);
}
static void do_memalign(void) { use(memalign(1 << 20, 100), 100); }
static void do_valloc(void) { use(valloc(100), 100); }
static void do_strdup(void) { use(strdup("a string of its own"), 19); }
static void do_asprintf(void) {
    char *p = NULL;
    CHECK_SAME(asprintf(&p, "%d", 12345), 5);
    use(p, 5);
}
static void do_fopen(void) {
    FILE *f = fopen("/dev/null", "r");
    NEED(f);
    CHECK_SAME(fgetc(f), EOF);
    fclose(f);
}
static void do_free_null(void) { free(hidden(NULL)); }
static void do_usable_size_null(void) { CHECK_SAME(malloc_usable_size(hidden(NULL)), 0); }
static void do_huge_malloc(void) {
    errno = 0;
    CHECK(hidden(malloc(hidden_size(SIZE_MAX))) == NULL, "it succeeded");
    CHECK_SAME(errno, ENOMEM);
}
static void do_bad_alignment(void) {
    void *p;
    CHECK_SAME(posix_memalign(&p, hidden_size(3), 8), EINVAL);
}
static void do_free_foreign(void) {
    for (int i = 0; i < 8; i++) {
        free(foreign[i]);
        foreign[i] = NULL;
    }
}
static void do_realloc_foreign(void) {
    for (int i = 0; i < 8; i++) {
        CHECK_FILLED(foreign[i], 50, 1);
        NEED(foreign[i] = realloc(foreign[i], 5000));
        CHECK_FILLED(foreign[i], 50, 1);
        free(foreign[i]);
        foreign[i] = NULL;
    }
}
static void make_foreign(void) {
    for (int i = 0; i < 8; i++) {
        NEED(foreign[i] = malloc(i < 7 ? 50 : 500000));
        fill(foreign[i], 50, 1);
    }
}

static void *act(void *body) {
    (*(void (**)(void))body)();
    do_malloc();
    return NULL;
}
static void in_thread(void (*body)(void), pthread_attr_t *attributes) {
    pthread_t id;
    NEED(!pthread_create(&id, attributes, act, &body));
    pthread_join(id, NULL);
}
/* On a thread other than main, where it is the process's first call; on another one; on main. */
static void everywhere(void (*body)(void)) {
    in_thread(body, NULL);
    in_thread(body, NULL);
    body();
    in_thread(body, NULL);
}
static void *make_in_thread(void *unused) {
    make_foreign();
    return unused;
}
static void foreign_everywhere(void (*body)(void)) {
    make_foreign();
    in_thread(body, NULL);
    pthread_t id;
    NEED(!pthread_create(&id, NULL, make_in_thread, NULL));
    pthread_join(id, NULL);
    in_thread(body, NULL);
    make_in_thread(NULL);
    body();
}

/* Many threads at once, each with its first call, before main's first. */
static pthread_barrier_t start;
static void *racer(void *unused) {
    pthread_barrier_wait(&start);
    do_malloc();
    do_calloc();
    return unused;
}
static void race(void) {
    for (int round = 0; round < 40; round++) {
        pid_t pid = fork();
        NEED(pid >= 0);
        if (pid == 0) {
            pthread_t ids[8];
            pthread_barrier_init(&start, NULL, 8);
            for (int i = 0; i < 8; i++) NEED(!pthread_create(&ids[i], NULL, racer, NULL));
            for (int i = 0; i < 8; i++) pthread_join(ids[i], NULL);
            _exit(check_result());
        }
        int status = -1;
        NEED(waitpid(pid, &status, 0) == pid);
        CHECK_SAME(status, 0);
    }
}
/* A heap may not need more of a thread's stack than musl's own did. */
static void small_stack(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    NEED(!pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
    void (*bodies[])(void) = {do_malloc, do_calloc, do_realloc, do_aligned_alloc, do_memalign};
    for (int i = 0; i < 5; i++) in_thread(bodies[i], &attributes);
}
static void do_fork(void) {
    pid_t pid = fork();
    NEED(pid >= 0);
    if (pid == 0) {
        do_malloc();
        do_calloc();
        _exit(check_result());
    }
    int status = -1;
    NEED(waitpid(pid, &status, 0) == pid);
    CHECK_SAME(status, 0);
}

static void do_keeps_errno(void) {
    errno = 4711;
    void *p = hidden(malloc(100000));
    CHECK_SAME(errno, 4711);
    use(p, 100000);
    CHECK_SAME(errno, 4711);
}
/* What the kernel's page size decides is decided by it from the first call on. */
static void as_the_next(void) {
    void *p = aligned_alloc(8192, 100);
    use(malloc(100), 100);
    void *q = aligned_alloc(8192, 100);
    size_t first = malloc_usable_size(p), next = malloc_usable_size(q);
    CHECK(first + 16 >= next && next + 16 >= first, "%zu bytes usable, %zu of the next", first, next);
    use(p, 100);
    use(q, 100);
}

#define E(name) \
    static void e_##name(void) { everywhere(do_##name); }
E(malloc)
E(calloc)
E(realloc)
E(reallocarray)
E(aligned_alloc)
E(posix_memalign)
E(memalign)
E(valloc)
E(strdup)
E(asprintf)
E(fopen)
E(free_null)
E(usable_size_null)
E(huge_malloc)
E(bad_alignment)
E(fork)
E(keeps_errno)
static void e_free_foreign(void) { foreign_everywhere(do_free_foreign); }
static void e_realloc_foreign(void) { foreign_everywhere(do_realloc_foreign); }
#define C(name) {#name, e_##name}
RUN_CASES(C(malloc), C(calloc), C(realloc), C(reallocarray), C(aligned_alloc), C(posix_memalign),
    C(memalign), C(valloc), C(strdup), C(asprintf), C(fopen), C(free_null),
    C(usable_size_null), C(huge_malloc), C(bad_alignment), C(fork), C(free_foreign),
    C(realloc_foreign), C(keeps_errno), {"as_the_next", as_the_next}, {"race", race}, {"small_stack", small_stack})
