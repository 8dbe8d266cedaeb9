// Of threads.c: locks for readers and writers, semaphores, and cancellation.
#pragma once

// Readers and writers.
static pthread_rwlock_t l;
static volatile long written[2], readers;

static void *reads_and_writes(void *unused) {
    unsigned h = (uintptr_t)&h >> 8;
    for (long i = 0; i < rounds; i++) {
        h = h * 1103515245 + 12345;
        struct timespec until = in(h >> 24 & 1);
        int error = 0;
        if (h >> 28 < 3) {
            if (h >> 27 & 1) IS(0, pthread_rwlock_wrlock(&l));
            else if ((error = h >> 26 & 1 ? pthread_rwlock_trywrlock(&l) : pthread_rwlock_timedwrlock(&l, &until))) {
                if (error != EBUSY && error != ETIMEDOUT) FAIL("a writer's try is %d", error);
                continue;
            }
            if (readers || written[0] != written[1]) FAIL("a writer is not alone");
            written[0]++;
            if (!(h >> 8 & 63)) sched_yield();
            written[1]++;
            __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
        } else {
            if (h >> 27 & 1) IS(0, pthread_rwlock_rdlock(&l));
            else if ((error = h >> 26 & 1 ? pthread_rwlock_tryrdlock(&l) : pthread_rwlock_timedrdlock(&l, &until))) {
                if (error != EBUSY && error != ETIMEDOUT) FAIL("a reader's try is %d", error);
                continue;
            }
            __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
            // Again, whoever waits.
            if (!(h >> 16 & 7)) IS(0, pthread_rwlock_rdlock(&l));
            if (written[0] != written[1]) FAIL("a reader sees a writer");
            if (!(h >> 8 & 63)) sched_yield();
            if (written[0] != written[1]) FAIL("a reader sees a writer");
            if (!(h >> 16 & 7)) IS(0, pthread_rwlock_unlock(&l));
            __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
        }
        IS(0, pthread_rwlock_unlock(&l));
    }
    return unused;
}

static void *finds_writer(void *unused) {
    struct timespec soon = in(5), wrong = {in(0).tv_sec + 100, 1000000000};
    IS(EBUSY, pthread_rwlock_tryrdlock(&l));
    IS(EBUSY, pthread_rwlock_trywrlock(&l));
    IS(ETIMEDOUT, pthread_rwlock_timedrdlock(&l, &soon));
    IS(ETIMEDOUT, pthread_rwlock_timedwrlock(&l, &soon));
    IS(EINVAL, pthread_rwlock_timedrdlock(&l, &wrong));
    return unused;
}

static void *finds_reader(void *unused) {
    struct timespec soon = in(5), wrong = {in(0).tv_sec + 100, 1000000000};
    IS(EBUSY, pthread_rwlock_trywrlock(&l));
    IS(ETIMEDOUT, pthread_rwlock_timedwrlock(&l, &soon));
    IS(EINVAL, pthread_rwlock_timedwrlock(&l, &wrong));
    IS(0, pthread_rwlock_tryrdlock(&l));
    IS(0, pthread_rwlock_timedrdlock(&l, &soon));
    IS(0, pthread_rwlock_unlock(&l));
    IS(0, pthread_rwlock_unlock(&l));
    return unused;
}

static void *writes_once(void *unused) {
    IS(0, pthread_rwlock_wrlock(&l));
    counter++;
    IS(0, pthread_rwlock_unlock(&l));
    return unused;
}

static void read_write(void) {
    for (int shared = 0; shared < 2; shared++) {
        doing = shared ? "shared rwlock" : "rwlock";
        pthread_rwlockattr_t a;
        pthread_rwlockattr_init(&a);
        IS(0, pthread_rwlockattr_setpshared(&a, shared));
        IS(0, pthread_rwlock_init(&l, &a));
        for (int threads = 1; threads <= THREADS; threads *= 2) {
            rounds = 40000 / threads / share + 1;
            written[0] = written[1] = counter = 0;
            run(threads, reads_and_writes, NULL);
            if (written[0] != counter || written[1] != counter) FAIL("%ld written of %ld", written[0], counter);
            IS(0, pthread_rwlock_trywrlock(&l));
            run(1, finds_writer, NULL);
            IS(0, pthread_rwlock_unlock(&l));
            IS(0, pthread_rwlock_rdlock(&l));
            run(1, finds_reader, NULL);
            // A writer waits, and readers come all the same; the last lets it in.
            counter = 0;
            pthread_t writer;
            IS(0, pthread_create(&writer, NULL, writes_once, NULL));
            usleep(2000);
            IS(0, pthread_rwlock_rdlock(&l));
            if (counter) FAIL("a writer came in");
            IS(0, pthread_rwlock_unlock(&l));
            IS(0, pthread_rwlock_unlock(&l));
            IS(0, pthread_join(writer, NULL));
            if (counter != 1) FAIL("the writer was not there");
        }
        IS(0, pthread_rwlock_destroy(&l));
    }
}

// Semaphores.
static sem_t full, empty;

static void *puts_in(void *unused) {
    for (long i = 0; i < rounds; i++) {
        while (sem_wait(&empty)) IS(EINTR, errno);
        IS(0, sem_post(&full));
    }
    return unused;
}

static void *takes_out(void *unused) {
    for (long i = 0; i < rounds; i++) {
        struct timespec soon = in(i & 1);
        if (i % 3)
            while (sem_wait(&full)) IS(EINTR, errno);
        else
            while (sem_timedwait(&full, &soon)) {
                if (errno != ETIMEDOUT && errno != EINTR) FAIL("sem_timedwait: %d", errno);
            }
        __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
        IS(0, sem_post(&empty));
    }
    return unused;
}

