// Of threads.c: mutexes, and condition variables with them.
#pragma once

// A mutex of each kind.
static struct {
    const char *name;
    int type, robust, protocol, shared;
} kinds[] = {
    {"normal", PTHREAD_MUTEX_NORMAL, 0, 0, 0},
    {"recursive", PTHREAD_MUTEX_RECURSIVE, 0, 0, 0},
    {"errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, 0, 0},
    {"normal shared", PTHREAD_MUTEX_NORMAL, 0, 0, 1},
    {"recursive shared", PTHREAD_MUTEX_RECURSIVE, 0, 0, 1},
    {"robust", PTHREAD_MUTEX_NORMAL, 1, 0, 0},
    {"robust shared errorcheck", PTHREAD_MUTEX_ERRORCHECK, 1, 0, 1},
    {"inheriting", PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_INHERIT, 0},
    {"inheriting robust shared", PTHREAD_MUTEX_RECURSIVE, 1, PTHREAD_PRIO_INHERIT, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Whether there is such a one: the kernel, or what runs the program, may not have it.
static int make(pthread_mutex_t *m, int kind) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    IS(0, pthread_mutexattr_settype(&a, kinds[kind].type));
    if (kinds[kind].protocol && pthread_mutexattr_setprotocol(&a, kinds[kind].protocol)) return 0;
    if (kinds[kind].robust && pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST)) return 0;
    IS(0, pthread_mutexattr_setpshared(&a, kinds[kind].shared));
    return !pthread_mutex_init(m, &a);
}

// Exclusion and progress.
static pthread_mutex_t m;
static volatile long counter, inside;
static long rounds;
static int has_condition;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *adds(void *unused) {
    unsigned h = (uintptr_t)&h >> 8;
    for (long i = 0; i < rounds; i++) {
        h = h * 1103515245 + 12345;
        switch (h >> 29) {
        case 0:
            while (pthread_mutex_trylock(&m)) sched_yield();
            break;
        case 1: {
            struct timespec until = in(100000);
            IS(0, pthread_mutex_timedlock(&m, &until));
            break;
        }
        case 2: {
            // Gives up now and then.
            struct timespec until = in(0);
            int error;
            while ((error = pthread_mutex_timedlock(&m, &until))) {
                if (error != ETIMEDOUT) FAIL("timedlock is %d", error);
            }
            break;
        }
        default: IS(0, pthread_mutex_lock(&m));
        }
        if (inside++) FAIL("two hold it");
        counter++;
        if (!(h >> 8 & 255)) sched_yield();
        if (has_condition && !(h >> 16 & 15)) {
            inside--;
            struct timespec until = in(1);
            if (h >> 20 & 1) pthread_cond_broadcast(&condition);
            else if (h >> 21 & 1) pthread_cond_signal(&condition);
            else pthread_cond_timedwait(&condition, &m, &until);
            if (inside++) FAIL("two hold it behind a wait");
        }
        inside--;
        IS(0, pthread_mutex_unlock(&m));
    }
    return unused;
}

static void exclusion(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        for (int threads = 1; threads <= THREADS; threads *= 2) {
            for (has_condition = 0; has_condition < 2; has_condition++) {
                doing = kinds[kind].name;
                if (!make(&m, kind)) continue;
                rounds = (has_condition ? 2000 : 20000) / threads / share + 1;
                if (kinds[kind].protocol) rounds = rounds / 20 + 1;
                counter = 0;
                run(threads, adds, NULL);
                if (counter != rounds * threads) FAIL("%ld of %ld", counter, rounds * threads);
                IS(0, pthread_mutex_destroy(&m));
            }
        }
    }
}

// What calls return.
static void *tries(void *expected) {
    struct timespec past = in(-1000), soon = in(5), wrong = {in(0).tv_sec + 100, 1000000000};
    IS((int)(intptr_t)expected, pthread_mutex_trylock(&m));
    IS(ETIMEDOUT, pthread_mutex_timedlock(&m, &past));
    IS(ETIMEDOUT, pthread_mutex_timedlock(&m, &soon));
    IS(EINVAL, pthread_mutex_timedlock(&m, &wrong));
    return NULL;
}

