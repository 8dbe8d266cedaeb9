//# states: a block that grows by realloc, to the same size in each round, has the memory of the last round after the first rounds, and keeps
//# states: its place while there is room behind it; all bytes are still there; one that grows as far as the one before it is hardly copied, and one
//# states: that does not grow so far does not hold the memory that this takes
//# libc: brawn
//# profile: fast
//# case: by_steps by_little by_eighths by_halves many again_to_span again_to_mapping stays_small beside_large
//# timeout: 60
//# not-covered: qemu/*: the emulator's own faults are counted, too
#include "rounds.h"
#include <malloc.h>

static char *grown(char *p, size_t before, size_t n) {
    NEED(p = realloc(p, n));
    for (size_t i = 0; i < before; i += 509) CHECK(p[i] == (char)(i % 251), "byte %zu of %zu is %d after growing to %zu", i, before, p[i], n);
    for (size_t i = before; i < n; i++) p[i] = (char)(i % 251);
    return p;
}

/* The mapping that the last one grew in serves from the first size on: nothing is copied. */
static void steps(void) {
    static int round;
    int moves = 0;
    char *p = NULL;
    for (size_t n = 64 * KIB; n <= 2000 * KIB; n += 64 * KIB) {
        char *const before = p;
        p = grown(p, n - 64 * KIB, n);
        moves += before != NULL && p != before;
    }
    CHECK(++round <= FIRST_ROUNDS || moves == 0, "a block that grew 30 times moved %d times", moves);
    free(p);
}
static void by_steps(void) { rounds(steps, 2000 * KIB); }

/* From a page's block to a span, from a span to a mapping.  It moves seldom: to copy it each time would take ten times what it has. */
static void little(void) {
    int moves = 0;
    char *p = NULL;
    for (size_t n = 4 * KIB; n <= 300 * KIB; n += 4 * KIB) {
        char *const before = p;
        p = grown(p, n - 4 * KIB, n);
        moves += before != NULL && p != before;
    }
    CHECK(moves <= 12, "a block that grew 74 times moved %d times", moves);
    free(p);
}
static void by_little(void) { rounds(little, 300 * KIB); }

/* From the least size on, as a text to which little is added each time.  What it got too much goes back when it gets the size that it needs. */
static void eighths(void) {
    int moves = 0;
    char *p = NULL;
    size_t before = 0;
    for (size_t n = 16; n <= 90 * KIB; n += n / 8) {
        char *const was = p;
        p = grown(p, before, n);
        before = n;
        moves += was != NULL && p != was;
    }
    CHECK(moves <= 14, "a block that grew 76 times moved %d times", moves);
    const size_t needs = before / 4;
    NEED(p = realloc(p, needs));
    CHECK(malloc_usable_size(p) < 2 * needs, "%zu bytes have %zu", needs, malloc_usable_size(p));
    free(p);
}
static void by_eighths(void) { rounds(eighths, 128 * KIB); }

/* Through all sizes of pages and spans, which become free one after the other: what of them was written to is counted. */
static void halves(void) {
    for (int i = 0; i < 50; i++) {
        char *p = NULL;
        size_t before = 0;
        for (size_t n = 16; n <= 64 * KIB; n += n / 2) {
            p = grown(p, before, n);
            before = n;
        }
        free(p);
    }
}
static void by_halves(void) { rounds(halves, 256 * KIB); }

/* Vectors side by side, freed in another order: what stands behind a block belongs to another one. */
static void vectors(void) {
    enum { COUNT = 40 };
    static char *p[COUNT];
    static size_t has[COUNT];
    for (int step = 0; step < 12; step++) {
        for (int i = 0; i < COUNT; i++) {
            const size_t n = (size_t)(step + 1) * (3 + (size_t)i % 7) * KIB;
            p[i] = grown(p[i], has[i], n);
            has[i] = n;
        }
    }
    for (int i = 0; i < COUNT; i++) {
        const int at = i * 7 % COUNT;
        free(p[at]);
        p[at] = NULL;
        has[at] = 0;
    }
}
static void many(void) { rounds(vectors, 40 * 12 * 6 * KIB); }

/* How many bytes are copied where a block grows to twice its size again and again. */
static size_t doubled(size_t end) {
    size_t copied = 0;
    char *p = NULL;
    for (size_t n = 16, before = 0; n <= end; before = n, n *= 2) {
        char *const was = p;
        p = grown(p, before, n);
        if (was != NULL && p != was) copied += before;
    }
    free(p);
    return copied;
}

static void again(size_t end, size_t most) {
    for (int i = 0; i < FIRST_ROUNDS; i++) doubled(end);
    for (int i = 0; i < ROUNDS; i++) {
        const size_t copied = doubled(end);
        CHECK(copied <= most, "%zu bytes were copied on the way to %zu, expected at most %zu", copied, end, most);
    }
}
static void again_to_span(void) { again(64 * KIB, 2 * KIB); }
static void again_to_mapping(void) { again(MIB, 16 * KIB); }

static long resident(void) {
    char text[128];
    long pages = 0;
    FILE *f;
    NEED(f = fopen("/proc/self/statm", "r"));
    NEED(fgets(text, sizeof text, f) != NULL && sscanf(text, "%*d %ld", &pages) == 1);
    fclose(f);
    return pages * 4;
}

/* Grows to twice its size again and again, up to `end`, and stays. */
static char *stays(size_t end) {
    char *p = NULL;
    for (size_t n = 16, had = 0; n <= end; had = n, n *= 2) p = grown(p, had, n);
    return p;
}

/* After a few that grew far, many that do not, and stay; and then one large block.  What all of them take is what is in use, 1 MiB, and an eighth, by
 * which large blocks' mappings may exceed what they needed at most.  (Without a limit, a mapping of 1 MiB for each tenth: 20 MiB more.) */
static void stays_small(void) {
    enum { SMALL = 200,
        END = 8 * KIB,
        LARGE = 3 * MIB };
    static char *small[SMALL];
    const long before = resident();
    for (int i = 0; i < FIRST_ROUNDS; i++) doubled(MIB);
    for (int i = 0; i < SMALL; i++) {
        small[i] = stays(END);
        if (i % 10 == 0) doubled(MIB);
    }
    char *const large = grown(NULL, 0, LARGE);
    const long took = resident() - before, most = (SMALL * END * 5 / 4 + LARGE + MIB) / KIB * 9 / 8;
    CHECK(took <= most, "%ld KiB are resident, expected at most %ld", took, most);
    free(large);
    for (int i = 0; i < SMALL; i++) free(small[i]);
}

/* A block that stays beside each that grew far and went: as a connection's buffer beside the texts that are sent.  (If each got what the last text
 * had, they would hold 13 MiB.) */
static void beside_large(void) {
    enum { COUNT = 50,
        END = 16 * KIB };
    static char *small[COUNT];
    for (int i = 0; i < FIRST_ROUNDS; i++) doubled(256 * KIB);
    const long before = resident();
    for (int i = 0; i < COUNT; i++) {
        small[i] = stays(END);
        doubled(256 * KIB);
    }
    const long took = resident() - before, most = (COUNT * END * 5 / 4 + 2 * MIB) / KIB;
    CHECK(took <= most, "%ld KiB are resident, expected at most %ld", took, most);
    for (int i = 0; i < COUNT; i++) free(small[i]);
}

RUN_CASES({"beside_large", beside_large}, {"again_to_span", again_to_span}, {"again_to_mapping", again_to_mapping}, {"stays_small", stays_small}, {"by_steps", by_steps}, {"by_little", by_little}, {"by_eighths", by_eighths}, {"by_halves", by_halves}, {"many", many})
