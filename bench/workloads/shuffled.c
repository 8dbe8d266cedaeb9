/* Shuffled lifetimes: shuffled THREADS ROUNDS
 *
 * Each thread takes 20,000 blocks of 16 B to 1 KiB, frees half of them in random order, takes as many again, and frees all in random
 * order; ROUNDS times.  So what is free lies anywhere in the heap, and comes back in no order. */
#include "workload.h"

#define BLOCKS 20000

static long rounds;

static void shuffle(void **blocks, uint64_t *state) {
    for (size_t n = BLOCKS - 1; n > 0; n--) {
        size_t other = random_below(state, n + 1);
        void *block = blocks[n];
        blocks[n] = blocks[other];
        blocks[other] = block;
    }
}

static void take(void **block, uint64_t *state) {
    size_t size = random_log_uniform(state, 4, 10);
    unsigned char *p = must(malloc(size));
    p[0] = p[size - 1] = 1;
    *block = p;
}

static void work(int index) {
    static void *all[MAX_THREADS][BLOCKS];
    void **blocks = all[index];
    uint64_t state = random_state(500 + (uint64_t)index);
    for (long round = 0; round < rounds; round++) {
        for (int n = 0; n < BLOCKS; n++) take(&blocks[n], &state);
        shuffle(blocks, &state);
        for (int n = 0; n < BLOCKS / 2; n++) free(blocks[n]);
        for (int n = 0; n < BLOCKS / 2; n++) take(&blocks[n], &state);
        shuffle(blocks, &state);
        for (int n = 0; n < BLOCKS; n++) free(blocks[n]);
    }
}

int main(int argc, char **argv) {
    int threads = (int)argument(argc, argv, 1, 2);
    rounds = argument(argc, argv, 2, 50);
    if (threads < 1 || threads > MAX_THREADS) return 2;
    uint64_t wall = run_team(threads, work);
    double all = (double)threads * (double)rounds * BLOCKS * 1.5;
    report(ns_per_operation(wall, threads, all), wall, all, "threads=%d", threads);
    return 0;
}
