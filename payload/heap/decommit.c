// What is put out of reach while it is free, so that whoever still uses it ends in a fault, and so that it takes no memory.  (Large
// blocks: large.c.)

// A page without blocks in use goes back to its segment out of reach.  The engine opens what it takes again, as it does
// where a segment is only reserved so far.  Returns whether it went.
static bool brawn_page_decommit(mi_page_t *page) {
    if (brawn_page_size > MI_SEGMENT_SLICE_SIZE) return false;
    mi_segment_t *const segment = _mi_page_segment(page);
    uint8_t *const start = (uint8_t *)segment + mi_slice_index(mi_page_to_slice(page)) * MI_SEGMENT_SLICE_SIZE;
    const size_t size = (size_t)page->slice_count * MI_SEGMENT_SLICE_SIZE;
    uint8_t *from;
    size_t whole;
    mi_commit_mask_t mask;
    mi_segment_commit_mask(segment, true, start, size, &from, &whole, &mask);
    if (whole == 0) return false;
    // In this order, only the first call interrupts the processors of other threads: for the second one there is nothing
    // that they might still have in their tables.  (If the second fails, the page goes as others do.)
    brawn_discard(from, whole);
    if (brawn_protect(from, whole, PROT_NONE_)) {
        mi_commit_mask_clear(&segment->commit_mask, &mask);
        mi_commit_mask_clear(&segment->purge_mask, &mask);
    }
    brawn_note_freed();
    page->used = 0;
    _mi_page_free(page, mi_page_queue_of(page), false);
    return true;
}

// A last look at the blocks of a list, all of which are free: whether each leads to another free one.
static void brawn_look_through(const mi_page_t *page, const mi_block_t *block) {
    for (size_t i = 0; block != NULL; i++, block = brawn_block_next(page, block)) {
        if (i > page->capacity || *brawn_seal_at(block) != brawn_free_seal(brawn_mix(page->keys, block))) brawn_trap_corrupted();
    }
}

static void brawn_look_through_both(const mi_page_t *page) {
    brawn_look_through(page, page->free);
    brawn_look_through(page, page->local_free);
}

enum { BRAWN_CLOSE_ONE_IN = 256 };

// The only page of its size is empty.  Mostly it stays for the next block, since to close and to open it takes microseconds.
// But of each size the first such page of the process, and later one in BRAWN_CLOSE_ONE_IN, goes: who still uses one of its
// blocks ends in a fault.  Returns whether it did.
static bool brawn_page_close(mi_page_t *page) {
    static _Atomic(uintptr_t) closed[MI_BIN_FULL / 64 + 1];  // one bit for each queue
    mi_heap_t *const heap = mi_page_heap(page);
    const size_t index = (size_t)(mi_page_queue_of(page) - heap->pages);
    const uintptr_t bit = (uintptr_t)1 << index % 64;
    if (index >= MI_BIN_HUGE) return false;
    const bool first = (mi_atomic_load_relaxed(&closed[index / 64]) & bit) == 0;
    if (!first && _mi_random_next(&heap->random) % BRAWN_CLOSE_ONE_IN != 0) return false;
    if (first) mi_atomic_or_acq_rel(&closed[index / 64], bit);
    brawn_look_through_both(page);
    return brawn_page_decommit(page);
}

// Called after a page was made.  Empty pages of blocks above MI_SMALL_SIZE_MAX that wait for the next block of their size go out of reach, if
// they have waited while BRAWN_DECOMMIT_AFTER others were made (spans do not count).  Free blocks go round, so all blocks of such a page were in
// use once: it has up to 128 KiB of memory.
enum { BRAWN_DECOMMIT_AFTER = 4 };

static void brawn_retired_decommit(mi_heap_t *heap) {
    const size_t least = mi_bin(MI_SMALL_SIZE_MAX + 1);
    for (size_t bin = heap->page_retired_min > least ? heap->page_retired_min : least; bin <= heap->page_retired_max; bin++) {
        mi_page_t *const page = heap->pages[bin].first;
        if (page == NULL || page->retire_expire == 0 || page->retire_expire > BRAWN_RETIRE_CYCLES - BRAWN_DECOMMIT_AFTER) continue;
        if (!mi_page_all_free(page) || page->next != NULL || !brawn_page_may_go()) continue;
        brawn_look_through_both(page);
        brawn_page_decommit(page);
    }
}

// A span whose block was freed just now.
static bool brawn_span_decommit(mi_page_t *page) {
    const uint8_t *const p = page->page_start;
    if (*brawn_seal_at(p) != brawn_free_seal(brawn_mix(page->keys, p))) brawn_trap_corrupted();
    return brawn_span_may_go() && brawn_page_decommit(page);
}
