//# states: destructors of pthread keys allocate and free, in every round, before and after the heap's own
//# link: static static-pie zig
//# case: rounds keys_before_heap keys_after_heap all_keys first_in_destructor main_thread cancelled
#include "check.h"
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>

/* A payload may take one key for itself, at the first allocation of a thread besides main. */
enum { RESERVED = 1 };

static pthread_key_t keys[PTHREAD_KEYS_MAX];
static int rounds, destroyed;

static void again(void *block) {
    CHECK_FILLED(block, 100, 4);
    free(block);
    void *large = malloc(100000);
    CHECK(large != NULL, "errno %d", errno);
    free(large);
    if (__atomic_add_fetch(&rounds, 1, __ATOMIC_SEQ_CST) < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        NEED(block = malloc(100));
        fill(block, 100, 4);
        NEED(pthread_setspecific(keys[0], block) == 0);
    }
}
static void *set_first(void *unused) {
    void *block = malloc(100);
    fill(block, 100, 4);
    NEED(pthread_setspecific(keys[0], block) == 0);
    return unused;
}
static void run(void *(*body)(void *)) {
    pthread_t id;
    NEED(!pthread_create(&id, NULL, body, NULL));
    pthread_join(id, NULL);
}
static void all_rounds(void) {
    NEED(!pthread_key_create(&keys[0], again));
    for (int i = 0; i < 200; i++) {
        rounds = 0;
        run(set_first);
        CHECK_SAME(rounds, PTHREAD_DESTRUCTOR_ITERATIONS - 1);
    }
}

static void free_and_allocate(void *block) {
    free(block);
    free(malloc(1000));
    free(calloc(1, 50000));
    __atomic_add_fetch(&destroyed, 1, __ATOMIC_SEQ_CST);
}
static int count;
static void *set_all(void *unused) {
    for (int i = 0; i < count; i++) NEED(pthread_setspecific(keys[i], malloc(i + 1)) == 0);
    return unused;
}
static void *allocate(void *unused) {
    free(hidden(malloc(10)));
    return unused;
}
static void with_keys(int number) {
    for (int i = 0; i < number; i++) NEED(!pthread_key_create(&keys[i], free_and_allocate));
    count = number;
    for (int i = 0; i < 100; i++) {
        destroyed = 0;
        run(set_all);
        CHECK_SAME(destroyed, number);
    }
}
/* Destructors run in the order of the keys: the program's before the heap's … */
static void keys_before_heap(void) { with_keys(20); }
/* … and after it, when the thread's heap may already have been given back. */
static void keys_after_heap(void) {
    run(allocate);
    with_keys(20);
}
static void all_keys(void) {
    with_keys(PTHREAD_KEYS_MAX - RESERVED);
    for (int i = 0; i < count; i++) NEED(!pthread_key_delete(keys[i]));
    run(allocate);
    with_keys(PTHREAD_KEYS_MAX - RESERVED);
}
/* A thread whose first allocation is in a destructor, behind the heap's key: its heap comes back, too. */
static void *set_only(void *unused) {
    NEED(pthread_setspecific(keys[0], keys) == 0);
    return unused;
}
static void allocate_once(void *unused) {
    (void)unused;
    free(hidden(malloc(1000)));
}
static long mapped(void) { return check_emulated() ? check_mapped() : check_status("VmSize:"); }
static void first_in_destructor(void) {
    run(allocate);
    NEED(!pthread_key_create(&keys[0], allocate_once));
    run(set_only);
    long before = mapped();
    for (int i = 0; i < 300; i++) run(set_only);
    CHECK(mapped() < before + 64 * 1024, "%ld KiB, before %ld KiB", mapped(), before);
}
static void main_thread(void) {
    NEED(!pthread_key_create(&keys[0], free_and_allocate));
    NEED(!pthread_setspecific(keys[0], malloc(10)));
    run(allocate);
    pthread_exit(NULL);
}
static void give_back(void *block) { free(block); }
static void *waiting(void *unused) {
    void *block = malloc(5000);
    pthread_cleanup_push(give_back, block);
    for (;;) {
        free(hidden(malloc(300)));
        usleep(100);
    }
    pthread_cleanup_pop(1);
    return unused;
}
static void cancelled(void) {
    with_keys(3);
    for (int i = 0; i < 200; i++) {
        pthread_t id;
        void *result;
        NEED(!pthread_create(&id, NULL, waiting, NULL));
        if (i % 2) usleep(300);
        NEED(!pthread_cancel(id));
        NEED(!pthread_join(id, &result));
        CHECK(result == PTHREAD_CANCELED, "%p", result);
    }
}
RUN_CASES({"rounds", all_rounds}, {"keys_before_heap", keys_before_heap},
    {"keys_after_heap", keys_after_heap}, {"all_keys", all_keys},
    {"first_in_destructor", first_in_destructor}, {"main_thread", main_thread},
    {"cancelled", cancelled})
