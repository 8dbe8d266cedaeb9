//# states: in secure, closed pages: behind the header of a small block's MiB and at its end, and behind each large block
//# libc: brawn
//# profile: secure
//# case: first_segment more_segments used_again other_thread large_in_turn
#include "check.h"
#include <pthread.h>
#include <stdint.h>

enum {
    MIB = 1 << 20,
    SIZE = 1000,
    PROBES = 32,
    BLOCKS = 8192 / PROBES * PROBES,
};

/* The end of the mapping without any rights that a page lies in; 0: it lies in none. */
static uintptr_t closed_until(uintptr_t page) {
    uintptr_t closed = 0;
    char *const text = check_maps();
    NEED(*text);
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *at = line;
        const uintptr_t from = strtoul(at, &at, 16), to = strtoul(at + 1, &at, 16);
        if (page >= from && page < to && strncmp(at, " ---", 4) == 0) closed = to;
    }
    return closed;
}

static uintptr_t begin_of(uintptr_t block) { return block & ~(uintptr_t)(MIB - 1); }

/* The header ends with the first closed page.  Pages begin behind it; where blocks were freed, the first of them may be closed, too. */
static void look_at(uintptr_t block, int any_freed) {
    const uintptr_t begin = begin_of(block), size = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t page = begin;
    while (page < block && !closed_until(page)) page += size;
    CHECK(page > begin && page < block && (any_freed || closed_until(page) == page + size), "no closed page between the header and the blocks of %#lx",
        (unsigned long)begin);
    if (size == 4096) CHECK(closed_until(begin + MIB - size), "the last page of %#lx is not closed", (unsigned long)begin);
}

static uintptr_t blocks[BLOCKS];

/* How many of them lie in a segment that is in `before`, where there is one. */
static int look_at_all(const uintptr_t *before) {
    int again = 0;
    for (int i = 0; i < BLOCKS; i++) NEED(blocks[i] = (uintptr_t)hidden(malloc(SIZE)));
    for (int i = 0; i < BLOCKS; i += BLOCKS / PROBES) {
        look_at(blocks[i], before != NULL);
        for (int n = 0; before && n < PROBES; n++) again += begin_of(blocks[i]) == before[n];
    }
    for (int i = 0; i < BLOCKS; i++) free((void *)blocks[i]);
    return again;
}

static void first_segment(void) {
    /* Pages that are made later open memory, a piece at a time. */
    for (size_t size = 16; size <= 8192; size *= 2) {
        void *p = hidden(malloc(size));
        NEED(p);
        look_at((uintptr_t)p, 0);
    }
}
static void more_segments(void) { look_at_all(NULL); }
/* A segment that is kept, and serves again. */
static void used_again(void) {
    uintptr_t before[PROBES];
    int again = 0;
    for (int i = 0; i < 4; i++) {
        again += look_at_all(i > 0 ? before : NULL);
        for (int n = 0; n < PROBES; n++) before[n] = begin_of(blocks[n * (BLOCKS / PROBES)]);
    }
    CHECK(again > 0, "no segment served again");
}
static void *other_main(void *unused) {
    first_segment();
    used_again();
    return unused;
}
static void other_thread(void) {
    pthread_t id;
    NEED(!pthread_create(&id, NULL, other_main, NULL));
    NEED(!pthread_join(id, NULL));
}

/* Blocks of different sizes in turn, of which the heap keeps the largest one's memory for all.  (No more of them than get a guard at once: after
 * that it is one for each millisecond, and a fast machine takes less for a block.) */
static void large_in_turn(void) {
    enum { AT_ONCE = 64 };
    static const size_t sizes[] = {8 << 20, 200000, 3 << 20, 700000};  // none at most twice another
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int round = 0; round < AT_ONCE; round++) {
        const size_t size = sizes[round % 4];
        unsigned char *const p = hidden(malloc(size));
        NEED(p);
        memset(p, round, size);
        const uintptr_t behind = ((uintptr_t)p + size + page - 1) & ~(uintptr_t)(page - 1);
        CHECK(closed_until(behind), "round %d: nothing closed behind the %zu bytes at %p", round, size, (void *)p);
        free(p);
    }
}
RUN_CASES({"first_segment", first_segment}, {"more_segments", more_segments}, {"used_again", used_again}, {"other_thread", other_thread}, {"large_in_turn", large_in_turn})
