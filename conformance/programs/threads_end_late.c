//# states: 20,000 threads whose heaps no destructor of a key can return leave no memory behind
//# case: every_round first_late all_keys detached
//# timeout: 120
//# alone
//# not-covered: qemu: qemu-user gives every thread an address that none had before
#include "check.h"
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

/* A heap that is returned by a key's destructor misses what comes behind it in the last round, and has no key where the
 * program took them all.  musl's own heap has nothing to return. */
enum {
    ALL = 20000,
    AT_A_TIME = 4,
    EARLY = 2000,
};
static pthread_key_t keys[PTHREAD_KEYS_MAX];
static int taken, is_detached;
static sem_t ended;

static long resident(void) { return check_own_memory(); }

/* Blocks of every kind: in pages, of their own span, of their own mapping. */
static void use_heap(void) {
    static const size_t sizes[] = {1, 100, 1000, 5000, 20000, 60000, 200000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    char *blocks[SIZES];
    for (int i = 0; i < SIZES; i++) {
        NEED(blocks[i] = malloc(sizes[i]));
        blocks[i][0] = blocks[i][sizes[i] - 1] = 1;
    }
    for (int i = 0; i < SIZES; i++) free(blocks[i]);
}

static void again(void *round) {
    use_heap();
    /* The last key's destructor is behind any that the heap has. */
    if ((size_t)round < PTHREAD_DESTRUCTOR_ITERATIONS)
        NEED(pthread_setspecific(keys[taken - 1], (char *)round + 1) == 0);
}
/* Nothing of the heap until the last round. */
static void at_last(void *round) {
    if ((size_t)round == PTHREAD_DESTRUCTOR_ITERATIONS) use_heap();
    else NEED(pthread_setspecific(keys[taken - 1], (char *)round + 1) == 0);
}

static void *use_and_end(void *value) {
    use_heap();
    if (value) NEED(pthread_setspecific(keys[taken - 1], value) == 0);
    if (is_detached) sem_post(&ended);
    return NULL;
}
static void *only_end(void *value) {
    NEED(pthread_setspecific(keys[taken - 1], value) == 0);
    return NULL;
}
/* The heap has its key from here on, if there is one. */
static void heap_first(void) {
    pthread_t id;
    NEED(pthread_create(&id, NULL, use_and_end, NULL) == 0);
    NEED(pthread_join(id, NULL) == 0);
}

static void come_and_go(void *(*body)(void *), void *value) {
    long early = 0;
    size_t threads = check_share(ALL);
    for (size_t number = 0; number < threads; number += AT_A_TIME) {
        pthread_t ids[AT_A_TIME];
        for (int i = 0; i < AT_A_TIME; i++) {
            NEED(pthread_create(&ids[i], NULL, body, value) == 0);
            if (is_detached) NEED(pthread_detach(ids[i]) == 0);
        }
        for (int i = 0; i < AT_A_TIME; i++) {
            if (is_detached) sem_wait(&ended);
            else NEED(pthread_join(ids[i], NULL) == 0);
        }
        if (number <= check_share(EARLY)) early = resident();
    }
    long late = resident();
    /* Those that nobody joins may still be ending. */
    for (int i = 0; i < 2000 && is_detached && late - early > 5 * 1024; i++) {
        usleep(20000);
        late = resident();
    }
    CHECK(late - early <= 5 * 1024, "after %zu threads %ld KiB are resident, after %zu %ld KiB", check_share(EARLY),
        early, threads, late);
}

static void with_key(void (*destructor)(void *), void *(*body)(void *)) {
    heap_first();
    NEED(pthread_key_create(&keys[taken++], destructor) == 0);
    come_and_go(body, (void *)1);
}
static void every_round(void) { with_key(again, use_and_end); }
static void first_late(void) { with_key(at_last, only_end); }
static void take_all_keys(void) {
    while (pthread_key_create(&keys[taken], again) == 0) taken++;
    CHECK(taken >= PTHREAD_KEYS_MAX - 1, "%d keys were to be had", taken);
}
static void all_keys(void) {
    take_all_keys();
    come_and_go(use_and_end, (void *)1);
}
static void detached(void) {
    is_detached = 1;
    NEED(sem_init(&ended, 0, 0) == 0);
    take_all_keys();
    come_and_go(use_and_end, NULL);
}
RUN_CASES({"every_round", every_round}, {"first_late", first_late}, {"all_keys", all_keys}, {"detached", detached})
