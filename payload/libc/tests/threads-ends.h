// Of threads.c: how threads begin and end, alone and in crowds, and where.
#pragma once

static __thread int begun_with = 7;
static __thread char zeros[300];
static pthread_key_t own_key;
static volatile int destroyed;

static void destroys(void *value) {
    __atomic_fetch_add(&destroyed, 1, __ATOMIC_SEQ_CST);
    // Once more, and once more, up to four times in all.
    if ((uintptr_t)value < 9) pthread_setspecific(own_key, (void *)((uintptr_t)value + 1));
}

// What every thread finds, whoever had its stack before.
static void *finds_all_new(void *argument) {
    volatile char deep[24 << 10];
    deep[0] = deep[sizeof deep - 1] = 1;
    if (begun_with != 7) FAIL("a thread-local begins with %d", begun_with);
    for (size_t i = 0; i < sizeof zeros; i++)
        if (zeros[i]) FAIL("a thread-local begins with %d", zeros[i]);
    if (pthread_getspecific(own_key)) FAIL("a key's value is not NULL");
    IS(0, errno);
    begun_with = 8;
    errno = 5;
    memset(zeros, 1, sizeof zeros);
    sigset_t signals;
    IS(0, pthread_sigmask(SIG_BLOCK, NULL, &signals));
    IS(0, sigismember(&signals, SIGUSR2));
    IS(0, pthread_setspecific(own_key, (void *)1));
    return argument;
}

static void *detaches_itself(void *argument) {
    IS(0, pthread_detach(pthread_self()));
    finds_all_new(argument);
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    return argument;
}

static void *is_detached(void *argument) {
    finds_all_new(argument);
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    pthread_exit(argument);
}

static void lives(void) {
    doing = "threads one after the other";
    IS(0, pthread_key_create(&own_key, destroys));
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    IS(0, pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED));
    counter = destroyed = 0;
    const int turns = 1500 / share;
    for (intptr_t i = 0; i < turns; i++) {
        pthread_t one, two, three;
        void *result = NULL;
        IS(0, pthread_create(&one, NULL, finds_all_new, (void *)i));
        IS(0, pthread_create(&two, &detached, is_detached, NULL));
        IS(0, pthread_create(&three, NULL, i & 1 ? detaches_itself : is_detached, NULL));
        if (!(i & 1)) IS(0, pthread_detach(three));
        IS(0, pthread_join(one, &result));
        if ((intptr_t)result != i) FAIL("the result is %p", result);
    }
    while (counter < 2 * turns || destroyed < 4 * 3 * turns) sched_yield();
    IS(4 * 3 * turns, destroyed);
    IS(0, pthread_key_delete(own_key));
    IS(0, pthread_key_create(&own_key, NULL));
}

// Stacks of all kinds.
struct stack {
    size_t size, guard;
    char *at;
};

static void *measures(void *argument) {
    const struct stack *const s = argument;
    pthread_attr_t a;
    void *low;
    size_t size, guard;
    IS(0, pthread_getattr_np(pthread_self(), &a));
    IS(0, pthread_attr_getstack(&a, &low, &size));
    IS(0, pthread_attr_getguardsize(&a, &guard));
    if (s->at) {
        if (low != s->at || size > s->size || size < s->size - 4096) FAIL("the stack is at %p, %zu bytes", low, size);
    } else if (size < s->size || size > s->size + 65536 || guard != s->guard) {
        FAIL("the stack has %zu bytes and the guard %zu", size, guard);
    }
    if ((char *)&a < (char *)low || (char *)&a > (char *)low + size) FAIL("the thread is not on its stack");
    // All of it can be used, and is when it was used before.
    const uintptr_t own = (uintptr_t)&a - 4096;
    for (char *p = low; (uintptr_t)p < own; p += 4096) *(volatile char *)p = 1;
    return (char *)low - 1;
}

static void *touches(void *p) {
    *(volatile char *)p = 1;
    return NULL;
}

