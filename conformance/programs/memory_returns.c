//# states: memory that is freed can be used again for blocks of other sizes, and large blocks go back
//# case: hog_then_small small_then_hog fragmentation steady large_back empty_once
//# case: empty_62 empty_63 empty_64 empty_65
//# timeout: 60
//# alone
#include "check.h"

static long resident(void) { return check_own_memory(); }
/* Holds `whole` bytes in blocks of `n`, then frees them. */
static void hold(size_t whole, size_t n) {
    void **last = NULL;
    for (size_t i = 0; i < whole / n; i++) {
        void **p = malloc(n);
        NEED(p);
        memset(p, 1, n);
        *p = last;
        last = p;
    }
    while (last) {
        void **next = *last;
        free(last);
        last = next;
    }
}
enum { MIB = 1 << 20 };
static void hog_then_small(void) {
    hold(400 * MIB, 100 * MIB);
    hold(400 * MIB, MIB);
    long before = resident();
    hold(100 * MIB, 100);
    CHECK(resident() < before + 250 * 1024, "%ld KiB, before %ld KiB", resident(), before);
    void *p = malloc(10);
    NEED(p);
    free(p);
}
static void small_then_hog(void) {
    hold(200 * MIB, 64);
    hold(200 * MIB, 3000);
    hold(200 * MIB, 20000);
    long peak = resident();
    hold(200 * MIB, 300000);
    /* Four times the same amount, one after the other, may not become four times the memory. */
    CHECK(peak < 520 * 1024, "%ld KiB are resident", peak);
}
static void fragmentation(void) {
    /* Every second block stays, of a size that changes: a heap may waste, but with bounds. */
    enum { COUNT = 200000 };
    static void *blocks[COUNT];
    uint64_t state = 5;
    size_t live = 0;
    for (int round = 0; round < 6; round++) {
        size_t base = 16 << round;
        for (int i = 0; i < COUNT; i++)
            if (!blocks[i]) NEED(blocks[i] = memset(malloc(base), 1, base));
        for (int i = 0; i < COUNT; i++)
            if (next_random(&state) % 2) {
                free(blocks[i]);
                blocks[i] = NULL;
            }
    }
    /* After the last round half of the blocks are left: about half of them of 512 bytes, a
     * quarter of 256, and so on. */
    for (int i = 0; i < COUNT; i++) live += blocks[i] ? 1 : 0;
    long most = (long)(live * 512 / 1024) * 4;
    CHECK(resident() < most, "%ld KiB are resident for %zu blocks, expected less than %ld",
        resident(), live, most);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
}
static void steady(void) {
    /* The same load for a long time: no growth after the start. */
    enum { LIVE = 5000 };
    static void *blocks[LIVE];
    uint64_t state = 11;
    long early = 0;
    for (int i = 0; i < 3000000; i++) {
        uint64_t r = next_random(&state);
        int k = r % LIVE;
        size_t n = (r >> 20) % ((size_t)32 << (r >> 55) % 9);
        free(blocks[k]);
        NEED(blocks[k] = malloc(n));
        memset(blocks[k], 1, n);
        if (i == 1000000) early = resident();
    }
    CHECK(resident() < early + early / 3 + 2048, "%ld KiB, early %ld KiB", resident(), early);
}
static void large_back(void) {
    long before = resident();
    for (int i = 0; i < 5; i++) {
        size_t n = (size_t)200 * MIB;
        char *p = malloc(n);
        NEED(p);
        memset(p, 1, n);
        free(p);
    }
    CHECK(resident() < before + 32 * 1024, "%ld KiB, before %ld KiB", resident(), before);
}
/* Groups of blocks, each of which is freed and taken once more before the next: what was empty for a moment and then full is
 * given back as anything else. */
static void groups(int group, size_t size) {
    enum { BLOCKS = 40000 };
    static void *blocks[BLOCKS];
    const long before = resident();
    int count = 0;
    for (; count + group <= BLOCKS; count += group)
        for (int twice = 0; twice < 2; twice++) {
            for (int k = 0; k < group; k++) NEED(blocks[count + k] = memset(malloc(size), 1, size));
            for (int k = 0; k < group && twice == 0; k++) free(blocks[count + k]);
        }
    for (int i = 0; i < count; i++) free(blocks[i]);
    CHECK(resident() < before + 12 * 1024, "%ld KiB, before %ld KiB, groups of %d", resident(), before, group);
}
static void empty_once(void) { groups(16, 1024); }
/* The same with about as many blocks as a page of 64 KiB has, whatever a heap puts beside each.  Each in a process of its own: what a program takes
 * again within a second may stay. */
static void empty_62(void) { groups(62, 1000); }
static void empty_63(void) { groups(63, 1000); }
static void empty_64(void) { groups(64, 1000); }
static void empty_65(void) { groups(65, 1000); }
RUN_CASES({"hog_then_small", hog_then_small}, {"small_then_hog", small_then_hog},
    {"fragmentation", fragmentation}, {"steady", steady}, {"large_back", large_back},
    {"empty_once", empty_once}, {"empty_62", empty_62}, {"empty_63", empty_63}, {"empty_64", empty_64}, {"empty_65", empty_65})
