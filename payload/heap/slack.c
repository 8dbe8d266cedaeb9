// Slack: what a mapping has behind its block's last page.
//
// A kept mapping may serve a smaller block, so that it need not be made again.  Nobody uses the rest of the mapping,
// so it does not count as in use.
//
// It is cut off when the process's peak would grow by it: where the slack is larger than the block and no less than BRAWN_SLACK_LEAST, and in
// profiles that count large blocks to the byte (BRAWN_LARGE_TIGHT) always.  Such slack is in a slot.  (Not where there are so many mappings that they fill their alignment:
// BRAWN_LARGE_APART.)
// Any thread may cut slack off, while another one frees the block.  So whoever takes the mapping out of the slot has the slack: one exchange, and
// nobody waits.  Only the mapping's owner changes the mapping's header, which may be gone before the slack is.

static _Atomic(uintptr_t) brawn_large_count, brawn_large_bytes;  // large.c
static inline size_t brawn_own_large_number(void);  // owned.c
static inline mi_page_t *brawn_large_page(const mi_segment_t *segment);  // large.c
static inline size_t brawn_large_offset(const mi_segment_t *segment);

#if BRAWN_CHECKED
// A checked profile counts none of this: a mapping with a block is in use as a whole.  Where its end is out of reach (brawn_slack_close), the block's
// size says so.
static inline void brawn_large_fit(mi_segment_t *segment, size_t size) {
    MI_UNUSED(segment);
    MI_UNUSED(size);
}

// A kept mapping serves a block that needs no more than `size` bytes of it.  If that is less than half, the page behind them is made a guard.  (All
// of the rest would take the kernel longer than the page faults that a kept mapping saves.)  Without it, if there were too many (brawn_may_guard), or
// the kernel refuses.
static void brawn_slack_close(mi_segment_t *segment, size_t size) {
    if (segment->segment_size / 2 <= size || !brawn_may_guard() || !brawn_protect((uint8_t *)segment + size, brawn_page_size, PROT_NONE_)) return;
    brawn_large_page(segment)->block_size = size - brawn_large_offset(segment);
}

// How many bytes of the mapping are out of reach.
static inline size_t brawn_slack_of(mi_segment_t *segment) {
    const mi_page_t *const page = brawn_large_page(segment);
    return (size_t)((uint8_t *)segment + segment->segment_size - (page->page_start + page->block_size));
}

static inline void brawn_large_end(mi_segment_t *segment, size_t size);  // large.c

// The block goes, or changes its size: its whole mapping is in reach again.  If the kernel refuses, the mapping ends at that guard.
static NOINLINE void brawn_slack_forget(mi_segment_t *segment) {
    mi_page_t *const page = brawn_large_page(segment);
    uint8_t *const guard = page->page_start + page->block_size;
    const size_t rest = brawn_slack_of(segment);
    if (rest == 0) return;
    if (brawn_protect(guard, brawn_page_size, PROT_RW_)) {
        page->block_size += rest;
        // A block that ended at the guard has no mark behind its bytes yet.
        brawn_large_end(segment, mi_atomic_load_relaxed(&segment->large_asked));
        return;
    }
    // Refused.  The guard cannot be the mapping's: it was written to, and what lies behind a mapping counts as zeros.
    brawn_unmap(guard, rest + segment->large_guard);
    segment->segment_size -= rest;
    segment->large_guard = 0;
    mi_atomic_sub_relaxed(&brawn_large_bytes, rest);
}
static inline size_t brawn_slack_cut(void) { return 0; }
static inline size_t brawn_slack_listed(void) { return 0; }
#else
// A slot is empty (0), or names a mapping; BRAWN_SLACK_TAKEN is added while somebody fills the slot or cuts the slack off.  (A fork at that instant
// leaves it so in the child: then there is one slot less, and the slack stays.)
typedef struct {
    _Alignas(32) _Atomic(uintptr_t) mapping;
    _Atomic(uintptr_t) end;  // of the mapping
    _Atomic(size_t) slack;
} brawn_slack_slot_t;
enum { BRAWN_SLACK_TAKEN = 1 };
static brawn_slack_slot_t brawn_slack_slots[BRAWN_SLACK_SLOTS] LATE;
_Static_assert(2 * BRAWN_OWN_LARGE < BRAWN_SLACK_SLOTS, "some are for who has none of its own");
static _Atomic(uintptr_t) brawn_slack_slots_used;  // so many from the first one on were ever in use

static brawn_slack_slot_t *brawn_slack_slots_end(void) { return brawn_slack_slots + mi_atomic_load_relaxed(&brawn_slack_slots_used); }

// How much slack is in slots.
static SELDOM size_t brawn_slack_listed(void) {
    size_t bytes = 0;
    brawn_slack_slot_t *const end = brawn_slack_slots_end();
    for (brawn_slack_slot_t *slot = brawn_slack_slots; slot < end; slot++) {
        if (mi_atomic_load_relaxed(&slot->mapping) != 0) bytes += mi_atomic_load_relaxed(&slot->slack);
    }
    return bytes;
}

static inline void brawn_slack_close(mi_segment_t *segment, size_t size) {
    MI_UNUSED(segment);
    MI_UNUSED(size);
}

