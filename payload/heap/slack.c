// Slack: what a mapping has behind its block's last page.
//
// A kept mapping may serve a smaller block, so that it need not be made again.  Nobody uses the rest of the mapping,
// so it does not count as in use.
//
// It is cut off when the process's peak would grow by it: where the slack is larger than the block, and in profiles that count large
// blocks to the byte (BRAWN_LARGE_TIGHT) always.  Such mappings are in a list.  (Not where there are so many of them that they fill their alignment:
// BRAWN_LARGE_APART.)
// Any thread may cut slack off, while another one frees the block: so both hold the lock that fork holds (platform.c), which a child
// never inherits locked.

static _Atomic(uintptr_t) brawn_large_count, brawn_large_bytes;  // large.c

static mi_segment_t *brawn_slack_first;
static _Atomic(uintptr_t) brawn_slack_listed_bytes;  // of slack in the list

#if BRAWN_CHECKED
// A checked profile counts none of this: a mapping with a block is in use as a whole.  Where its end is out of reach (brawn_slack_close), the block's
// size says so.
static inline void brawn_large_fit(mi_segment_t *segment, size_t size) {
    MI_UNUSED(segment);
    MI_UNUSED(size);
}

// A kept mapping serves a block that needs no more than `size` bytes of it.  If that is less than half, the page behind them is made a guard.  (All
// of the rest would take the kernel longer than the page faults that a kept mapping saves.)  Without it, if the kernel refuses.
static void brawn_slack_close(mi_segment_t *segment, size_t size) {
    if (segment->segment_size / 2 <= size || !brawn_protect((uint8_t *)segment + size, brawn_page_size, PROT_NONE_)) return;
    segment->slices[1].block_size = size - MI_SEGMENT_SLICE_SIZE;
}

// The block goes, or changes its size: its whole mapping is in reach again.  If the kernel refuses, the mapping ends at that guard.
static NOINLINE void brawn_slack_forget(mi_segment_t *segment) {
    mi_page_t *const page = &segment->slices[1];
    uint8_t *const guard = page->page_start + page->block_size;
    const size_t rest = (size_t)((uint8_t *)segment + segment->segment_size - guard);
    if (rest == 0) return;
    if (brawn_protect(guard, brawn_page_size, PROT_RW_)) {
        page->block_size += rest;
        return;
    }
    brawn_unmap(guard + brawn_page_size, rest + segment->large_guard - brawn_page_size);
    segment->segment_size -= rest;
    segment->large_guard = brawn_page_size;
    mi_atomic_sub_relaxed(&brawn_large_bytes, rest);
}
static inline size_t brawn_slack_cut(void) { return 0; }
#else
static inline void brawn_slack_close(mi_segment_t *segment, size_t size) {
    MI_UNUSED(segment);
    MI_UNUSED(size);
}

// How many bytes of a mapping are slack, and one more if it is in the list; 0: none.  Slack is whole pages.
static inline _Atomic(size_t) *brawn_slack_of(mi_segment_t *segment) { return &segment->large_slack; }

static void brawn_slack_uncount(mi_segment_t *segment) {
    const size_t slack = mi_atomic_load_relaxed(brawn_slack_of(segment));
    brawn_slack_add(-(intptr_t)(slack & ~(size_t)1));
    if (slack & 1) mi_atomic_sub_relaxed(&brawn_slack_listed_bytes, slack - 1);
    mi_atomic_store_release(brawn_slack_of(segment), (size_t)0);
}

// Under the lock.
static void brawn_slack_unlink(mi_segment_t *segment) {
    mi_segment_t *const before = segment->slack_prev, *const after = segment->slack_next;
    if (before != NULL) before->slack_next = after;
    else brawn_slack_first = after;
    if (after != NULL) after->slack_prev = before;
    brawn_slack_uncount(segment);
}

// A block is given out that leaves `slack` bytes at its mapping's end.
static void brawn_slack_note(mi_segment_t *segment, size_t slack) {
    brawn_slack_add((intptr_t)slack);
    const bool apart = mi_atomic_load_relaxed(&brawn_large_count) < BRAWN_LARGE_APART;
    if (!BRAWN_LARGE_TIGHT && (slack <= segment->segment_size / 2 || !apart)) {
        mi_atomic_store_relaxed(brawn_slack_of(segment), slack);
        return;
    }
    mi_atomic_add_relaxed(&brawn_slack_listed_bytes, slack);
    mi_lock(&brawn_abandoned_lock) {
        mi_atomic_store_relaxed(brawn_slack_of(segment), slack | 1);
        segment->slack_prev = NULL;
        segment->slack_next = brawn_slack_first;
        if (brawn_slack_first != NULL) brawn_slack_first->slack_prev = segment;
        brawn_slack_first = segment;
    }
}

