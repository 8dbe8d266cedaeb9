//# states: large blocks of which little is written to, many at a time, take no page faults after the first rounds; and memory that went back to
//# states: the kernel meanwhile serves as any other, also where the kernel does not take it
//# libc: brawn
//# profile: fast lean
//# case: batches contents locked
//# timeout: 60
//# not-covered: qemu/*: the emulator's own faults are counted, too
#include "rounds.h"
#include <sys/mman.h>

enum {
    COUNT = 100,
    PAGE = 4 * KIB,
};
static char *blocks[COUNT];

static size_t size_of(int i, unsigned round) { return (256 + (i * 37 + round * 11) % 97 * 40) * (size_t)KIB; }

/* A page of each: 200 MiB of address space, and 400 KiB of memory. */
static void batch(void) {
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = malloc(size_of(i, 0));
        NEED(blocks[i]);
        *blocks[i] = 1;
    }
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
}
static void batches(void) { rounds(batch, COUNT * PAGE); }

/* All bytes of some blocks are written to, and parts of others; some grow, and some have to be zero. */
static void contents(void) {
    for (unsigned round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            const size_t size = size_of(i, round), used = i % 3 ? 3 * PAGE : size;
            blocks[i] = i % 2 ? calloc(1, size) : malloc(size);
            NEED(blocks[i]);
            for (size_t at = 0; i % 2 && at < size; at++) {
                if (!blocks[i][at]) continue;
                check_failed("round %u, block %d of %zu bytes: %d at %zu\n", round, i, size, blocks[i][at], at);
                break;
            }
            fill(blocks[i], used, round + (unsigned)i);
            if (i % 5 == 0) blocks[i] = realloc(blocks[i], size + (size_t)i * 10 * KIB);
            NEED(blocks[i]);
        }
        for (int i = 0; i < COUNT; i++) {
            CHECK_FILLED(blocks[i], (size_t)(i % 3 ? 3 * PAGE : size_of(i, round)), round + (unsigned)i);
            free(blocks[i]);
        }
    }
}

/* Pages that are locked in memory stay. */
static void locked(void) {
    for (int n = 0; n < 3; n++) {
        for (int i = 0; i < COUNT; i++) {
            blocks[i] = malloc(size_of(i, 0));
            NEED(blocks[i]);
            if (i % 10 == 0) NEED(mlock(blocks[i] + 64 * KIB, PAGE) == 0);
            memset(blocks[i], n, 128 * KIB);
        }
        for (int i = 0; i < COUNT; i++) free(blocks[i]);
    }
}

RUN_CASES({"batches", batches}, {"contents", contents}, {"locked", locked})
