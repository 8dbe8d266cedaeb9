/* Generations of threads: generations THREADS GENERATIONS STEPS
 *
 * In each generation new threads begin, and each does STEPS steps: it takes an array of 1 to 64 words, now and then one of
 * thousands, and then frees one of its arrays, keeps the new one until its end, or changes it for an array in a table
 * that all threads share.  So some blocks live for a moment, some as long as their thread, and some for generations, and
 * any thread may free them.  Every word is written, and checked before the block is freed. */
#include "workload.h"

#include <stdatomic.h>

#define SHARED 1000
#define OWN 512

static _Atomic(uintptr_t *) shared[SHARED];
static long steps;
static int generation;

static uintptr_t *take(uint64_t *state) {
    size_t words = 1 + random_below(state, random_below(state, 100) ? 64 : 8192);
    uintptr_t *p = must(malloc(words * sizeof *p));
    p[0] = words;
    for (size_t i = 1; i < words; i++) p[i] = words ^ i;
    return p;
}

static void give_back(uintptr_t *p) {
    if (!p) return;
    for (size_t i = 1; i < p[0]; i++)
        if (p[i] != (p[0] ^ i)) abort();
    free(p);
}

static void work(int index) {
    uintptr_t *own[OWN] = {0};
    uint64_t state = random_state((uint64_t)generation * MAX_THREADS + (uint64_t)index);
    for (long n = 0; n < steps; n++) {
        uintptr_t *p = take(&state);
        if (random_below(&state, 4)) {
            size_t place = random_below(&state, OWN);
            give_back(own[place]);
            own[place] = p;
        } else give_back(atomic_exchange(&shared[random_below(&state, SHARED)], p));
    }
    for (int i = 0; i < OWN; i++) give_back(own[i]);
}

int main(int argc, char **argv) {
    int threads = (int)argument(argc, argv, 1, 2);
    long generations = argument(argc, argv, 2, 50);
    steps = argument(argc, argv, 3, 20000);
    uint64_t wall = 0;
    for (; generation < generations; generation++) wall += run_team(threads, work);
    for (int i = 0; i < SHARED; i++) give_back(shared[i]);
    double all = (double)threads * (double)generations * (double)steps;
    report(ns_per_operation(wall, threads, all), wall, all, "threads=%d", threads);
    return 0;
}
