/* Producers and consumers: oneway PAIRS OPERATIONS
 *
 * One half of the threads only allocates, the other half only frees: in each pair a producer takes blocks of 16 B to 1 KiB,
 * small ones more often, and gives them away 128 at a time; a consumer reads each block and frees it.  Sixteen such lots
 * may wait, then the producer waits, too.  So no thread ever gets back what it took, but from the heap. */
#include "workload.h"

#define LOT 128
#define WAITING 16

struct lot {
    unsigned char *blocks[LOT];
};

static struct queue {
    _Alignas(2 * CACHE_LINE) pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned first, count;
    struct lot lots[WAITING];
} queues[MAX_THREADS / 2];

static long operations;
static int pairs;
static _Atomic unsigned long read_bytes;

static void produce(struct queue *q, uint64_t state) {
    struct lot lot;
    for (long n = 0; n < operations; n += LOT) {
        for (int i = 0; i < LOT; i++) {
            size_t size = random_log_uniform(&state, 4, 5 + (unsigned)random_below(&state, 6));
            unsigned char *p = must(malloc(size));
            p[0] = p[size - 1] = (unsigned char)i;
            lot.blocks[i] = p;
        }
        pthread_mutex_lock(&q->lock);
        while (q->count == WAITING) pthread_cond_wait(&q->changed, &q->lock);
        q->lots[(q->first + q->count) % WAITING] = lot;
        if (!q->count++) pthread_cond_signal(&q->changed);
        pthread_mutex_unlock(&q->lock);
    }
}

static void consume(struct queue *q) {
    struct lot lot;
    unsigned long sum = 0;
    for (long n = 0; n < operations; n += LOT) {
        pthread_mutex_lock(&q->lock);
        while (!q->count) pthread_cond_wait(&q->changed, &q->lock);
        lot = q->lots[q->first];
        q->first = (q->first + 1) % WAITING;
        if (q->count-- == WAITING) pthread_cond_signal(&q->changed);
        pthread_mutex_unlock(&q->lock);
        for (int i = 0; i < LOT; i++) {
            sum += lot.blocks[i][0];
            free(lot.blocks[i]);
        }
    }
    read_bytes += sum;
}

static void work(int index) {
    struct queue *q = &queues[index / 2];
    if (index % 2) consume(q);
    else produce(q, random_state(700 + (uint64_t)index));
}

int main(int argc, char **argv) {
    pairs = (int)argument(argc, argv, 1, 1);
    operations = argument(argc, argv, 2, 1000000);
    if (pairs < 1 || pairs > MAX_THREADS / 2) return 2;
    for (int i = 0; i < pairs; i++) {
        pthread_mutex_init(&queues[i].lock, 0);
        pthread_cond_init(&queues[i].changed, 0);
    }
    uint64_t wall = run_team(2 * pairs, work);
    double all = (double)pairs * (double)operations;
    report(ns_per_operation(wall, 2 * pairs, all), wall, all, "threads=%d", 2 * pairs);
    return 0;
}
