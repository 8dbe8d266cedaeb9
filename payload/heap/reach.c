// How often what is free is put out of reach.
//
// To close a large block (large.c) and to open it takes two system calls, and interrupts the processors of other threads.  So a
// process closes BRAWN_CLOSE_BURST blocks at once, and over time one for each unit of arch_clock.  A program that frees no
// more than that has each of them closed.  (If all were: 3 times fast's time for blocks of up to 100,000 bytes, and 7
// times in the mixed stress.)  The same holds for a guard inside of a mapping (slack.c): without this, one block at a time of 256 KiB to
// 4 MiB takes 20 times glibc's time.
//
// The same also holds for pages and spans (decommit.c), whose memory goes, too, and comes back by page faults: for these once in four units.  Spans
// are larger, and a short program frees more of them than of pages: fewer at once.
enum {
    BRAWN_CLOSE_BURST = 64,
    BRAWN_PAGE_BURST = 48,
    BRAWN_SPAN_BURST = 16,
    BRAWN_DECOMMIT_UNITS = 4,
};

// A thread that was refused does not look at the clock for so many times, since that takes as long as the rest of `free`.  What it could have closed
// meanwhile it closes afterwards.
enum { BRAWN_REACH_SKIPS = 15 };

static bool brawn_may(brawn_reach_t kind, uintptr_t units, uintptr_t burst) {
    // Each takes its units of time.  This is when the last one's end.
    static _Atomic(uintptr_t) taken[BRAWN_REACH_KINDS];
    brawn_tld_t *const own = brawn_own_or_none();
    uint8_t *const skips = own != NULL ? &own->reach_skips[kind] : NULL;
    if (skips != NULL && *skips > 0) {
        --*skips;
        return false;
    }
    const uintptr_t now = (uintptr_t)arch_clock(), end = mi_atomic_load_relaxed(&taken[kind]);
    const uintptr_t from = (intptr_t)(end - now) > 0 ? end : now;
    if (from - now >= burst * units) {
        if (skips != NULL) *skips = BRAWN_REACH_SKIPS;
        return false;
    }
    mi_atomic_store_relaxed(&taken[kind], from + units);
    return true;
}

static bool brawn_may_close(void) { return brawn_may(BRAWN_REACH_CLOSE, 1, BRAWN_CLOSE_BURST); }
static bool brawn_may_guard(void) { return brawn_may(BRAWN_REACH_GUARD, 1, BRAWN_CLOSE_BURST); }
static bool brawn_page_may_go(void) { return brawn_may(BRAWN_REACH_PAGE, BRAWN_DECOMMIT_UNITS, BRAWN_PAGE_BURST); }
static bool brawn_span_may_go(void) { return brawn_may(BRAWN_REACH_SPAN, BRAWN_DECOMMIT_UNITS, BRAWN_SPAN_BURST); }
