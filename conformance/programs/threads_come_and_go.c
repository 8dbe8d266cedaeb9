//# states: 100,000 threads that come and go leave no memory behind, in a program without pthread keys
//# case: joined detached blocks_left
//# timeout: 120
//# alone
#include "check.h"
#include <pthread.h>
#include <semaphore.h>

/* threads_come_and_go_keys.c has the same program with a key in it: whether a program links
 * pthread_key_create at all must not decide whether heaps of ended threads are given back. */
#ifdef WITH_KEY
static pthread_key_t key;
static void key_gone(void *p) { free(p); }
#endif

enum {
    ALL = 100000,
    SOME = 25000,
    AT_A_TIME = 4,
    EARLY = 10000,
};
static void *left[AT_A_TIME];
static sem_t ended;

static long resident(void) { return check_emulated() ? check_mapped() : check_own_memory(); }
static void use_heap(size_t number) {
    void *small[20];
    for (int i = 0; i < 20; i++) {
        NEED(small[i] = malloc((number * 31 + i * 97) % 2000));
        memset(small[i], 1, (number * 31 + i * 97) % 2000);
    }
    char *large = calloc(1, 20000 + number % 30000);
    NEED(large);
    large[19999] = 1;
    NEED(large = realloc(large, 60000));
    free(large);
    for (int i = 0; i < 20; i++) free(small[i]);
#ifdef WITH_KEY
    NEED(pthread_setspecific(key, malloc(100)) == 0);
#endif
}
static void *thread(void *argument) {
    use_heap((size_t)argument);
    return NULL;
}
static void *detached_thread(void *argument) {
    use_heap((size_t)argument);
    sem_post(&ended);
    return NULL;
}
static void *leaving_thread(void *argument) {
    size_t number = (size_t)argument;
    use_heap(number);
    NEED(left[number % AT_A_TIME] = malloc(1 + number % 5000));
    memset(left[number % AT_A_TIME], 2, 1 + number % 5000);
    return NULL;
}

static void come_and_go(void *(*body)(void *), size_t all, int joined) {
    size_t threads = check_share(all);
#ifdef WITH_KEY
    NEED(pthread_key_create(&key, key_gone) == 0);
#endif
    long early = 0;
    for (size_t number = 0; number < threads; number += AT_A_TIME) {
        pthread_t ids[AT_A_TIME];
        for (size_t i = 0; i < AT_A_TIME; i++) {
            NEED(pthread_create(&ids[i], NULL, body, (void *)(number + i)) == 0);
            if (!joined) NEED(pthread_detach(ids[i]) == 0);
        }
        for (size_t i = 0; i < AT_A_TIME; i++) {
            if (joined) pthread_join(ids[i], NULL);
            else sem_wait(&ended);
            free(left[i]);
            left[i] = NULL;
        }
        /* Threads come by four: a share of EARLY may lie between two numbers. */
        if (!early && number >= check_share(EARLY)) early = resident();
    }
    long late = resident();
    /* Those that nobody joins may still be ending. */
    for (int i = 0; i < 2000 && !joined && late - early > 5 * 1024; i++) {
        usleep(20000);
        late = resident();
    }
    CHECK(late - early <= 5 * 1024, "after %zu threads %ld KiB are resident, after %zu %ld KiB",
        check_share(EARLY), early, threads, late);
}
static void joined(void) { come_and_go(thread, ALL, 1); }
static void detached(void) {
    sem_init(&ended, 0, 0);
    come_and_go(detached_thread, SOME, 0);
}
static void blocks_left(void) { come_and_go(leaving_thread, SOME, 1); }
RUN_CASES({"joined", joined}, {"detached", detached}, {"blocks_left", blocks_left})