// Puts the slack into a slot; NULL: all have some.  Each of the threads with slots for large blocks has one that only it fills, which takes no more
// than stores.  Those have even numbers, so that no two of them are in one line of the processor's cache.
static NOINLINE brawn_slack_slot_t *brawn_slack_fill(mi_segment_t *segment, size_t slack) {
    const size_t own = brawn_own_large_number(), first = own == 0 ? 1 : 2 * own - 2;
    for (size_t i = 0; i < BRAWN_SLACK_SLOTS; i++) {
        const size_t number = (first + i) % BRAWN_SLACK_SLOTS;
        brawn_slack_slot_t *const slot = &brawn_slack_slots[number];
        const bool owned = number % 2 == 0 && number < 2 * BRAWN_OWN_LARGE, mine = own != 0 && i == 0;
        uintptr_t empty = 0;
        if (mi_atomic_load_relaxed(&slot->mapping) != 0 || (owned && !mine)) continue;
        if (!mine && !mi_atomic_cas_strong_acq_rel(&slot->mapping, &empty, (uintptr_t)segment + BRAWN_SLACK_TAKEN)) continue;
        mi_atomic_store_relaxed(&slot->end, (uintptr_t)segment + segment->segment_size);
        mi_atomic_store_relaxed(&slot->slack, slack);
        mi_atomic_store_release(&slot->mapping, (uintptr_t)segment);
        uintptr_t used = mi_atomic_load_relaxed(&brawn_slack_slots_used);
        while (used <= number && !mi_atomic_cas_weak_acq_rel(&brawn_slack_slots_used, &used, number + 1)) continue;
        return slot;
    }
    return NULL;
}

// A block is given out that leaves `slack` bytes at its mapping's end, whole pages.
static NOINLINE void brawn_slack_note(mi_segment_t *segment, size_t slack) {
    if (slack != 0) {
        brawn_slack_add((intptr_t)slack);
        segment->large_slack = slack;
        const bool apart = mi_atomic_load_relaxed(&brawn_large_count) < BRAWN_LARGE_APART;
        segment->slack_slot = BRAWN_LARGE_TIGHT || (slack > segment->segment_size / 2 && slack >= BRAWN_SLACK_LEAST && apart) ? brawn_slack_fill(segment, slack) : NULL;
    }
    brawn_slack_tell(BRAWN_SLACK_STEP);
}

// A mapping is given out for a plain block of `size` bytes.
static inline INLINED void brawn_large_fit(mi_segment_t *segment, size_t size) {
    const size_t offset = brawn_large_offset(segment), mapping = _mi_align_up(offset + size, brawn_page_size);
    if (offset > MI_SEGMENT_SLICE_SIZE) return;
    brawn_large_page(segment)->block_size = mapping - offset;
    const size_t slack = segment->segment_size - mapping;
    if (mi_unlikely(slack != 0 || brawn_slack_own() != 0)) brawn_slack_note(segment, slack);
}

// How many bytes it has behind the block.
static inline size_t brawn_slack_of(const mi_segment_t *segment) { return segment->large_slack; }

// The block goes, or changes its size: from here on the mapping's size is its owner's alone.
static NOINLINE void brawn_slack_forget(mi_segment_t *segment) {
    const size_t slack = segment->large_slack;
    if (slack == 0) return;
    segment->large_slack = 0;
    brawn_slack_slot_t *const slot = segment->slack_slot;
    uintptr_t own = (uintptr_t)segment;
    if (slot == NULL || mi_atomic_cas_strong_acq_rel(&slot->mapping, &own, (uintptr_t)0)) brawn_slack_add(-(intptr_t)slack);
    else segment->segment_size -= slack;  // it was cut off
}

// Cuts off the largest slack there is, and returns how much that was; 0: there is none.  Until it is unmapped, nothing else can be mapped there, and
// the thread that has the rest of the mapping cannot grow into it.
static SELDOM size_t brawn_slack_cut(void) {
    brawn_slack_slot_t *const end = brawn_slack_slots_end();
    for (;;) {
        brawn_slack_slot_t *largest = NULL;
        size_t most = 0;
        uintptr_t mapping = 0;
        for (brawn_slack_slot_t *slot = brawn_slack_slots; slot < end; slot++) {
            const uintptr_t there = mi_atomic_load_acquire(&slot->mapping);
            const size_t slack = mi_atomic_load_relaxed(&slot->slack);
            if (there == 0 || (there & BRAWN_SLACK_TAKEN) != 0 || slack <= most) continue;
            largest = slot;
            most = slack;
            mapping = there;
        }
        if (largest == NULL) return 0;
        if (!mi_atomic_cas_strong_acq_rel(&largest->mapping, &mapping, mapping + BRAWN_SLACK_TAKEN)) continue;
        const size_t slack = mi_atomic_load_relaxed(&largest->slack);
        uint8_t *const behind = (uint8_t *)mi_atomic_load_relaxed(&largest->end);
        mi_atomic_store_release(&largest->mapping, (uintptr_t)0);
        brawn_slack_add(-(intptr_t)slack);
        brawn_slack_tell(BRAWN_SLACK_STEP);
        brawn_unmap(behind - slack, slack);
        return slack;
    }
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