// A mapping is given out for a plain block of `size` bytes.
static NOINLINE void brawn_large_fit(mi_segment_t *segment, size_t size) {
    mi_page_t *const page = &segment->slices[1];
    if (page->page_start != (uint8_t *)segment + MI_SEGMENT_SLICE_SIZE) return;
    const size_t mapping = _mi_align_up(MI_SEGMENT_SLICE_SIZE + size, brawn_page_size);
    page->block_size = mapping - MI_SEGMENT_SLICE_SIZE;
    if (segment->segment_size > mapping) brawn_slack_note(segment, segment->segment_size - mapping);
}

// The block goes, or changes its size: from here on the mapping's size is its owner's alone.
static NOINLINE void brawn_slack_forget(mi_segment_t *segment) {
    const size_t slack = mi_atomic_load_acquire(brawn_slack_of(segment));
    if (slack == 0) return;
    if ((slack & 1) == 0) {
        brawn_slack_uncount(segment);
        return;
    }
    mi_lock(&brawn_abandoned_lock) {
        if (mi_atomic_load_relaxed(brawn_slack_of(segment)) != 0) brawn_slack_unlink(segment);
    }
}

// Cuts off the largest slack there is, and returns how much that was; 0: there is none.  It is unmapped after the lock is released, since
// other threads would wait for the kernel.  Until then it stays mapped: nothing else can be mapped there, and the thread that has the rest of
// the mapping cannot grow into it.
static size_t brawn_slack_cut(void) {
    size_t slack = 0;
    uint8_t *end = NULL;
    if (mi_atomic_load_relaxed(&brawn_slack_listed_bytes) == 0) return 0;
    mi_lock(&brawn_abandoned_lock) {
        mi_segment_t *largest = NULL;
        for (mi_segment_t *segment = brawn_slack_first; segment != NULL; segment = segment->slack_next) {
            const size_t has = mi_atomic_load_relaxed(brawn_slack_of(segment)) - 1;
            if (has <= slack) continue;
            largest = segment;
            slack = has;
        }
        if (largest != NULL) {
            largest->segment_size -= slack;
            end = (uint8_t *)largest + largest->segment_size;
            brawn_slack_unlink(largest);
        }
    }
    brawn_unmap(end, slack);
    return slack;
}
#endif

// ---------------------------------------------------------------------------------------------
// When large blocks in use come near to the most there ever were, the process comes near to its peak.  Then what is free in the threads'
// segments goes back first.  A thread cannot do this for another one, so each thread comes here when it needs a page.

#if BRAWN_LARGE_TIGHT
static _Atomic(uintptr_t) brawn_peak_epoch;  // counts how often that was so

// What is free in the calling thread's segments, as much as one segment has: so that it takes a bounded time.
static NOINLINE void brawn_near_peak_own(mi_heap_t *heap, uintptr_t epoch) {
    enum { VISITS = 64 };
    ((brawn_tld_t *)heap->tld)->peak_epoch = epoch;
    if (brawn_options.keep_free < 0) return;
    brawn_spans_release();
    _mi_heap_collect_retired(heap, true);
    size_t slices = 0, visits = 0;
    for (size_t bin = MI_SEGMENT_BIN_MAX; bin > 0; bin--) {
        for (mi_slice_t *slice = heap->tld->segments.spans[bin].first; slice != NULL; slice = slice->next) {
            slices += brawn_segment_purge(_mi_ptr_segment(slice));
            if (slices >= MI_SLICES_PER_SEGMENT || ++visits == VISITS) return;
        }
    }
}

static void brawn_near_peak(void) {
    const uintptr_t epoch = mi_atomic_increment_relaxed(&brawn_peak_epoch) + 1;
    brawn_kept_release();
    if (brawn_heap != NULL) brawn_near_peak_own(brawn_heap, epoch);
}

// Before a thread takes a page.
static inline void brawn_near_peak_seen(mi_heap_t *heap) {
    const uintptr_t epoch = mi_atomic_load_relaxed(&brawn_peak_epoch);
    if (mi_unlikely(((brawn_tld_t *)heap->tld)->peak_epoch != epoch)) brawn_near_peak_own(heap, epoch);
}
#else
static void brawn_near_peak(void) {}
static inline void brawn_near_peak_seen(mi_heap_t *heap) { MI_UNUSED(heap); }
#endif