static void stacks(void) {
    static const struct stack kinds[] = {
        // The first two are as large with their guards: each must not get the other's.
        {131072, 8192, NULL},
        {122880, 16384, NULL},
        {16384, 4096, NULL},
        {262144, 65536, NULL},
        {2 << 20, 4096, NULL},
        {8 << 20, 4096, NULL},
        {131072, 0, NULL},
        {48 << 20, 4096, NULL},
    };
    doing = "stacks of many sizes";
    for (int turn = 0; turn < 60 / share + 2; turn++) {
        pthread_t all[THREADS];
        struct stack given[THREADS];
        void *below[THREADS];
        for (int i = 0; i < THREADS; i++) {
            pthread_attr_t a;
            pthread_attr_init(&a);
            struct stack *const s = &given[i];
            *s = kinds[(turn / 4 + (i & turn)) % (sizeof kinds / sizeof *kinds)];
            IS(0, pthread_attr_setstacksize(&a, s->size));
            IS(0, pthread_attr_setguardsize(&a, s->guard));
            if (i % 4 == 3) {
                s->at = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (s->at == MAP_FAILED) FAIL("no memory");
                IS(0, pthread_attr_setstack(&a, s->at, s->size));
            }
            IS(0, pthread_create(&all[i], &a, measures, s));
        }
        for (int i = 0; i < THREADS; i++) {
            IS(0, pthread_join(all[i], &below[i]));
            // Nobody writes to it any more.
            if (given[i].at) IS(0, munmap(given[i].at, given[i].size));
        }
    }

    doing = "a stack's guard";
    for (int turn = 0; turn < 3; turn++) {
        struct stack s = kinds[0];
        pthread_t other;
        void *below;
        pthread_attr_t a;
        pthread_attr_init(&a);
        pthread_attr_setstacksize(&a, s.size);
        pthread_attr_setguardsize(&a, s.guard);
        const pid_t child = fork();
        if (!child) {
            IS(0, pthread_create(&other, &a, measures, &s));
            IS(0, pthread_join(other, &below));
            // What comes next is on the same one, or on a new one with a guard, too.
            IS(0, pthread_create(&other, &a, touches, below));
            pthread_join(other, NULL);
            _exit(0);
        }
        int status;
        while (waitpid(child, &status, 0) < 0) IS(EINTR, errno);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV) FAIL("what is below a stack can be written: %#x", status);
    }
}

static long in_memory(void) {
    long size, resident;
    FILE *const f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2) FAIL("no /proc/self/statm");
    fclose(f);
    return resident * 4;
}

static volatile int crowd;
static void *uses_all(void *argument) {
    measures(argument);
    __atomic_fetch_add(&crowd, 1, __ATOMIC_SEQ_CST);
    while (crowd < 16) sched_yield();
    return NULL;
}

// What is kept of threads that have ended is little.
static void remains(void) {
    doing = "memory after a crowd";
    pthread_t all[16];
    struct stack s = {1 << 20, 4096, NULL};
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, s.size);
    pthread_attr_setguardsize(&a, s.guard);
    const long before = in_memory();
    // The first crowd puts out the stacks that others have left.
    for (int turn = 0; turn < 2; turn++) {
        crowd = 0;
        for (int i = 0; i < 16; i++) IS(0, pthread_create(&all[i], &a, uses_all, &s));
        for (int i = 0; i < 16; i++) IS(0, pthread_join(all[i], NULL));
    }
    const long after = in_memory();
    // Emulated, the emulator's own memory counts.
    if (share == 1 && after > before + 2048) FAIL("%ld KiB more", after - before);
}

// Processes of threads.
static void *forks(void *unused) {
    for (int i = 0; i < 60 / share + 2; i++) {
        const pid_t child = fork();
        if (!child) {
            for (int j = 0; j < 3; j++) run(3, finds_all_new, NULL);
            _exit(0);
        }
        child_ends(child);
    }
    return unused;
}

#ifndef STOCK
static pthread_t first;
static void *joins_first(void *unused) {
    void *result = NULL;
    IS(0, pthread_join(first, &result));
    if (result != &first) _exit(3);
    // The last thread that ends has the process end with 0, and what atexit was told happens.
    pthread_exit(unused);
}
static void at_exit(void) { _exit(4); }
#endif

static void *works_on(void *unused) {
    for (;;) sched_yield();
    return unused;
}

static void process_ends(void) {
    // qemu-user does not survive that a child of such a thread has threads.
    if (share > 1) return;
    doing = "fork in threads that begin and end";
    run(3, forks, NULL);

    for (int turn = 0; turn < 30 / share + 1; turn++) {
        pid_t child;
#ifndef STOCK
        // That of musl 1.2.2 and 1.2.3 does not end: after fork nobody frees the lock that such a thread ends with.
        doing = "the first thread ends first";
        child = fork();
        if (!child) {
            pthread_t other;
            first = pthread_self();
            atexit(at_exit);
            IS(0, pthread_create(&other, NULL, joins_first, NULL));
            pthread_exit(&first);
        }
        int status;
        while (waitpid(child, &status, 0) < 0) IS(EINTR, errno);
        IS(4 << 8, status);
#endif
        doing = "exit while threads run";
        child = fork();
        if (!child) {
            pthread_t other;
            for (int i = 0; i < 3; i++) IS(0, pthread_create(&other, NULL, works_on, NULL));
            exit(0);
        }
        child_ends(child);
    }
}

