/* The loads that are counted: each by 1 to 128 threads, every thread with the same number of turns, one thread after the
 * other.  Prints for a load and a number of threads what an operation took on average: count.h. */
#include "loads.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned threads;
unsigned turns[COUNT_THREADS + 1];
void *slots[COUNT_THREADS + 1][SLOTS];
size_t sizes[COUNT_THREADS + 1][SLOTS];
uint64_t pauses;

static uint64_t states[COUNT_THREADS + 1];
static uint64_t taken;

static uint64_t random_number(unsigned thread) {
    uint64_t x = states[thread];
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    states[thread] = x;
    return x * 0x2545f4914f6cdd1du >> 32;
}

size_t below(unsigned thread, size_t bound) { return (size_t)((random_number(thread) * bound) >> 32); }

size_t octaves(unsigned thread, unsigned low, unsigned high) {
    const size_t base = (size_t)1 << (low + below(thread, high - low));
    return base + below(thread, base) + 1;
}

void *must(void *p) {
    if (!p) {
        fprintf(stderr, "loads.c: no memory\n");
        exit(1);
    }
    taken++;
    return p;
}

void *take(size_t size) { return must(malloc(size)); }
void *grow(void *p, size_t size) { return must(realloc(p, size)); }

void drop(unsigned thread, size_t slot) {
    free(slots[thread][slot]);
    slots[thread][slot] = NULL;
}

void drop_all(unsigned thread, size_t first, size_t end) {
    for (size_t slot = first; slot < end; slot++) drop(thread, slot);
}

void put(unsigned thread, size_t slot, size_t size) {
    free(slots[thread][slot]);
    slots[thread][slot] = take(size);
}

/* What libc/threads/__syscall_cp.c does in a program that has no signal handlers. */
extern bool brawn_wait_is_due(void);
extern void brawn_wait_turn(void);

void wait_begins(void) {
    if (brawn_wait_is_due()) brawn_wait_turn();
}

/* In each round in another order: else what a thread leaves would mostly come to the thread that left it. */
static void run(const load_t *load, unsigned count) {
    static unsigned order[COUNT_THREADS];
    for (unsigned i = 0; i < count; i++) {
        for (unsigned n = 0; n < threads; n++) {
            const size_t other = below(0, n + 1);
            order[n] = order[other];
            order[other] = n + 1;
        }
        for (unsigned n = 0; n < threads; n++) {
            const unsigned thread = order[n];
            count_turn(thread);
            load->turn(thread);
            turns[thread]++;
        }
        count_time += load->ticks + pauses;
        pauses = 0;
    }
}

static void count_load(const load_t *load) {
    /* The first thread's heap is none of the others'. */
    free(take(1));
    for (unsigned thread = 0; thread <= threads; thread++) states[thread] = (thread + 1) * 0x9e3779b97f4a7c15u;
    run(load, load->warm);
    counts = (counts_t){0};
    taken = 0;
    run(load, load->counted);
    const double operations = load->a_turn_is_one ? (double)load->counted * threads : (double)taken;
    printf("%.4f %.4f %.4f\n", (double)counts.atomics / operations, (double)counts.lines / operations,
        (double)counts.calls / operations);
}

int main(int argc, char **argv) {
    static const load_t *const files[] = {loads_small, loads_teams, loads_overtime};
    for (size_t file = 0; argc == 3 && file < sizeof files / sizeof *files; file++) {
        for (const load_t *load = files[file]; load->name; load++) {
            if (strcmp(argv[1], load->name) != 0) continue;
            threads = (unsigned)atoi(argv[2]);
            if (threads < 1 || threads > COUNT_THREADS) break;
            count_load(load);
            return 0;
        }
    }
    fprintf(stderr, "usage: loads LOAD THREADS\n");
    return 2;
}
