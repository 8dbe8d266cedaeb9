/* The loads that are counted: each by 1, 2, 4, … 128 threads, every thread with the same number of operations, one thread
 * after the other.  Prints for each load and number of threads what an operation took on average: count.h. */
#include "count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 32,
    WARM = 800,
    COUNTED = 400,
    TICKS = 200, /* the processor's counter goes on by so much while every thread does one operation */
};

static void *slots[COUNT_THREADS + 1][SLOTS];
static size_t sizes[COUNT_THREADS + 1][SLOTS];
static uint64_t states[COUNT_THREADS + 1];
static unsigned threads;

static size_t below(unsigned thread, size_t bound) {
    uint64_t x = states[thread];
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    states[thread] = x;
    return (size_t)(((x * 0x2545f4914f6cdd1du >> 32) * bound) >> 32);
}

static void *must(void *p) {
    if (!p) {
        fprintf(stderr, "loads.c: no memory\n");
        exit(1);
    }
    return p;
}

static void put(unsigned thread, size_t slot, size_t size) {
    free(slots[thread][slot]);
    slots[thread][slot] = must(malloc(size));
}

/* Each operation is one allocation and one free, where nothing else is said. */
static void pairs(unsigned thread) { free(must(malloc(1 + below(thread, 1000)))); }
static void lifetimes(unsigned thread) { put(thread, below(thread, SLOTS), (size_t)16 << below(thread, 11) << below(thread, 2)); }
static void large(unsigned thread) { put(thread, below(thread, 4), (100 << 10) + below(thread, 900 << 10)); }
/* What it allocates the next thread frees, half of the slots later. */
static void passed_on(unsigned thread) {
    const size_t turn = sizes[thread][0]++;
    void **const mine = &slots[thread][(turn + SLOTS / 2) % SLOTS];
    free(*mine);
    *mine = NULL;
    slots[thread % threads + 1][turn % SLOTS] = must(malloc(1 + below(thread, 1000)));
}
/* A vector that grows by half; an operation is one realloc. */
static void growing(unsigned thread) {
    size_t *const size = &sizes[thread][0];
    *size = *size == 0 || *size > 60000 ? 16 : *size + *size / 2;
    if (*size == 16) put(thread, 0, 16);
    else slots[thread][0] = must(realloc(slots[thread][0], *size));
}
/* A thread for each request: an operation is a thread's life, with blocks of 16 sizes. */
static void lives(unsigned thread) {
    for (size_t i = 0; i < 16; i++) put(thread, i, 1 + below(thread, 2000));
    for (size_t i = 0; i < 16; i++) {
        free(slots[thread][i]);
        slots[thread][i] = NULL;
    }
    count_end();
}

static const struct {
    const char *name;
    void (*operation)(unsigned thread);
    unsigned part; /* of the operations that others do */
} loads[] = {{"pairs", pairs, 1}, {"lifetimes", lifetimes, 1}, {"passed-on", passed_on, 1}, {"growing", growing, 1}, {"large", large, 1},
    {"lives", lives, 8}};

static void run(void (*operation)(unsigned), unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        for (unsigned thread = 1; thread <= threads; thread++) {
            count_turn(thread);
            operation(thread);
        }
        count_time += TICKS;
    }
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 3 && i < sizeof loads / sizeof *loads; i++) {
        if (strcmp(argv[1], loads[i].name) != 0) continue;
        threads = (unsigned)atoi(argv[2]);
        for (unsigned thread = 1; thread <= threads; thread++) states[thread] = thread * 0x9e3779b97f4a7c15u;
        run(loads[i].operation, WARM / loads[i].part);
        counts = (counts_t){0};
        run(loads[i].operation, COUNTED / loads[i].part);
        const double operations = (double)(COUNTED / loads[i].part) * threads;
        printf("%.4f %.4f %.4f\n", (double)counts.atomics / operations, (double)counts.lines / operations,
            (double)counts.calls / operations);
        return 0;
    }
    fprintf(stderr, "usage: loads LOAD THREADS\n");
    return 2;
}