static void *either(void *number) {
    return __atomic_fetch_add((int *)number, 1, __ATOMIC_RELAXED) & 1 ? puts_in(NULL) : takes_out(NULL);
}

static void semaphores(void) {
    doing = "semaphore";
    for (int shared = 0; shared < 2; shared++) {
        for (int threads = 2; threads <= THREADS; threads *= 2) {
            int number = 0, value;
            IS(0, sem_init(&full, shared, 0));
            IS(0, sem_init(&empty, shared, 3));
            rounds = 8000 / threads / share + 1;
            counter = 0;
            run(threads, either, &number);
            if (counter != rounds * threads / 2) FAIL("%ld taken", counter);
            IS(0, sem_getvalue(&full, &value));
            IS(0, value);
            IS(0, sem_getvalue(&empty, &value));
            IS(3, value);
            struct timespec soon = in(3), wrong = {in(0).tv_sec + 100, 1000000000};
            IS(-1, sem_timedwait(&full, &soon));
            IS(ETIMEDOUT, errno);
            IS(-1, sem_timedwait(&full, &wrong));
            IS(EINVAL, errno);
            IS(-1, sem_trywait(&full));
            IS(EAGAIN, errno);
        }
    }
}

static void interrupts(int signal) { (void)signal; }

static void *waits_interrupted(void *unused) {
    IS(-1, sem_wait(&full));
    IS(EINTR, errno);
    counter = 1;
    return unused;
}

static void interruption(void) {
    doing = "a signal in sem_wait";
    struct sigaction a = {.sa_handler = interrupts};
    sigaction(SIGUSR1, &a, NULL);
    IS(0, sem_init(&full, 0, 0));
    pthread_t other;
    counter = 0;
    IS(0, pthread_create(&other, NULL, waits_interrupted, NULL));
    while (!counter) {
        usleep(1000);
        if (!counter) pthread_kill(other, SIGUSR1);
    }
    IS(0, pthread_join(other, NULL));
}

// A thread whose time is up leaves a condition variable's list under its own lock, which it unlocks last; by then others may
// wish to free it.  So signalling waits for that lock, though nobody is in the list.
static void *signals(void *all) {
    IS(0, all ? pthread_cond_broadcast(&condition) : pthread_cond_signal(&condition));
    __atomic_store_n(&counter, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void left_late(void) {
    doing = "a condition variable that is being left";
    int *const lock = (int *)&condition + 8;
    for (int all = 0; all < 2; all++) {
        pthread_t other;
        counter = 0;
        __atomic_store_n(lock, 1, __ATOMIC_SEQ_CST);
        IS(0, pthread_create(&other, NULL, signals, all ? &condition : NULL));
        usleep(20000);
        if (__atomic_load_n(&counter, __ATOMIC_SEQ_CST)) FAIL("signalled before it was left");
        __atomic_store_n(lock, 0, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, lock, 1 | 128, 1, NULL);
        IS(0, pthread_join(other, NULL));
    }
}

// Cancellation.
static void left(void *is_held) {
    if (is_held) {
        // The mutex is held again, as the thread had it.
        IS(EBUSY, pthread_mutex_trylock(&m));
        IS(0, pthread_mutex_unlock(&m));
    }
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
}

static void *waits_for_ever(void *which) {
    const int is_condition = (intptr_t)which == 1;
    if (is_condition) IS(0, pthread_mutex_lock(&m));
    pthread_cleanup_push(left, (void *)(intptr_t)is_condition);
    __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        if (is_condition) pthread_cond_wait(&condition, &m);
        else sem_wait(&full);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *locks_for_ever(void *unused) {
    readers++;
    // Not a cancellation point.
    IS(0, pthread_mutex_lock(&m));
    IS(0, pthread_mutex_unlock(&m));
    counter++;
    pthread_testcancel();
    counter++;
    return unused;
}

static void cancellation(void) {
    doing = "cancellation";
    for (int kind = 0; kind < 4; kind++) {
        if (kinds[kind].type == PTHREAD_MUTEX_RECURSIVE || !make(&m, kind)) continue;
        for (int which = 0; which < 3; which++) {
            for (int turn = 0; turn < 60 / share + 1; turn++) {
                pthread_t all[4];
                counter = readers = 0;
                IS(0, sem_init(&full, 0, 0));
                if (which == 2) IS(0, pthread_mutex_lock(&m));
                const int n = which == 2 ? 1 : 4;
                for (int i = 0; i < n; i++) IS(0, pthread_create(&all[i], NULL, which == 2 ? locks_for_ever : waits_for_ever, (void *)(intptr_t)which));
                while (readers < n) sched_yield();
                if (turn & 1) usleep(500);
                for (int i = 0; i < n; i++) IS(0, pthread_cancel(all[i]));
                if (which == 2) {
                    if (counter) FAIL("pthread_mutex_lock is no cancellation point");
                    IS(0, pthread_mutex_unlock(&m));
                }
                for (int i = 0; i < n; i++) {
                    void *result;
                    IS(0, pthread_join(all[i], &result));
                    if (result != PTHREAD_CANCELED) FAIL("not cancelled");
                }
                IS(n, counter);
                // Nobody is left behind.
                IS(0, pthread_mutex_trylock(&m));
                IS(0, pthread_mutex_unlock(&m));
                if (which == 0) {
                    IS(0, sem_post(&full));
                    IS(0, sem_wait(&full));
                }
            }
        }
    }
}