static void *dies_with_it(void *robust) {
    IS(0, pthread_mutex_lock(robust));
    counter = 1;
    return NULL;
}
static FILE *stream;
static void *dies_with_stream(void *unused) {
    flockfile(stream);
    return unused;
}

static void *joins(void *other) {
    pthread_join(*(pthread_t *)other, NULL);
    FAIL("pthread_join came back");
}
static void *waits_for_release(void *unused) {
    while (!counter) usleep(200);
    return unused;
}
static void *calls_all(void *unused) {
    while (!counter) IS(0, setgid(getgid()));
    return unused;
}
static int c11_exits(void *value) { thrd_exit((int)(intptr_t)value); }

// A thread's stack may be the one of a thread that put a page of it out of reach.
static void *protects_a_page(void *argument) {
    volatile char here = 0;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    IS(0, mprotect((void *)(((uintptr_t)&here - 60000) & -page), page, PROT_NONE));
    return argument;
}
static void *goes_deep(void *argument) {
    volatile char deep[100000];
    for (size_t i = sizeof deep; i-- > 0;) deep[i] = 1;
    return argument;
}
static void pages_out_of_reach(void) {
    doing = "a thread that puts a page of its stack out of reach";
    for (int i = 0; i < 12; i++) run(1, i % 2 ? goes_deep : protects_a_page, NULL);
}

static void ends(void) {
    pages_out_of_reach();
    doing = "a thread that ends with a mutex";
    pthread_mutexattr_t ma;
    pthread_mutex_t robust;
    pthread_t other, waiting;
    pthread_mutexattr_init(&ma);
    // qemu-user has none.
    const int has_robust = !pthread_mutexattr_setrobust(&ma, PTHREAD_MUTEX_ROBUST);
    for (int detached = 0; has_robust && detached < 2; detached++) {
        pthread_attr_t a;
        pthread_attr_init(&a);
        pthread_attr_setdetachstate(&a, detached);
        counter = 0;
        IS(0, pthread_mutex_init(&robust, &ma));
        IS(0, pthread_create(&other, &a, dies_with_it, &robust));
        while (!counter) sched_yield();
        IS(EOWNERDEAD, pthread_mutex_lock(&robust));
        if (!detached) IS(0, pthread_join(other, NULL));
        IS(0, pthread_mutex_consistent(&robust));
        IS(0, pthread_mutex_unlock(&robust));
    }
    doing = "a thread that ends with a stream";
    const pid_t child = fork();
    if (!child) {
        stream = tmpfile();
        IS(0, pthread_create(&other, NULL, dies_with_stream, NULL));
        IS(0, pthread_join(other, NULL));
        if (!ftrylockfile(stream)) FAIL("a stream that was locked is free");
        // Whoever flushes all streams waits for this one.
        _exit(0);
    }
    child_ends(child);

    doing = "joining that does not wait, is late, or is cancelled";
    counter = 0;
    IS(0, pthread_create(&other, NULL, waits_for_release, NULL));
    struct timespec soon = in(3);
    IS(EBUSY, pthread_tryjoin_np(other, NULL));
    IS(ETIMEDOUT, pthread_timedjoin_np(other, NULL, &soon));
    for (int i = 0; i < 4; i++) {
        void *result;
        IS(0, pthread_create(&waiting, NULL, joins, &other));
        if (i & 1) usleep(2000);
        IS(0, pthread_cancel(waiting));
        IS(0, pthread_join(waiting, &result));
        if (result != PTHREAD_CANCELED) FAIL("joining is no cancellation point");
    }
    counter = 1;
    soon = in(10000);
    IS(0, pthread_timedjoin_np(other, NULL, &soon));

    doing = "what all threads have to do while some begin and end";
    counter = 0;
    IS(0, pthread_create(&other, NULL, calls_all, NULL));
    for (int i = 0; i < 300 / share; i++) run(2, finds_all_new, NULL);
    counter = 1;
    IS(0, pthread_join(other, NULL));

    doing = "thrd_exit";
    for (int i = 0; i < 50; i++) {
        thrd_t t;
        int result;
        IS(thrd_success, thrd_create(&t, c11_exits, (void *)(intptr_t)i));
        IS(thrd_success, thrd_join(t, &result));
        IS(i, result);
    }
}
