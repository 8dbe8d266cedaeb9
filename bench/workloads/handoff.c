/* Blocks that are handed from thread to thread: handoff THREADS OPERATIONS
 *
 * As in a server whose stages are threads: each thread has a table of 4,096 blocks of 16 B to 4 KiB, small ones more often.
 * A step takes a place of the table, sends its block to the next thread through a ring of 256 places, and puts a new
 * block there.  What comes from the thread before is read and freed.  So every block but those of the last table is
 * freed by another thread than its own, some time later.  Where the ring is full, the thread waits: how many blocks
 * are handed on must not depend on how fast a heap is.  A thread that is done still frees what comes, until all are. */
#include "workload.h"

#include <sched.h>
#include <stdatomic.h>

#define TABLE 4096
#define RING 256

struct ring {
    _Alignas(128) _Atomic unsigned head;
    _Alignas(128) _Atomic unsigned tail;
    unsigned char *places[RING];
};

static struct ring rings[MAX_THREADS];
static int threads;
static long operations;
static _Atomic unsigned long read_bytes;
static _Atomic int at_work;

static int send_block(struct ring *r, unsigned char *p) {
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&r->tail, memory_order_acquire) == RING) return 0;
    r->places[head % RING] = p;
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return 1;
}

static unsigned char *receive_block(struct ring *r) {
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&r->head, memory_order_acquire)) return 0;
    unsigned char *p = r->places[tail % RING];
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return p;
}

static size_t some_size(uint64_t *state) { return random_log_uniform(state, 4, 5 + (unsigned)random_below(state, 8)); }

/* Returns how many there were. */
static int receive_all(struct ring *in, unsigned long *sum) {
    int count = 0;
    for (unsigned char *p; (p = receive_block(in)); count++) {
        *sum += p[0];
        free(p);
    }
    return count;
}

static void work(int index) {
    static unsigned char *tables[MAX_THREADS][TABLE];
    unsigned char **table = tables[index];
    uint64_t state = random_state(300 + (uint64_t)index);
    struct ring *in = &rings[index], *out = &rings[(index + 1) % threads];
    unsigned long sum = 0;
    for (long n = 0; n < operations; n++) {
        unsigned char **place = &table[random_below(&state, TABLE)];
        while (*place && !send_block(out, *place))
            if (!receive_all(in, &sum)) sched_yield();
        size_t size = some_size(&state);
        *place = must(malloc(size));
        (*place)[0] = (*place)[size - 1] = (unsigned char)n;
        receive_all(in, &sum);
    }
    at_work--;
    while (receive_all(in, &sum) || at_work) sched_yield();
    for (int n = 0; n < TABLE; n++) free(table[n]);
    read_bytes += sum;
}

int main(int argc, char **argv) {
    threads = (int)argument(argc, argv, 1, 2);
    operations = argument(argc, argv, 2, 1000000);
    if (threads < 1 || threads > MAX_THREADS) return 2;
    at_work = threads;
    uint64_t wall = run_team(threads, work);
    double all = (double)threads * (double)operations;
    report(ns_per_operation(wall, threads, all), wall, all, "threads=%d", threads);
    return 0;
}
