//# states: blocks of ended threads stay what they are, and can be freed by anyone at any time, while other threads begin and end
//# case: outlive without_heap late in_child
//# timeout: 120
//# not-covered: qemu/*/in_child: qemu-user 7.2 may assert in the child of a fork, with stock as well
#include "forks.h"
#include <limits.h>
#include <pthread.h>

/* A heap may take over what an ended thread left as it is, with blocks in it that others free at the same time. */
enum {
    BLOCKS = 64,
    AT_ONCE = 4,
    ROUNDS = 2000,
    FORKS = 200,
};
static char *left[AT_ONCE][BLOCKS];

static size_t size_of(size_t number) { return 16 + number * 37 % 3000; }
static char mark_of(size_t thread, size_t number) { return (char)(1 + thread * BLOCKS + number); }

/* Blocks of many sizes, of which every second one goes at once; the others stay for whoever comes. */
static void *leave(void *argument) {
    size_t thread = (size_t)argument;
    for (size_t i = 0; i < BLOCKS; i++) {
        NEED(left[thread][i] = malloc(size_of(i)));
        fill(left[thread][i], size_of(i), mark_of(thread, i));
    }
    for (size_t i = 0; i < BLOCKS; i += 2) {
        free(left[thread][i]);
        left[thread][i] = NULL;
    }
    return NULL;
}
static void take_back(size_t thread) {
    for (size_t i = 0; i < BLOCKS; i++) {
        if (!left[thread][i]) continue;
        CHECK(first_wrong(left[thread][i], size_of(i), mark_of(thread, i)) == (size_t)-1, "thread %zu, block %zu", thread, i);
        free(left[thread][i]);
        left[thread][i] = NULL;
    }
}
static void begin(pthread_t *id, void *(*body)(void *), size_t argument) { NEED(!pthread_create(id, NULL, body, (void *)argument)); }
static void end(pthread_t id) { NEED(!pthread_join(id, NULL)); }

/* The first thread frees what ended ones left, while the next ones allocate. */
static void outlive(void) {
    pthread_t ids[AT_ONCE];
    for (size_t round = 0; round < check_share(ROUNDS); round++) {
        for (size_t i = 0; i < AT_ONCE / 2; i++) begin(&ids[i], leave, i);
        for (size_t i = AT_ONCE / 2; i < AT_ONCE; i++) take_back(i);
        for (size_t i = 0; i < AT_ONCE / 2; i++) end(ids[i]);
        for (size_t i = AT_ONCE / 2; i < AT_ONCE; i++) begin(&ids[i], leave, i);
        for (size_t i = 0; i < AT_ONCE / 2; i++) take_back(i);
        for (size_t i = AT_ONCE / 2; i < AT_ONCE; i++) end(ids[i]);
    }
    for (size_t i = 0; i < AT_ONCE; i++) take_back(i);
}

/* A thread that has no heap, at an ended one's place, frees that one's blocks; another one allocates by then, maybe from its heap. */
static pthread_barrier_t all_there;
static void *free_first(void *argument) {
    pthread_barrier_wait(&all_there);
    take_back((size_t)argument);
    return NULL;
}
static void *use(void *argument) {
    char *blocks[BLOCKS] = {0};
    pthread_barrier_wait(&all_there);
    for (int again = 0; again < 4; again++) {
        for (size_t i = 0; i < BLOCKS; i++) {
            NEED(blocks[i] = malloc(size_of(i)));
            fill(blocks[i], size_of(i), mark_of((size_t)argument, i));
        }
        for (size_t i = 0; i < BLOCKS; i++) {
            CHECK(first_wrong(blocks[i], size_of(i), mark_of((size_t)argument, i)) == (size_t)-1, "block %zu was given twice", i);
            free(blocks[i]);
        }
    }
    return NULL;
}
static void without_heap(void) {
    NEED(!pthread_barrier_init(&all_there, NULL, 2));
    for (size_t round = 0; round < check_share(ROUNDS); round++) {
        pthread_t ids[2];
        begin(&ids[0], leave, 0);
        end(ids[0]);
        begin(&ids[0], free_first, 0);
        begin(&ids[1], use, 1);
        end(ids[0]);
        end(ids[1]);
    }
}

/* Destructors of keys allocate and free in every round, the last one behind all that the heap may have. */
static pthread_key_t late_key;
static void go_late(void *value) {
    size_t at = (size_t)value;
    take_back(at % 2);
    leave((void *)(at % 2));
    if (at < PTHREAD_DESTRUCTOR_ITERATIONS) NEED(!pthread_setspecific(late_key, (void *)(at + 1)));
}
static void *end_late(void *unused) {
    leave((void *)1);
    take_back(1);
    NEED(!pthread_setspecific(late_key, (void *)1));
    return unused;
}
static void late(void) {
    pthread_t id;
    begin(&id, leave, 0);
    end(id);
    NEED(!pthread_key_create(&late_key, go_late));
    for (size_t round = 0; round < check_share(ROUNDS); round++) {
        begin(&id, end_late, 0);
        end(id);
        take_back(0);
        take_back(1);
    }
}

/* The child has what ended threads left, too, and its threads go on with it. */
static int child(void) {
    pthread_t ids[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++) {
        take_back(i);
        begin(&ids[i], leave, i);
    }
    for (size_t i = 0; i < AT_ONCE; i++) end(ids[i]);
    for (size_t i = 0; i < AT_ONCE; i++) take_back(i);
    return check_result();
}
static void *come_and_go(void *over) {
    while (!*(volatile int *)over) free(malloc(100));
    return NULL;
}
static void in_child(void) {
    for (size_t round = 0; round < check_share(FORKS); round++) {
        pthread_t ids[AT_ONCE], other;
        int over = 0;
        for (size_t i = 0; i < AT_ONCE; i++) begin(&ids[i], leave, i);
        for (size_t i = 0; i < AT_ONCE; i++) end(ids[i]);
        begin(&other, come_and_go, (size_t)&over);
        check_child(child, round);
        over = 1;
        end(other);
        for (size_t i = 0; i < AT_ONCE; i++) take_back(i);
    }
}
RUN_CASES({"outlive", outlive}, {"without_heap", without_heap}, {"late", late}, {"in_child", in_child})
