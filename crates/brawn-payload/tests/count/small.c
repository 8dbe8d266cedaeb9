/* Loads of one kind of block each: what a row of them shows has one cause. */
#include "loads.h"

#include <stdlib.h>

static void pairs(unsigned thread) { free(take(1 + below(thread, 1000))); }
static void lifetimes(unsigned thread) { put(thread, below(thread, 32), (size_t)16 << below(thread, 11) << below(thread, 2)); }
static void large(unsigned thread) { put(thread, below(thread, 4), (100 << 10) + below(thread, 900 << 10)); }

/* What it allocates the next thread frees, half of the slots later. */
static void passed_on(unsigned thread) {
    enum { PLACES = 32 };
    drop(thread, (turns[thread] + PLACES / 2) % PLACES);
    slots[thread % threads + 1][turns[thread] % PLACES] = take(1 + below(thread, 1000));
}

/* A vector that grows by half; an operation is one realloc. */
static void growing(unsigned thread) {
    size_t *const size = &sizes[thread][0];
    *size = *size == 0 || *size > 60000 ? 16 : *size + *size / 2;
    if (*size == 16) put(thread, 0, 16);
    else slots[thread][0] = grow(slots[thread][0], *size);
}

/* A thread for each request: an operation is a thread's life, with blocks of 16 sizes. */
static void lives(unsigned thread) {
    for (size_t i = 0; i < 16; i++) put(thread, i, 1 + below(thread, 2000));
    drop_all(thread, 0, 16);
    count_end();
}

/* Alignments up to a page, now and then up to 2 MiB, and zeros. */
static void aligned(unsigned thread) {
    void **const place = &slots[thread][below(thread, 32)];
    free(*place);
    const size_t size = octaves(thread, 4, 15);
    if (below(thread, 3) == 0) *place = must(calloc(1, size));
    else if (below(thread, 16) == 0) *place = must(aligned_alloc((size_t)8192 << below(thread, 9), size));
    else *place = must(aligned_alloc((size_t)32 << below(thread, 8), size));
}

const load_t loads_small[] = {
    {"pairs", pairs, 800, 400, 200, 0},
    {"lifetimes", lifetimes, 800, 400, 500, 0},
    {"passed-on", passed_on, 800, 400, 300, 0},
    {"growing", growing, 800, 400, 2 * US, 0},
    {"large", large, 800, 400, 40 * US, 0},
    {"lives", lives, 100, 50, 30 * US, 1},
    {"aligned", aligned, 800, 400, 1 * US, 0},
    {0},
};
