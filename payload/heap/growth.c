// Blocks that grow by realloc: what a thread learns from one of them for the next one.
//
// Such a block is likely to grow as far as the one before it did, and the thread's last one is likely to grow on.  So it moves early to where the
// last one was, or gets more room than it asks for, and is copied seldom.

// How much the block `p` gets where it grows to `size` bytes and has to move.  In a small heap, a block is likely to grow as far as the one before it
// did, for which a span waits, and the thread's last block that moved is likely to grow on: it gets more than twice as much, so that a block that
// doubles has room for the next time, too.  Any other large one gets half as much again in a thread with few pages.  In larger heaps that takes
// memory: what was free between other blocks was written to before.
static inline size_t brawn_grown(const mi_heap_t *heap, const void *p, size_t size) {
    if (size > BRAWN_SPAN_MAX / 3 * 2 || heap == NULL) return size;
    const brawn_growth_t *const growth = &((brawn_tld_t *)heap->tld)->growth;
    if (heap->tld->segments.count <= 1) {
        const size_t before = growth->before, twice = 2 * size + MI_MAX_ALIGN_SIZE;
        if (before > MI_MEDIUM_OBJ_SIZE_MAX && before <= BRAWN_SPAN_MAX && size < before && size >= before / BRAWN_GROWN_TIMES) return before;
        if (growth->last == p) return twice < BRAWN_SPAN_MAX ? twice : BRAWN_SPAN_MAX;
    }
    if (size <= BRAWN_GROWN || heap->page_count > BRAWN_SPAN_PAGES) return size;
    const size_t more = size + size / 2;
    return more > MI_MEDIUM_OBJ_SIZE_MAX ? more : MI_MEDIUM_OBJ_SIZE_MAX + 1;
}

// `p` got the last one's mapping early, for `size` bytes.
static inline void brawn_growth_early(brawn_growth_t *growth, void *p, size_t size) {
    growth->large = NULL;
#if !BRAWN_LARGE_TIGHT
    growth->early = p;
    growth->early_size = size;
#endif
}

// A block grew in a mapping, from `old` to `p`.  Where another one got its mapping early and stayed small meanwhile, the next ones get theirs from
// twice that size on: a program may keep such blocks, as a server does a buffer for each connection.
static inline void brawn_growth_large(brawn_growth_t *growth, const void *old, void *p) {
    growth->large = p;
#if !BRAWN_LARGE_TIGHT
    if (mi_likely(growth->early == NULL)) return;
    const bool stayed = growth->early != old && growth->early != p;
    if (stayed && growth->least < 2 * growth->early_size) growth->least = 2 * growth->early_size;
    growth->early = NULL;
#endif
}

// A block grew to `size` bytes, from `old` to `p`: it had to move, or it grew in its mapping.
static inline void brawn_note_grown(const void *old, void *p, size_t size) {
    brawn_tld_t *const own = brawn_own_or_none();
    if (own == NULL) return;
    brawn_growth_t *const growth = &own->growth;
    if (growth->last != old) growth->before = growth->to;
    growth->last = p;
    growth->to = size;
    if (size > BRAWN_SPAN_MAX) brawn_growth_large(growth, old, p);
}

// Whether a request for `size` bytes lets the block that moved last grow on.  It was given room for this, so it stays, however much of the room is unused.
static inline bool brawn_grows_on(const void *p, size_t size) {
    brawn_tld_t *const own = brawn_own_or_none();
    if (own == NULL || mi_likely(own->growth.last != p || size < own->growth.to)) return false;
    own->growth.to = size;
    return true;
}

// The mapping that the thread's last block grew in, if it waits in the thread's slots, for a block that grows to `size` bytes or is likely to: it is
// not copied again on its way.  That the mapping is much larger costs nothing, since it is there, and where the process would grow beyond its
// peak, what the block does not need is cut off (slack.c).  The next one gets none before this one is larger than a span.  NULL: it is in use, too
// large, or not for this size.
static void *brawn_grown_large(size_t size) {
    brawn_kept_large_t *slot = brawn_own_large_slots();
    if (slot == NULL) return NULL;
    brawn_growth_t *const growth = &brawn_own_or_none()->growth;  // who has slots has a heap
    if (growth->large == NULL) return NULL;
#if !BRAWN_LARGE_TIGHT
    if (size < growth->least) return NULL;
#endif
    const mi_segment_t *const wanted = brawn_segment(growth->large);
    if (mi_atomic_load_relaxed(&slot->segment) != wanted && mi_atomic_load_relaxed(&(++slot)->segment) != wanted) return NULL;
    const size_t has = brawn_kept_large_has(slot);
    if (has < BRAWN_LARGE_START_MOST + size || (BRAWN_CHECKED && has > BRAWN_GROWN_TIMES * size)) return NULL;
    mi_segment_t *const taken = brawn_kept_large_open(brawn_kept_large_empty(slot));
    if (taken == NULL) return NULL;
    brawn_large_note_taken();
    void *const p = brawn_large_give_out(taken, brawn_large_step(size, taken->segment_size - brawn_large_offset(taken)));
    brawn_growth_early(growth, p, size);
    return p;
}

// The same for a block of `old` bytes.  The next one that begins with a span of this size gets the mapping at once.
static void *brawn_grown_early(size_t old, size_t size) {
    if (size < BRAWN_GROWN_LEAST || size > BRAWN_KEPT_LARGE_ONE) return NULL;
    void *const p = brawn_grown_large(size);
    if (p != NULL) brawn_own_or_none()->growth.from = old;
    return p;
}

// The same for a new block of `size` bytes, more than MI_MEDIUM_OBJ_SIZE_MAX, of which the last one grew early: the next one is likely to grow as
// far.  (In a checked profile it is the program's size that is noted.)
static inline void *brawn_grown_first(const mi_heap_t *heap, size_t size) {
    const bool grows = ((brawn_tld_t *)heap->tld)->growth.from == _mi_align_up(size, MI_SEGMENT_SLICE_SIZE);
    // Rounded up, the largest sizes of all are 0.
    return mi_unlikely(grows) && size <= BRAWN_KEPT_LARGE_ONE ? brawn_grown_large(size) : NULL;
}
