//# states: all bytes that malloc_usable_size names belong to the block; it never names fewer than asked for,
//# states: and for blocks of up to 90,000 bytes, whatever the size of pages, at most a quarter and 4 KiB more
#include "check.h"
#include <malloc.h>

enum { COUNT = 700 };
static unsigned char *blocks[COUNT];
static size_t usable[COUNT];

/* An emulator takes seconds for megabytes: there nine of ten large blocks are smaller. */
static size_t size_of(size_t i) {
    if (i < 600) return i < 300 ? i : i * 37;
    return (i - 599) * (i % 10 && check_emulated() ? 2500 : 10000);
}

static void take(void *(*how)(size_t)) {
    for (size_t i = 0; i < COUNT; i++) {
        size_t n = size_of(i);
        NEED(blocks[i] = how(n));
        usable[i] = malloc_usable_size(blocks[i]);
        CHECK(usable[i] >= n, "%zu bytes asked for, %zu usable", n, usable[i]);
        CHECK(n > 90000 || usable[i] <= n + n / 4 + 4096, "%zu bytes asked for, %zu usable", n, usable[i]);
        fill(blocks[i], usable[i], i);
    }
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_SAME(malloc_usable_size(blocks[i]), usable[i]);
        CHECK_FILLED(blocks[i], usable[i], i);
    }
    for (size_t i = 0; i < COUNT; i += 2) free(blocks[i]);
    for (size_t i = 1; i < COUNT; i += 2) {
        CHECK_FILLED(blocks[i], usable[i], i);
        /* What was usable before is kept when the block grows: programs rely on the bytes that
         * they were told of. */
        size_t kept = size_of(i);
        NEED(blocks[i] = realloc(blocks[i], usable[i] + 100));
        CHECK_FILLED(blocks[i], kept, i);
        free(blocks[i]);
    }
}
static void *aligned(size_t n) { return aligned_alloc(256, n); }
static void *zeroed(size_t n) { return calloc(n, 1); }
static void *moved(size_t n) { return realloc(malloc(n / 2), n + 1); }

int main(void) {
    take(malloc);
    take(zeroed);
    take(aligned);
    take(moved);
    take(malloc);
    return check_result();
}
