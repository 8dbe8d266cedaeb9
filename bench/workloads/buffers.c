/* Very large buffers: buffers COUNT
 *
 * COUNT buffers of 5 to 25 MB, of which four live at a time, as in programs for images and matrices.  Every page is written. */
#include "workload.h"

#define LIVE 4

int main(int argc, char **argv) {
    long count = argument(argc, argv, 1, 200);
    unsigned char *live[LIVE] = {0};
    uint64_t state = random_state(700), begin = now_ns();
    for (long n = 0; n < count; n++) {
        unsigned char **place = &live[random_below(&state, LIVE)];
        free(*place);
        size_t size = 5000000 + random_below(&state, 20000000);
        *place = must(malloc(size));
        touch_pages(*place, size);
    }
    uint64_t wall = now_ns() - begin;
    for (int n = 0; n < LIVE; n++) free(live[n]);
    report((double)wall / (double)count, wall, (double)count, "live=%d", LIVE);
    return 0;
}
