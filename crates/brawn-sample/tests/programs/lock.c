// Threads that take and give memory, and wait for each other's use of the heap.
#include "turns.h"
#include <pthread.h>
#include <stdlib.h>

static void *work(void *seed) {
    void *kept[64] = {0};
    unsigned number = (unsigned)(size_t)seed;
    while (goes_on()) {
        number = number * 1664525 + 1013904223;
        unsigned at = number >> 26;
        free(kept[at]);
        kept[at] = malloc(16 + (number >> 10) % 500);
    }
    return 0;
}

int main(void) {
    pthread_t threads[6];
    begin(1000);
    for (size_t i = 0; i < 6; i++)
        pthread_create(&threads[i], 0, work, (void *)(i + 1));
    for (size_t i = 0; i < 6; i++)
        pthread_join(threads[i], 0);
    return 0;
}
