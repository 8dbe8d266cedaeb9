/* Buffers: huge PAIRS
 *
 * Allocates and frees blocks of 256 KiB to 8 MiB, every octave as likely as every other, four
 * alive at a time, every page written: images, columns, network buffers.  A heap that gives each
 * back to the kernel at once pays for its pages again every time. */
#include "workload.h"

#define ALIVE 4

int main(int argc, char **argv) {
    long pairs = argument(argc, argv, 1, 400);
    void *alive[ALIVE] = {0};
    uint64_t state = random_state(3);
    double bytes = 0;
    uint64_t begin = now_ns();
    for (long i = 0; i < pairs; i++) {
        size_t size = random_log_uniform(&state, 18, 23);
        free(alive[i % ALIVE]);
        alive[i % ALIVE] = must(malloc(size));
        touch_pages(alive[i % ALIVE], size);
        bytes += (double)size;
    }
    for (int i = 0; i < ALIVE; i++) free(alive[i]);
    uint64_t wall = now_ns() - begin;
    report((double)wall / (double)pairs, wall, (double)pairs, "ns_per_page=%.4f",
        (double)wall * 4096 / bytes);
    return 0;
}
