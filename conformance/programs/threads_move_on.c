//# states: what threads that have ended leave is freed by the next threads, by many at once, and serves a thread that goes on alone
//# case: tables frees_only alone in_children
//# timeout: 120
//# fails: glibc/*/alone: what is free in other arenas does not serve
//# not-covered: qemu/*/in_children: qemu-user 7.2 may assert in the child of a fork, with stock as well
#include "forks.h"
#include "peak.h"
#include <pthread.h>
#include <signal.h>

/* A heap may give a thread what an ended one left, whole or in parts.  Here a table moves on through generations of threads.  All threads of a
 * generation replace blocks anywhere in it, so that two may want the same memory at once. */
enum {
    TABLE = 3000,
    AT_ONCE = 4,
    SIZE = 500,
};
typedef struct {
    size_t size;
    char bytes[];
} block_t;
static _Atomic(block_t *) table[TABLE];
static size_t replaced;

static block_t *make(uint64_t *state) {
    const size_t size = 1 + next_random(state) % SIZE;
    block_t *block = malloc(sizeof *block + size);
    NEED(block);
    block->size = size;
    fill(block->bytes, size, (unsigned)size);
    return block;
}
static void give_back(block_t *block) {
    if (!block) return;
    CHECK(block->size <= SIZE, "a block of %zu bytes", block->size);
    CHECK_FILLED(block->bytes, block->size, (unsigned)block->size);
    free(block);
}
static block_t *change(size_t place, block_t *block) { return __atomic_exchange_n((block_t **)&table[place], block, __ATOMIC_ACQ_REL); }

static void *replace(void *seed) {
    uint64_t state = 77 + (size_t)seed;
    for (size_t i = 0; i < replaced; i++) give_back(change(next_random(&state) % TABLE, make(&state)));
    return NULL;
}
static void generation(size_t number) {
    pthread_t ids[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++) NEED(!pthread_create(&ids[i], NULL, replace, (void *)(number * AT_ONCE + i)));
    for (size_t i = 0; i < AT_ONCE; i++) NEED(!pthread_join(ids[i], NULL));
}
static void tables(void) {
    long before = 0;
    const size_t generations = check_share(400);
    for (size_t i = 0; i < generations; i++) {
        replaced = i % 8 == 7 ? 20000 : 200 + 300 * (i % 8);
        generation(i);
        if (i == 20) before = peak();
    }
    if (generations > 20 && !check_emulated()) CHECK_PEAK(before, 8192);
    for (size_t i = 0; i < TABLE; i++) give_back(change(i, NULL));
}

/* The first thread frees one half of what each generation made at once, and the other half ten generations later.  What becomes free has to
 * serve the next threads. */
enum { GENERATIONS = 10 };
static block_t *made[GENERATIONS * AT_ONCE][TABLE];
static size_t turn;
static void *fill_table(void *which) {
    uint64_t state = 5 + turn * AT_ONCE + (size_t)which;
    for (size_t i = 0; i < TABLE; i++) made[(size_t)which][i] = make(&state);
    return NULL;
}
static void frees_only(void) {
    long first = peak(), before = 0;
    const size_t generations = check_share(100);
    for (turn = 0; turn < generations; turn++) {
        block_t *(*const tables)[TABLE] = &made[turn % GENERATIONS * AT_ONCE];
        for (size_t i = 0; i < AT_ONCE * TABLE; i++) give_back(tables[i / TABLE][i % TABLE]);
        pthread_t ids[AT_ONCE];
        for (size_t i = 0; i < AT_ONCE; i++) NEED(!pthread_create(&ids[i], NULL, fill_table, (void *)(turn % GENERATIONS * AT_ONCE + i)));
        for (size_t i = 0; i < AT_ONCE; i++) NEED(!pthread_join(ids[i], NULL));
        for (size_t i = 0; i < AT_ONCE * TABLE; i += 2) {
            give_back(tables[i / TABLE][i % TABLE]);
            tables[i / TABLE][i % TABLE] = NULL;
        }
        /* Half of nine generations and all of one: blocks of 250 bytes at the mean. */
        if (turn == GENERATIONS) before = peak();
    }
    if (generations > 2 * GENERATIONS && !check_emulated()) CHECK_PEAK(before, (before - first) / 4);
}

/* Threads fill tables at once and end.  Then no thread comes any more, and the first one takes seven eighths of that, in blocks of other sizes.  A handler is
 * installed, so that brawn does not look for what is free before a wait. */
static void on_signal(int unused) { (void)unused; }
static pthread_barrier_t all_began;
static void *fill_at_once(void *which) {
    free(hidden(malloc(10)));
    pthread_barrier_wait(&all_began);
    return fill_table(which);
}
static void alone(void) {
    NEED(signal(SIGUSR1, on_signal) != SIG_ERR);
    enum { ALL = GENERATIONS * AT_ONCE };
    size_t all = 0;
    pthread_t ids[ALL];
    NEED(!pthread_barrier_init(&all_began, NULL, ALL));
    for (size_t i = 0; i < ALL; i++) NEED(!pthread_create(&ids[i], NULL, fill_at_once, (void *)i));
    for (size_t i = 0; i < ALL; i++) NEED(!pthread_join(ids[i], NULL));
    for (size_t i = 0; i < ALL * TABLE; i++) {
        block_t *block = made[i / TABLE][i % TABLE];
        all += block->size;
        give_back(block);
    }
    const long before = peak();
    uint64_t state = 3;
    for (size_t taken = 0; taken < all / 8 * 7;) {
        const size_t size = 600 + next_random(&state) % 3000;
        char *block = malloc(size);
        NEED(block);
        for (size_t i = 0; i < size; i += 1000) block[i] = 1;
        taken += size;
    }
    if (!check_emulated()) CHECK_PEAK(before, 2048);
}

/* The first thread forks while others replace blocks. */
static volatile int over;
static void *replace_on(void *seed) {
    size_t rounds = 0;
    while (!over) {
        pthread_t id;
        NEED(!pthread_create(&id, NULL, replace, (void *)((size_t)seed + AT_ONCE * ++rounds)));
        NEED(!pthread_join(id, NULL));
    }
    return NULL;
}
static int as_child(void) {
    for (size_t i = 0; i < 5; i++) generation(i);
    for (size_t i = 0; i < TABLE; i++) give_back(change(i, NULL));
    return check_result();
}
static void in_children(void) {
    pthread_t ids[AT_ONCE];
    replaced = 1000;
    for (size_t i = 0; i < AT_ONCE; i++) NEED(!pthread_create(&ids[i], NULL, replace_on, (void *)i));
    const size_t forks = check_share(40);
    for (size_t i = 0; i < forks; i++) check_child(as_child, i);
    over = 1;
    for (size_t i = 0; i < AT_ONCE; i++) pthread_join(ids[i], NULL);
}

RUN_CASES({"tables", tables}, {"frees_only", frees_only}, {"alone", alone}, {"in_children", in_children})