static void results(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        doing = kinds[kind].name;
        const int type = kinds[kind].type;
        if (kinds[kind].protocol || !make(&m, kind)) continue;
        struct timespec wrong = {0, -1}, soon = in(5);
        IS(0, pthread_mutex_timedlock(&m, &wrong));
        if (type == PTHREAD_MUTEX_RECURSIVE) {
            IS(0, pthread_mutex_lock(&m));
            IS(0, pthread_mutex_trylock(&m));
            IS(0, pthread_mutex_timedlock(&m, &soon));
        } else {
            IS(EBUSY, pthread_mutex_trylock(&m));
            if (type == PTHREAD_MUTEX_ERRORCHECK) IS(EDEADLK, pthread_mutex_lock(&m));
            else IS(ETIMEDOUT, pthread_mutex_timedlock(&m, &soon));
        }
        run(1, tries, (void *)EBUSY);
        if (type == PTHREAD_MUTEX_RECURSIVE) {
            for (int i = 0; i < 3; i++) IS(0, pthread_mutex_unlock(&m));
            run(1, tries, (void *)EBUSY);
        }
        IS(0, pthread_mutex_unlock(&m));
        if (type != PTHREAD_MUTEX_NORMAL || kinds[kind].robust) IS(EPERM, pthread_mutex_unlock(&m));
        IS(0, pthread_mutex_trylock(&m));
        IS(0, pthread_mutex_unlock(&m));
    }
}

// Those that have an owner are in one list, whoever locks and unlocks them, in any order: the list says whose they are when the
// owner ends.
static pthread_mutex_t several[4];
static const char orders[][4] = {"012", "021", "102", "120", "201", "210"};

static void *ends_with_two(void *order) {
    const char *const o = order;
    for (int i = 0; i < 4; i++) IS(0, i & 1 ? pthread_mutex_trylock(&several[i]) : pthread_mutex_lock(&several[i]));
    IS(0, pthread_mutex_lock(&several[o[0] - '0']));
    for (int i = 0; i < 2; i++) IS(0, pthread_mutex_unlock(&several[o[0] - '0']));
    IS(0, pthread_mutex_unlock(&several[o[1] - '0']));
    return NULL;
}

static void held_together(void) {
    doing = "several that are held";
    for (int alone = 0; alone < 2; alone++) {
        for (int turn = 0; turn < 6; turn++) {
            // Recursive ones, and the last is robust.
            for (int i = 0; i < 3; i++) make(&several[i], 1);
            if (!make(&several[3], 5)) return;
            const char *const o = orders[turn];
            if (alone) {
                IS(0, pthread_mutex_lock(&several[3]));
                for (int i = 0; i < 3; i++) IS(0, pthread_mutex_lock(&several[i]));
                for (int i = 0; i < 3; i++) IS(0, pthread_mutex_unlock(&several[o[i] - '0']));
                for (int i = 0; i < 3; i++) IS(EPERM, pthread_mutex_unlock(&several[i]));
                IS(0, pthread_mutex_unlock(&several[3]));
            }
            run(1, ends_with_two, (void *)(uintptr_t)o);
            for (int i = 0; i < 2; i++) {
                IS(0, pthread_mutex_lock(&several[o[i] - '0']));
                IS(0, pthread_mutex_unlock(&several[o[i] - '0']));
            }
            struct timespec soon = in(1);
            IS(EBUSY, pthread_mutex_trylock(&several[o[2] - '0']));
            IS(ETIMEDOUT, pthread_mutex_timedlock(&several[o[2] - '0'], &soon));
            IS(EOWNERDEAD, pthread_mutex_lock(&several[3]));
            IS(0, pthread_mutex_unlock(&several[3]));
        }
    }
    doing = "locked too often";
    make(&m, 1);
    IS(0, pthread_mutex_lock(&m));
    // musl's _m_count.
    ((int *)&m)[5] = 0x7ffffffe;
    IS(0, pthread_mutex_lock(&m));
    IS(EAGAIN, pthread_mutex_lock(&m));
    ((int *)&m)[5] = 0;
    IS(0, pthread_mutex_unlock(&m));
}

// musl's own locks look at a byte that says whether there are other threads: they are none without it.
extern struct {
    char can_have_threads, has_threads, is_privileged;
    volatile signed char needs_locks;
} __libc;
static volatile int looked;

static void *waits_for_a_look(void *unused) {
    while (!looked) sched_yield();
    return unused;
}

