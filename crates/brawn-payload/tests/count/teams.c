/* The loads of bench/workloads/ that have threads, or of which each thread may have its own: the same sizes and lifetimes, with
 * smaller tables, so that 128 threads fit into a machine's memory.  No block is written to. */
#include "loads.h"

#include <stdlib.h>

/* Blocks on their way to the next thread: stress.c and handoff.c. */
enum { RING = 16 };
static struct {
    unsigned head, tail;
    void *places[RING];
} rings[COUNT_THREADS + 1];

static int send_block(unsigned thread, void *p) {
    const unsigned next = thread % threads + 1;
    if (rings[next].head - rings[next].tail == RING) return 0;
    rings[next].places[rings[next].head++ % RING] = p;
    return 1;
}

static void free_received(unsigned thread) {
    while (rings[thread].tail != rings[thread].head) free(rings[thread].places[rings[thread].tail++ % RING]);
}

static void stress(unsigned thread) {
    void **const place = &slots[thread][below(thread, 40)];
    if (!*place || below(thread, 3) || !send_block(thread, *place)) free(*place);
    *place = take(octaves(thread, 4, 20));
    free_received(thread);
}

static void handoff(unsigned thread) {
    void **const place = &slots[thread][below(thread, 400)];
    if (*place && !send_block(thread, *place)) free(*place);
    *place = take(octaves(thread, 4, 5 + (unsigned)below(thread, 8)));
    free_received(thread);
}

/* server.c: after SHIFT replacements the table goes to a new thread. */
static void server(unsigned thread) {
    enum { TABLE = 1000,
        SHIFT = 500 };
    if (turns[thread] == 0)
        for (size_t slot = 0; slot < TABLE; slot++) put(thread, slot, 10 + below(thread, 491));
    put(thread, below(thread, TABLE), 10 + below(thread, 491));
    if (turns[thread] % SHIFT == SHIFT - 1) count_end();
}

/* shuffled.c, with fewer and larger blocks: a thread needs two segments, and gives them back. */
enum { SHUFFLED = 1000 };

static void shuffle(unsigned thread) {
    for (size_t n = SHUFFLED - 1; n > 0; n--) {
        const size_t other = below(thread, n + 1);
        void *const block = slots[thread][n];
        slots[thread][n] = slots[thread][other];
        slots[thread][other] = block;
    }
}

static void shuffled(unsigned thread) {
    const size_t step = turns[thread] % (3 * SHUFFLED);
    if (step == SHUFFLED || step == 2 * SHUFFLED) shuffle(thread);
    if (step < SHUFFLED) slots[thread][step] = take(octaves(thread, 7, 13));
    else if (step < SHUFFLED + SHUFFLED / 2) drop(thread, step - SHUFFLED);
    else if (step < 2 * SHUFFLED) slots[thread][step - SHUFFLED - SHUFFLED / 2] = take(octaves(thread, 7, 13));
    else drop(thread, step - 2 * SHUFFLED);
}

static void huge(unsigned thread) { put(thread, turns[thread] % 4, octaves(thread, 18, 23)); }
static void buffers(unsigned thread) { put(thread, below(thread, 4), 5000000 + below(thread, 20000000)); }

/* realloc.c: eight vectors of 8-byte elements that double, to 1 MiB at most; a turn is one realloc. */
static void vectors(unsigned thread) {
    const size_t vector = turns[thread] % 8;
    size_t *const has = &sizes[thread][2 * vector], *const last = has + 1;
    if (*has == 0) *last = 8 * octaves(thread, 4, 17);
    *has = *has == 0 ? 32 : 2 * *has;
    slots[thread][vector] = grow(slots[thread][vector], *has);
    if (*has < *last) return;
    drop(thread, vector);
    *has = 0;
}

/* seed003.c: filled vectors of all sizes up to 100,000 bytes, in order. */
static void filled(unsigned thread) { free(take((size_t)turns[thread] * 67 % 100000)); }

/* bignum.c: three results in turn, of a few limbs. */
static void bignum(unsigned thread) {
    void *const product = take(16 + 4 * below(thread, 12)), *const sum = take(16 + 4 * below(thread, 12));
    free(product);
    put(thread, turns[thread] % 2, 16 + 4 * below(thread, 12));
    free(sum);
}

const load_t loads_teams[] = {
    {"stress", stress, 600, 600, 20 * US, 0},
    {"handoff", handoff, 1500, 500, US / 2, 0},
    {"server", server, 1000, 1500, US / 10, 0},
    {"shuffled", shuffled, 3 * SHUFFLED, 3 * SHUFFLED, US / 10, 0},
    {"huge", huge, 200, 200, 200 * US, 0},
    {"buffers", buffers, 200, 200, 2 * MS, 0},
    {"vectors", vectors, 1200, 600, 10 * US, 0},
    {"filled", filled, 1500, 1500, 5 * US, 0},
    {"bignum", bignum, 800, 400, US / 10, 0},
    {0},
};
