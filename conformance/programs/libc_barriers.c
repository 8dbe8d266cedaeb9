//# states: barriers let nobody on before all have come, in threads and in processes, and may be destroyed then
//# case: threads processes
//# link: static static-pie
#include "guarded.h"
#include <pthread.h>

/* Threads that meet: nobody goes on before all have come, and one of them is told that it is the first. */
typedef struct {
    pthread_barrier_t barrier;
    long came, firsts;
} Meeting;
enum {
    MOST = 4,
    MEETINGS = 300,
};

static void meet(Meeting *m, int threads, int is_late) {
    for (int i = 0; i < MEETINGS; i++) {
        if (is_late && i % 16 == 0) usleep(200);
        __atomic_fetch_add(&m->came, 1, __ATOMIC_SEQ_CST);
        int result = pthread_barrier_wait(&m->barrier);
        CHECK(__atomic_load_n(&m->came, __ATOMIC_SEQ_CST) >= (long)threads * (i + 1), "in round %d of %d threads", i, threads);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD, "%d", result);
        if (result) __atomic_fetch_add(&m->firsts, 1, __ATOMIC_SEQ_CST);
    }
}
static Meeting here;
static int meeting_threads, late_one;
static void *meets(void *unused) {
    meet(&here, meeting_threads, __atomic_fetch_add(&late_one, 1, __ATOMIC_RELAXED) == 0);
    return unused;
}

static void threads(void) {
    for (meeting_threads = 1; meeting_threads <= MOST; meeting_threads++) {
        here = (Meeting){0};
        late_one = 0;
        NEED(pthread_barrier_init(&here.barrier, NULL, (unsigned)meeting_threads) == 0);
        pthread_t all[MOST];
        for (int i = 0; i < meeting_threads; i++) NEED(pthread_create(&all[i], NULL, meets, NULL) == 0);
        for (int i = 0; i < meeting_threads; i++) NEED(pthread_join(all[i], NULL) == 0);
        CHECK_SAME(here.firsts, MEETINGS);
        CHECK_SAME(pthread_barrier_destroy(&here.barrier), 0);
    }
}

static void processes(void) {
    Meeting *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t a;
    NEED(m != MAP_FAILED && pthread_barrierattr_init(&a) == 0 && pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED) == 0);
    NEED(pthread_barrier_init(&m->barrier, &a, 2) == 0);
    pid_t child = fork();
    NEED(child >= 0);
    meet(m, 2, !child);
    if (!child) _exit(check_result());
    int status;
    NEED(waitpid(child, &status, 0) == child);
    CHECK_SAME(status, 0);
    CHECK_SAME(m->firsts, MEETINGS);
    CHECK_SAME(pthread_barrier_destroy(&m->barrier), 0);
}

RUN_CASES({"threads", threads}, {"processes", processes})
