/* A thread per processor fills vectors that grow by one byte from 0 to 100,000:
 * seed003 [THREADS [ITERATIONS]]
 *
 * In Rust the loop's body is
 *     let data = vec![1u8; counter];
 *     counter += usize::from(data.get(100).copied().unwrap_or(1));
 * An empty vector does not allocate, and every element is 1. */
#include "workload.h"

static long iterations;
static size_t counters[MAX_THREADS];

static void *work(void *argument) {
    size_t counter = 0;
    for (long i = 0; i < iterations; i++) {
        unsigned char *data = 0;
        if (counter) {
            data = must(malloc(counter));
            memset(data, 1, counter);
            keep(data);
        }
        counter += counter > 100 ? data[100] : 1;
        free(data);
    }
    *(size_t *)argument = counter;
    printf("counter: %zu\n", counter);
    return 0;
}

int main(int argc, char **argv) {
    int threads = (int)argument(argc, argv, 1, processors());
    iterations = argument(argc, argv, 2, 100000);
    static pthread_t handles[MAX_THREADS];
    if (threads < 1 || threads > MAX_THREADS) return 2;
    uint64_t start = now_ns();
    for (int i = 0; i < threads; i++)
        if (pthread_create(&handles[i], 0, work, &counters[i])) abort();
    for (int i = 0; i < threads; i++) pthread_join(handles[i], 0);
    uint64_t wall = now_ns() - start;
    double operations = (double)threads * (double)iterations;
    report(ns_per_operation(wall, threads, operations), wall, operations,
        "threads=%d per_second=%.2f", threads, operations * 1e9 / (double)wall);
    return 0;
}
