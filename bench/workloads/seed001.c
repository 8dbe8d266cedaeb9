/* A thread per processor fills vectors of 1 to 1000 bytes: seed001 [THREADS [ITERATIONS]]
 *
 * In Rust the loop's body is
 *     let data = vec![1u8; counter % 1000 + 1];
 *     counter += usize::from(data.get(100).copied().unwrap_or(1)); */
#include "workload.h"

static long iterations;
static size_t counters[MAX_THREADS];

static void *work(void *argument) {
    size_t counter = 0;
    for (long i = 0; i < iterations; i++) {
        size_t size = counter % 1000 + 1;
        unsigned char *data = must(malloc(size));
        memset(data, 1, size);
        keep(data);
        counter += size > 100 ? data[100] : 1;
        free(data);
    }
    *(size_t *)argument = counter;
    return 0;
}

int main(int argc, char **argv) {
    int threads = (int)argument(argc, argv, 1, processors());
    iterations = argument(argc, argv, 2, 100000);
    static pthread_t handles[MAX_THREADS];
    if (threads < 1 || threads > MAX_THREADS) return 2;
    printf("=== Memory Allocator Benchmark ===\n");
    printf("Threads: %d, Iterations per thread: %ld\n", threads, iterations);
    uint64_t start = now_ns();
    for (int i = 0; i < threads; i++)
        if (pthread_create(&handles[i], 0, work, &counters[i])) abort();
    size_t total = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(handles[i], 0);
        total += counters[i];
    }
    uint64_t wall = now_ns() - start;
    double operations = (double)threads * (double)iterations;
    printf("Total counter: %zu\n", total);
    printf("Time elapsed: %.2fms\n", (double)wall / 1e6);
    printf("Throughput: %.2f operations/sec\n", operations * 1e9 / (double)wall);
    report(ns_per_operation(wall, threads, operations), wall, operations,
        "threads=%d per_second=%.2f", threads, operations * 1e9 / (double)wall);
    return 0;
}
