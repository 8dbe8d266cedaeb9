// What is put out of reach while it is free, so that whoever still uses it ends in a fault.  (Large blocks: large.c.)

// The only page of its size is empty.  Mostly it stays for the next block, since to close and to open it takes microseconds.
// But of each size the first such page of the process, and later one in BRAWN_CLOSE_ONE_IN, goes back to its segment out of
// reach: who still uses one of its blocks ends in a fault.  The engine opens what it takes again, as it does where a segment
// is only reserved so far.  Returns whether it did.
enum { BRAWN_CLOSE_ONE_IN = 256 };

// A last look at the blocks of a list, all of which are free: whether each leads to another free one.
static void brawn_look_through(const mi_page_t *page, const mi_block_t *block) {
    for (size_t i = 0; block != NULL; i++, block = brawn_block_next(page, block)) {
        if (i > page->capacity || *brawn_seal_at(block) != brawn_free_seal(brawn_mix(page->keys, block))) brawn_trap_corrupted();
    }
}

static bool brawn_page_close(mi_page_t *page) {
    static _Atomic(uintptr_t) closed[MI_BIN_FULL / 64 + 1];  // one bit for each queue
    mi_heap_t *const heap = mi_page_heap(page);
    mi_page_queue_t *const queue = mi_page_queue_of(page);
    const size_t index = (size_t)(queue - heap->pages);
    const uintptr_t bit = (uintptr_t)1 << index % 64;
    if (index >= MI_BIN_HUGE || brawn_page_size > MI_SEGMENT_SLICE_SIZE) return false;
    const bool first = (mi_atomic_load_relaxed(&closed[index / 64]) & bit) == 0;
    if (!first && _mi_random_next(&heap->random) % BRAWN_CLOSE_ONE_IN != 0) return false;
    if (first) mi_atomic_or_acq_rel(&closed[index / 64], bit);
    brawn_look_through(page, page->free);
    brawn_look_through(page, page->local_free);
    mi_segment_t *const segment = _mi_page_segment(page);
    uint8_t *const start = (uint8_t *)segment + mi_slice_index(mi_page_to_slice(page)) * MI_SEGMENT_SLICE_SIZE;
    const size_t size = (size_t)page->slice_count * MI_SEGMENT_SLICE_SIZE;
    uint8_t *from;
    size_t whole;
    mi_commit_mask_t mask;
    mi_segment_commit_mask(segment, true, start, size, &from, &whole, &mask);
    if (whole == 0 || !brawn_protect(from, whole, PROT_NONE_)) return false;
    brawn_discard(from, whole);
    mi_commit_mask_clear(&segment->commit_mask, &mask);
    mi_commit_mask_clear(&segment->purge_mask, &mask);
    brawn_note_freed();
    _mi_page_free(page, queue, false);
    return true;
}
