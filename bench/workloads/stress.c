/* A mixed stress: stress SECONDS [OPERATIONS]
 *
 * Two threads, sizes from 16 B to 1 MiB with every octave as likely as every other.  Each thread
 * holds 40 blocks; at each step it replaces one of them.  A third of the blocks that it lets go
 * are not freed but sent to the other thread through a ring of 16 places, which frees them.  So at
 * most 2 * 40 + 2 * 16 = 112 blocks live, 10 MiB on average (the mean size is 94 KiB); a heap that
 * holds much more holds memory that nobody uses.  Every page of a block is written.
 *
 * With OPERATIONS, each thread stops after that many steps, whatever time it takes. */
#include "workload.h"

#include <stdatomic.h>

#define SLOTS 40
#define RING 16

struct ring {
    _Alignas(128) _Atomic unsigned head;
    _Alignas(128) _Atomic unsigned tail;
    void *places[RING];
};

static struct ring rings[2];
static uint64_t deadline;
static long limit;
static long steps[2];

static int send_block(struct ring *r, void *p) {
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&r->tail, memory_order_acquire) == RING) return 0;
    r->places[head % RING] = p;
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return 1;
}

static void *receive_block(struct ring *r) {
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&r->head, memory_order_acquire)) return 0;
    void *p = r->places[tail % RING];
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return p;
}

static void work(int index) {
    void *slots[SLOTS] = {0};
    uint64_t state = random_state(77 + (uint64_t)index);
    struct ring *out = &rings[index], *in = &rings[!index];
    long step = 0;
    for (; limit ? step < limit : (step % 256 || now_ns() < deadline); step++) {
        size_t slot = random_below(&state, SLOTS);
        size_t size = random_log_uniform(&state, 4, 20);
        void *old = slots[slot];
        if (!old || random_below(&state, 3) || !send_block(out, old)) free(old);
        void *p = must(malloc(size));
        touch_pages(p, size);
        slots[slot] = p;
        for (void *q; (q = receive_block(in));) free(q);
    }
    for (size_t i = 0; i < SLOTS; i++) free(slots[i]);
    steps[index] = step;
}

int main(int argc, char **argv) {
    long seconds = argument(argc, argv, 1, 20);
    limit = argument(argc, argv, 2, 0);
    deadline = now_ns() + (uint64_t)seconds * 1000000000u;
    uint64_t wall = run_team(2, work);
    double operations = (double)steps[0] + (double)steps[1];
    report(ns_per_operation(wall, 2, operations), wall, operations, "threads=2");
    return 0;
}