static void musls_locks(void) {
    doing = "musl's own locks";
    for (int turn = 0; turn < 3; turn++) {
        pthread_t other;
        looked = 0;
        IS(0, pthread_create(&other, NULL, waits_for_a_look, NULL));
        IS(1, __libc.needs_locks);
        looked = 1;
        IS(0, pthread_join(other, NULL));
        // The next that takes one makes 0 of it.
        IS(1, __libc.needs_locks <= 0);
    }
    // One that cannot begin is none of them.
    IS(0, setlocale(LC_ALL, NULL) == NULL);
    IS(0, __libc.needs_locks);
    pthread_t none;
    pthread_attr_t a;
    struct sched_param p = {.sched_priority = 99};
    IS(0, pthread_attr_init(&a));
    IS(0, pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
    IS(0, pthread_attr_setschedpolicy(&a, 77));
    IS(0, pthread_attr_setschedparam(&a, &p));
    IS(EINVAL, pthread_create(&none, &a, waits_for_a_look, NULL));
    IS(0, __libc.needs_locks);
}

// An owner that ends.
static void *holds(void *unused) {
    IS(0, pthread_mutex_lock(&m));
    usleep(3000);
    return unused;
}

static void owners(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        doing = kinds[kind].name;
        if (!kinds[kind].robust || kinds[kind].protocol) continue;
        for (int waits = 0; waits < 2; waits++) {
            if (!make(&m, kind)) continue;
            pthread_t other;
            IS(0, pthread_create(&other, NULL, holds, NULL));
            if (!waits) IS(0, pthread_join(other, NULL));
            else usleep(1000);
            int result = pthread_mutex_lock(&m);
            // It may not have had it yet.
            if (!result) {
                IS(0, pthread_mutex_unlock(&m));
                IS(0, pthread_join(other, NULL));
                waits = 2;
                result = pthread_mutex_lock(&m);
            }
            if (result != EOWNERDEAD) FAIL("the owner's end is %d", result);
            if (waits == 1) IS(0, pthread_join(other, NULL));
            IS(0, pthread_mutex_consistent(&m));
            IS(0, pthread_mutex_unlock(&m));
            run(1, holds, NULL);
            IS(EOWNERDEAD, pthread_mutex_trylock(&m));
            IS(0, pthread_mutex_unlock(&m));
            IS(ENOTRECOVERABLE, pthread_mutex_lock(&m));
            IS(ENOTRECOVERABLE, pthread_mutex_trylock(&m));
        }
    }
}

// Many wait for a condition and are told at once, while others want the mutex: each of them must wake.
static int waiting, told;

static void *waits(void *unused) {
    IS(0, pthread_mutex_lock(&m));
    const int turn = told;
    waiting++;
    while (told == turn) IS(0, pthread_cond_wait(&condition, &m));
    if (inside++) FAIL("two hold it");
    counter++;
    inside--;
    IS(0, pthread_mutex_unlock(&m));
    return unused;
}

static void *wants(void *unused) {
    for (int i = 0; i < 20; i++) {
        IS(0, pthread_mutex_lock(&m));
        if (inside++) FAIL("two hold it");
        counter++;
        inside--;
        IS(0, pthread_mutex_unlock(&m));
    }
    return unused;
}

static void requeue(void) {
    for (int kind = 0; kind < 4; kind++) {
        doing = kinds[kind].name;
        if (!make(&m, kind)) continue;
        for (int turn = 0; turn < 600 / share; turn++) {
            pthread_t all[THREADS];
            waiting = counter = 0;
            for (int i = 0; i < THREADS / 2; i++) IS(0, pthread_create(&all[i], NULL, waits, NULL));
            for (;; sched_yield()) {
                IS(0, pthread_mutex_lock(&m));
                if (waiting == THREADS / 2) break;
                IS(0, pthread_mutex_unlock(&m));
            }
            // They queue up at the mutex, and those who are told behind and before them.
            for (int i = THREADS / 2; i < THREADS; i++) IS(0, pthread_create(&all[i], NULL, wants, NULL));
            if (turn & 1) usleep(300);
            told++;
            IS(0, pthread_cond_broadcast(&condition));
            IS(0, pthread_mutex_unlock(&m));
            for (int i = 0; i < THREADS; i++) IS(0, pthread_join(all[i], NULL));
            if (counter != THREADS / 2 * 21) FAIL("%ld came", counter);
        }
    }
}
