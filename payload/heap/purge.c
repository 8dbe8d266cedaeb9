// Which free memory of threads' segments goes back to the kernel, and when.
//
// A free slice that was written to is dirty: the kernel has a page for it, and the next block there needs no page fault.  All threads
// together keep dirty slices up to a bound: a share of what was in use lately, and the allowance (allowance.c).  The thread that
// passes the bound gives its own back: large spans before small ones, and of one length those first that have waited longest.  Nothing
// waits for a time to pass.
//
// A segment's purge_mask has exactly its dirty slices; the engine's own purging, by time, is off.

static _Atomic(uintptr_t) brawn_purge_at;  // how many are to be dirty before a thread looks through its own again

static size_t brawn_mask_count(const mi_commit_mask_t *mask) {
    size_t count = 0;
    for (size_t i = 0; i < MI_COMMIT_MASK_FIELD_COUNT; i++) count += mi_popcount(mask->mask[i]);
    return count;
}

// How many may be dirty, in slices.
static size_t brawn_dirty_bound(void) {
    const size_t held = mi_atomic_load_relaxed(&brawn_segments_held) * MI_SLICES_PER_SEGMENT, dirty = brawn_sum(&brawn_dirty);
    const size_t used = held > dirty ? held - dirty : 0;
    size_t lately = mi_atomic_load_relaxed(&brawn_lately);
    if (used > lately) {
        lately = used;
        mi_atomic_store_relaxed(&brawn_lately, used);
    }
    if (brawn_options.keep_free < 0) return SIZE_MAX;
    if (brawn_options.keep_free == 0) return 0;
    return BRAWN_KEEP_LEAST + lately * (size_t)brawn_options.keep_free / 100 + brawn_allowance() / MI_SEGMENT_SLICE_SIZE;
}

// Gives what is dirty of `count` slices back to the kernel, in as few calls as it takes; returns how many slices that were.
static size_t brawn_slices_purge(mi_segment_t *segment, size_t index, size_t count) {
    size_t purged = 0;
    const size_t bits = MI_COMMIT_MASK_FIELD_BITS, end = index + count;
    while (index < end) {
        size_t run = 0;
        while (index < end && !(segment->purge_mask.mask[index / bits] >> index % bits & 1)) index++;
        while (index + run < end && (segment->purge_mask.mask[(index + run) / bits] >> (index + run) % bits & 1)) {
            segment->purge_mask.mask[(index + run) / bits] &= ~((size_t)1 << (index + run) % bits);
            run++;
        }
        if (run > 0) _mi_os_purge((uint8_t *)segment + index * MI_SEGMENT_SLICE_SIZE, run * MI_SEGMENT_SLICE_SIZE);
        index += run;
        purged += run;
    }
    if (purged == 0) return 0;
    brawn_dirty_add(-(intptr_t)purged);
    return purged;
}

// All that is free in a segment of the calling thread, or of nobody.
static size_t brawn_segment_purge(mi_segment_t *segment) {
    return brawn_options.keep_free < 0 ? 0 : brawn_slices_purge(segment, 0, MI_SLICES_PER_SEGMENT);
}

// Gives back what is dirty in the calling thread's segments, until at most `goal` slices of all threads are; looks at `most` spans.
static NOINLINE size_t brawn_purge(mi_segments_tld_t *segments, size_t goal, size_t most) {
    size_t purged = 0;
    for (size_t bin = MI_SEGMENT_BIN_MAX; bin > 0; bin--) {
        for (mi_slice_t *slice = segments->spans[bin].last; slice != NULL; slice = slice->prev) {
            if (most-- == 0 || brawn_sum(&brawn_dirty) <= goal) return purged;
            purged += brawn_slices_purge(_mi_ptr_segment(slice), mi_slice_index(slice), slice->slice_count);
        }
    }
    return purged;
}

// Called where the engine makes a page's slices free.  What of them was never readable, or is not any more, does not become dirty.
static mi_slice_t *brawn_slices_freed(mi_slice_t *slice, mi_segments_tld_t *segments) {
    enum { VISITS = 64,
        FEW = 16 };
    mi_segment_t *const segment = _mi_ptr_segment(slice);
    mi_commit_mask_t mask;
    mi_commit_mask_create(mi_slice_index(slice), slice->slice_count, &mask);
    for (size_t i = 0; i < MI_COMMIT_MASK_FIELD_COUNT; i++) {
        mask.mask[i] &= segment->commit_mask.mask[i];
        segment->purge_mask.mask[i] |= mask.mask[i];
    }
    brawn_dirty_add((intptr_t)brawn_mask_count(&mask));
    slice = mi_segment_span_free_coalesce(slice, segments);
    if (segment->used <= 1 || brawn_heap == NULL || segments != &brawn_heap->tld->segments) return slice;  // the segment goes, or is nobody's
    brawn_note_freed();
    const size_t bound = brawn_dirty_bound(), dirty = brawn_sum(&brawn_dirty);
    if (mi_likely(dirty <= bound || (bound > 0 && dirty < mi_atomic_load_relaxed(&brawn_purge_at)))) return slice;
    brawn_allowance_age((uintptr_t)arch_clock());
    const size_t goal = bound - bound / 8;
    size_t purged = brawn_purge(segments, goal, VISITS);
    // Where the first spans have gone already, and much became free one page after the other: its segment's.
    if (brawn_sum(&brawn_dirty) > goal && (bound == 0 || brawn_mask_count(&segment->purge_mask) >= FEW)) purged += brawn_segment_purge(segment);
    brawn_allowance_release(purged * MI_SEGMENT_SLICE_SIZE);
    // Where other threads hold what is dirty, the next try is some frees away.
    mi_atomic_store_relaxed(&brawn_purge_at, brawn_sum(&brawn_dirty) + 2 * BRAWN_DIRTY_STEP);
    return slice;
}

// Called before free slices come into use.  What the kernel has back of them, and lately had, should have been kept.
static void brawn_slices_taken(mi_segment_t *segment, size_t index, size_t count) {
    mi_commit_mask_t mask;
    mi_commit_mask_create(index, count, &mask);
    for (size_t i = 0; i < MI_COMMIT_MASK_FIELD_COUNT; i++) mask.mask[i] &= segment->purge_mask.mask[i];
    const size_t dirty = brawn_mask_count(&mask), extent = segment->extent;
    if (dirty > 0) {
        mi_commit_mask_clear(&segment->purge_mask, &mask);
        brawn_dirty_add(-(intptr_t)dirty);
    }
    const size_t known = index < extent ? (count < extent - index ? count : extent - index) : 0;
    if (known > dirty) brawn_allowance_learn((known - dirty) * MI_SEGMENT_SLICE_SIZE);
    if (index + count > extent) segment->extent = index + count;
}
