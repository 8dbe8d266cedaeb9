/* A server's pattern, after Larson and Krishnan: server THREADS ROUNDS
 *
 * Each worker replaces random blocks of 10 to 500 bytes in a table of 1000; after a round its
 * table goes on to a new thread, which frees and replaces what the last one allocated, and the
 * worker's thread ends.  So nearly every block is freed by a thread that did not allocate it, and
 * threads come and go. */
#include "workload.h"

#define TABLE 1000
#define REPLACEMENTS 20000

/* Each on cache lines of its own, two of them, since processors also fetch a line's neighbour: a
 * worker writes to its `state` at every replacement, and would otherwise wait for the other
 * workers' lines, and not for the heap. */
struct shift {
    _Alignas(2 * CACHE_LINE) void **table;
    uint64_t state;
    pthread_t thread;
};

static long rounds;
static struct shift shifts[MAX_THREADS];

static void *worker(void *argument) {
    struct shift *s = argument;
    for (int i = 0; i < REPLACEMENTS; i++) {
        size_t slot = random_below(&s->state, TABLE);
        free(s->table[slot]);
        size_t size = 10 + random_below(&s->state, 491);
        unsigned char *p = must(malloc(size));
        p[0] = p[size - 1] = 1;
        s->table[slot] = p;
    }
    return 0;
}

static void work(int index) {
    struct shift *s = &shifts[index];
    s->state = random_state(1000 + (uint64_t)index);
    s->table = must(calloc(TABLE, sizeof *s->table));
    for (long round = 0; round < rounds; round++) {
        if (pthread_create(&s->thread, 0, worker, s)) abort();
        pthread_join(s->thread, 0);
    }
    for (int i = 0; i < TABLE; i++) free(s->table[i]);
    free(s->table);
}

int main(int argc, char **argv) {
    int threads = (int)argument(argc, argv, 1, 2);
    rounds = argument(argc, argv, 2, 100);
    uint64_t wall = run_team(threads, work);
    double operations = (double)threads * (double)rounds * REPLACEMENTS;
    report(ns_per_operation(wall, threads, operations), wall, operations, "threads=%d", threads);
    return 0;
}
