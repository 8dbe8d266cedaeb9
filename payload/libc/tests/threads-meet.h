// Of threads.c: barriers, and semaphores that a signal's handler posts.
#pragma once

struct meet {
    pthread_barrier_t b;
    volatile int came, firsts, is_late;
};
static struct meet *place;
static int meeting_threads;

// Each comes `rounds` times.  Nobody is let through before all have come; one of them is told that it is the first.
static void *meets(void *unused) {
    unsigned h = (uintptr_t)&h >> 8;
    for (long i = 0; i < rounds; i++) {
        h = h * 1103515245 + 12345;
        if (!(h >> 24 & 31)) sched_yield();
        if (place->is_late && !(h >> 16 & 15)) usleep(100);
        __atomic_fetch_add(&place->came, 1, __ATOMIC_SEQ_CST);
        const int result = pthread_barrier_wait(&place->b);
        const int came = __atomic_load_n(&place->came, __ATOMIC_SEQ_CST);
        if (came < (i + 1) * meeting_threads) FAIL("of %d threads in round %ld, %d came", meeting_threads, i, came);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) __atomic_fetch_add(&place->firsts, 1, __ATOMIC_SEQ_CST);
        else IS(0, result);
        // One more, so that nobody is a round ahead of a look at `came`.
        if (!(i & 3)) {
            pthread_barrier_wait(&place->b);
            if (__atomic_load_n(&place->came, __ATOMIC_SEQ_CST) >= (i + 2) * meeting_threads) FAIL("a round ahead");
        }
    }
    return unused;
}

// The first one frees it at once; the others are let go, and touch nothing of it.
static void *meets_and_frees(void *page) {
    const int result = pthread_barrier_wait(page);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
        IS(0, pthread_barrier_destroy(page));
        IS(0, munmap(page, 4096));
    }
    return NULL;
}

static void barriers(void) {
    place = mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int shared = 0; shared < 2; shared++) {
        doing = shared ? "shared barrier" : "barrier";
        pthread_barrierattr_t a;
        pthread_barrierattr_init(&a);
        IS(0, pthread_barrierattr_setpshared(&a, shared));
        for (int late = 0; late < 2; late++) {
            for (int threads = 1; threads <= THREADS; threads = threads < 4 ? threads + 1 : threads * 2) {
                memset(place, 0, sizeof *place);
                place->is_late = late;
                meeting_threads = threads;
                rounds = (late ? 400 : 4000) / threads / share + 4;
                IS(0, pthread_barrier_init(&place->b, &a, threads));
                run(threads, meets, NULL);
                IS((int)rounds, place->firsts);
                IS(0, pthread_barrier_destroy(&place->b));
            }
        }
        doing = "a barrier that is unmapped then";
        for (int turn = 0; turn < 2000 / share; turn++) {
            const int threads = 2 + turn % 3;
            pthread_t all[4];
            void *const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            IS(0, pthread_barrier_init(page, &a, threads));
            for (int i = 0; i < threads; i++) IS(0, pthread_create(&all[i], NULL, meets_and_frees, page));
            for (int i = 0; i < threads; i++) IS(0, pthread_join(all[i], NULL));
        }
        if (!shared) continue;
        doing = "a barrier of processes";
        memset(place, 0, sizeof *place);
        meeting_threads = 2;
        rounds = 1000 / share;
        IS(0, pthread_barrier_init(&place->b, &a, 2));
        const pid_t child = fork();
        meets(NULL);
        if (!child) _exit(0);
        int status;
        while (waitpid(child, &status, 0) < 0) IS(EINTR, errno);
        IS(0, status);
        IS((int)rounds, place->firsts);
    }
}

// While there is one thread, a handler may come in between any two instructions.
static sem_t posted;
static volatile long handled;

static void posts(int signal) {
    (void)signal;
    if (!sem_post(&posted)) handled++;
}

static void handlers(void) {
    doing = "semaphores that handlers post";
    IS(0, sem_init(&posted, 0, 0));
    signal(SIGUSR2, posts);
    // Not the timer that ends what hangs.
    struct sigevent told = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    const struct itimerspec often = {{0, 20000}, {0, 20000}};
    timer_t timer;
    IS(0, timer_create(CLOCK_MONOTONIC, &told, &timer));
    long taken = 0, put = 0;
    IS(0, timer_settime(timer, 0, &often, NULL));
    while (handled < 20000 / share) {
        for (int i = 0; i < 100; i++) {
            IS(0, sem_post(&posted));
            put++;
            IS(0, sem_wait(&posted));
            taken++;
            if (i % 7 == 0 && !sem_trywait(&posted)) taken++;
        }
    }
    IS(0, timer_delete(timer));
    signal(SIGUSR2, SIG_DFL);
    int left_over;
    IS(0, sem_getvalue(&posted, &left_over));
    if (left_over != handled + put - taken) FAIL("%ld and %ld posted, %ld taken, %d left", handled, put, taken, left_over);

    doing = "a semaphore's highest value";
    IS(0, sem_init(&posted, 0, INT_MAX));
    IS(-1, sem_post(&posted));
    IS(EOVERFLOW, errno);
    IS(0, sem_trywait(&posted));
    IS(0, sem_post(&posted));
    IS(-1, sem_post(&posted));
}
