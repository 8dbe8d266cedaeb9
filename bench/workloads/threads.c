/* malloc and free of 1 to 1000 bytes on N threads at once: threads N PAIRS MODE
 *
 * Each thread frees what it allocated, one block at a time, PAIRS times.
 * MODE random: sizes drawn uniformly, the first byte written.
 * MODE counter: sizes 1, 2, …, 1000, 1, 2, … as the benchmark programs have them, not filled. */
#include "workload.h"

static long pairs;
static int counting;

static void work(int index) {
    if (counting) {
        size_t counter = 0;
        for (long i = 0; i < pairs; i++) {
            unsigned char *p = must(malloc(counter % 1000 + 1));
            *p = 1;
            keep(p);
            counter += *p;
            free(p);
        }
    } else {
        uint64_t state = random_state((uint64_t)index);
        for (long i = 0; i < pairs; i++) {
            unsigned char *p = must(malloc(random_below(&state, 1000) + 1));
            *p = 1;
            keep(p);
            free(p);
        }
    }
}

int main(int argc, char **argv) {
    int threads = (int)argument(argc, argv, 1, 1);
    pairs = argument(argc, argv, 2, 1000000);
    counting = argc > 3 && strcmp(argv[3], "counter") == 0;
    uint64_t wall = run_team(threads, work);
    double operations = (double)pairs * threads;
    report(ns_per_operation(wall, threads, operations), wall, operations, "threads=%d", threads);
    return 0;
}
