// How large a page is, in which order its blocks are given out, and which page of a size is next.

// How many slices the pages of a size have in a heap: the engine says when a page comes to one of the heap's queues, or leaves them all.
// NULL: they are not counted, since pages of this size do not grow.
static inline uint16_t *brawn_page_slices(mi_heap_t *heap, size_t block_size) {
    return BRAWN_PAGE_GROWS == 0 || block_size > BRAWN_PAGE_GROWS ? NULL : &((brawn_tld_t *)heap->tld)->page_slices[mi_bin(block_size)];
}

static inline void brawn_page_joins(mi_heap_t *heap, const mi_page_t *page) {
    uint16_t *const slices = brawn_page_slices(heap, page->block_size);
    if (slices == NULL) return;
    const size_t sum = *slices + page->slice_count;
    *slices = sum < UINT16_MAX ? (uint16_t)sum : UINT16_MAX;
}

static inline void brawn_page_leaves(mi_heap_t *heap, const mi_page_t *page) {
    uint16_t *const slices = brawn_page_slices(heap, page->block_size);
    if (slices != NULL) *slices = *slices < page->slice_count ? 0 : (uint16_t)(*slices - page->slice_count);
    brawn_spare_leaves(heap, page);
}

// How many bytes a further page may have since there are so many of its size.
static size_t brawn_page_part(mi_heap_t *heap, size_t block_size) {
    const uint16_t *const slices = brawn_page_slices(heap, block_size);
    const size_t part = slices == NULL ? 0 : *slices / BRAWN_PAGE_PART * MI_SEGMENT_SLICE_SIZE;
    return part < BRAWN_PAGE_MOST ? part : BRAWN_PAGE_MOST;
}

// The engine knows two sizes of pages.  Here the size of a page follows from the size of its blocks, and from how much memory its thread has.
//
// If a thread has little memory, a page has room for many blocks: whenever a page becomes full, or is full no longer, it takes time to move
// it to another list.  If a thread has more memory, that time is spent anyhow, since most blocks are freed in full pages.  But memory is lost
// in pages that are partly used.  So there a page is as small as it can be without losing more than one part in BRAWN_PAGE_LOSS at its end: a
// small page becomes empty sooner, and an empty page serves any size.  Where there are many pages of a size, a further one of small blocks has up
// to a part of what they have together: so no more than this part is lost, and there are fewer pages that become full.
static size_t brawn_page_bytes(mi_heap_t *heap, size_t block_size) {
    const mi_segments_tld_t *const segments = &heap->tld->segments;
    if (block_size > MI_MEDIUM_OBJ_SIZE_MAX) return block_size;  // one block
    if (BRAWN_CHECKED || (segments->count <= BRAWN_PAGE_SEGMENTS && block_size <= BRAWN_PAGE_ROOMY)) {
        const size_t bytes = block_size * BRAWN_PAGE_BLOCKS;
        return bytes < BRAWN_PAGE_MIN ? BRAWN_PAGE_MIN : bytes;
    }
    size_t bytes = _mi_align_up(2 * block_size, MI_SEGMENT_SLICE_SIZE);
    const size_t part = brawn_page_part(heap, block_size);
    if (bytes < part) bytes = part;
    while ((uint32_t)bytes % (uint32_t)block_size > bytes / BRAWN_PAGE_LOSS) bytes += MI_SEGMENT_SLICE_SIZE;
    return bytes;
}

#if BRAWN_CHECKED
// The size of a page with a front, which would have `bytes` without it.  Of all sizes up to twice `bytes`, it is the one with the fewest bytes
// per block.  (The engine makes pages above MI_MEDIUM_PAGE_SIZE a multiple of it.)
static size_t brawn_fronted_bytes(size_t block_size, size_t bytes) {
    const size_t front = brawn_front(block_size);
    if (front == 0) return bytes;
    if (block_size > MI_MEDIUM_OBJ_SIZE_MAX) return bytes + front;
    const size_t most = 2 * bytes < MI_MEDIUM_PAGE_SIZE ? 2 * bytes : MI_MEDIUM_PAGE_SIZE;
    size_t best = 0, best_blocks = 1;
    for (size_t size = _mi_align_up(bytes, MI_SEGMENT_SLICE_SIZE); size <= most; size += MI_SEGMENT_SLICE_SIZE) {
        const size_t blocks = (size - front) / block_size;
        if (best != 0 && size * best_blocks >= best * blocks) continue;
        best = size;
        best_blocks = blocks;
    }
    return best;
}
#endif

// Whether a free span's first slice was written to since the kernel had it.  A segment without pages has just been taken for the page that
// is looked for, and has to serve it: nobody would give back a segment that never had a page.
static inline bool brawn_is_written(mi_slice_t *slice) {
    mi_segment_t *const segment = _mi_ptr_segment(slice);
    const size_t index = mi_slice_index(slice), bits = MI_COMMIT_MASK_FIELD_BITS;
    return segment->used == 0 || (segment->purge_mask.mask[index / bits] >> index % bits & 1);
}

// A free span of at least `count` slices; NULL: none.  It is one that was written to, if there is one among the first few of each length.
// Else it is the engine's choice: the first one of the shortest.
static NOINLINE mi_slice_t *brawn_span_find(size_t count, mi_segments_tld_t *segments, bool *written) {
    enum { TRIES = 4 };
    mi_slice_t *found = NULL;
    *written = false;
    for (mi_span_queue_t *queue = mi_span_queue_for(count, segments); queue <= &segments->spans[MI_SEGMENT_BIN_MAX]; queue++) {
        size_t tries = TRIES;
        for (mi_slice_t *slice = queue->first; slice != NULL && (tries > 0 || found == NULL); slice = slice->next) {
            if (slice->slice_count < count) continue;
            *written = brawn_is_written(slice);
            if (*written) return slice;
            if (found == NULL) found = slice;
            tries -= tries > 0;
        }
    }
    return found;
}

// Called before a segment is mapped.  A tight profile gives back what is free in the thread's other segments, if the process has as many segments
// then as ever, or nearly as many: its peak is about to grow, and these pieces are too small for the request.  (Others keep them: with this,
// `waves` and `compiler` of bench/workloads/overtime.c take a tenth more time, at the same peak.)
static void brawn_before_segment(void) {
#if BRAWN_LARGE_TIGHT
    static _Atomic(uintptr_t) most;
    mi_heap_t *const heap = brawn_heap;
    const size_t held = mi_atomic_load_relaxed(&brawn_segments_held) + 1, before = mi_atomic_load_relaxed(&most);
    if (held + held / 16 <= before || heap == NULL || brawn_options.keep_free < 0) return;
    if (held > before) mi_atomic_store_relaxed(&most, held);
    brawn_pool_release();
    brawn_purge(&heap->tld->segments, 0, SIZE_MAX);
#endif
}

// Called before a segment is mapped that makes more of them than ever.  Empty pages and spans that wait for the next block of their size may
// have enough room, so they are given up.  Many programs need them again soon, so this happens at most BRAWN_MORE_SEGMENTS times a segment.
static NOINLINE bool brawn_before_more(void) {
    static _Atomic(uintptr_t) done;
    const size_t held = mi_atomic_load_relaxed(&brawn_segments_held);
    if (held < mi_atomic_load_relaxed(&brawn_segments_most) || mi_atomic_load_relaxed(&done) >= held * BRAWN_MORE_SEGMENTS) return false;
    mi_atomic_increment_relaxed(&done);
    brawn_pool_before_more();
    brawn_spans_release();
    _mi_heap_collect_retired(brawn_heap, true);
    return true;
}

// `count` free slices of the thread's segments.  Slices that were written to come first, and then kept segments of the process: all others
// need new memory from the kernel.  NULL: the engine takes a segment, and asks again.
static mi_page_t *brawn_find_slices(size_t count, mi_segments_tld_t *segments) {
    bool written;
    mi_slice_t *slice = brawn_span_find(count, segments, &written);
    if (slice == NULL && brawn_before_more()) slice = brawn_span_find(count, segments, &written);
    if (slice == NULL || (!written && brawn_keeps_segments())) return NULL;
    mi_segment_t *const segment = _mi_ptr_segment(slice);
    const size_t index = mi_slice_index(slice);
    mi_segment_span_remove_from_queue(slice, segments);
    if (slice->slice_count > count) mi_segment_slice_split(segment, slice, count, segments);
    brawn_slices_taken(segment, index, count);
    mi_page_t *const page = mi_segment_span_allocate(segment, index, count);
    if (page == NULL) mi_segment_span_free_coalesce(slice, segments);
    return page;
}

#if !BRAWN_CHECKED
// The segment notes of each slice whether blocks of at most MI_SMALL_SIZE_MAX are in it, by how many addresses one of them carries (parcels.c).  Other threads
// read it, without the page's description, whose line of the cache the owner writes to all the time.  Only the owner changes it, and nothing of slices
// that have blocks.
static inline void brawn_note_small(const mi_page_t *page, size_t block_size) {
    const size_t words = block_size / sizeof(uintptr_t) - 1, most = BRAWN_PARCEL - 1;
    const int carries = block_size > MI_SMALL_SIZE_MAX ? 0 : (int)(words < most ? words : most);
    brawn_memset((void *)&_mi_page_segment(page)->carries[mi_slice_index((const mi_slice_t *)page)], carries, page->slice_count);
}

// How many addresses the block `p` carries, of a segment with pages; 0: it is not small.
static inline size_t brawn_carries(mi_segment_t *segment, const void *p) {
    return mi_atomic_load_relaxed(&segment->carries[((uintptr_t)p - (uintptr_t)segment) >> MI_SEGMENT_SLICE_SHIFT]);
}
#endif

mi_page_t *_mi_segment_page_alloc(mi_heap_t *heap, size_t block_size, size_t page_alignment, mi_segments_tld_t *tld) {
    MI_UNUSED(page_alignment);
    brawn_near_peak_seen(heap);
    size_t bytes = brawn_page_bytes(heap, block_size);
    // What other threads freed comes first, as many bytes as are taken now: a page that becomes free by it serves as well.
    brawn_parcels_receive(bytes / MI_MAX_ALIGN_SIZE);
    if (mi_atomic_load_ptr_relaxed(mi_block_t, &heap->thread_delayed_free) != NULL) _mi_heap_delayed_free_partial(heap);
    const mi_page_kind_t kind = block_size <= MI_MEDIUM_OBJ_SIZE_MAX ? MI_PAGE_MEDIUM : MI_PAGE_LARGE;
#if BRAWN_CHECKED
    bytes = brawn_fronted_bytes(block_size, bytes);
#endif
    mi_page_t *const page = mi_segments_page_alloc(heap, kind, bytes, block_size, tld);
#if !BRAWN_CHECKED
    if (page != NULL) brawn_note_small(page, block_size);
#else
    brawn_retired_decommit(heap);  // not before, or this page would be where the other was
#endif
    return page;
}

// How many blocks of a page are added to the list that malloc takes from; `extend` is the engine's number.  A block that is put on the list is
// written to.  So a fresh page begins with the blocks that begin in its first slice: a thread that has one block of a size touches one page
// of memory for it.  (The engine begins with 4 KiB or four blocks, which may lie in two to four pages of memory.)
//
// Where freed blocks go round (quarantine.c), a page that needs more than its first blocks gets all that are missing for a round at once: after
// each addition, all free blocks are put in another order.
static size_t brawn_first_blocks(const mi_page_t *page, size_t extend) {
    if (page->capacity > 0) {
        const size_t round = BRAWN_QUARANTINE(page->block_size);
        if (!BRAWN_CHECKED || page->capacity + extend >= round) return extend;
        return (page->reserved < round ? page->reserved : round) - page->capacity;
    }
    const size_t offset = (uintptr_t)page->page_start % MI_SEGMENT_SLICE_SIZE;
    const size_t fit = (MI_SEGMENT_SLICE_SIZE - offset) / page->block_size;
    const size_t first = fit > 0 ? fit : 1;
    return extend < first ? extend : first;
}

// Makes a page's next `count` blocks the list that malloc takes from, which is empty.  Pages begin at slices: if each gave out its
// first block first, the blocks of a program that has few of each size would lie in the same few sets of the processor's
// cache.  (The engine moves a page's first block instead, by up to three blocks.)  So the list begins somewhere in the first
// blocks, by their size, and goes round.
static void brawn_list_extend(mi_page_t *page, size_t size, size_t count) {
#if BRAWN_CHECKED
    mi_page_free_list_extend(page, size, count, NULL);  // quarantine.c has another one
#else
    uint8_t *const first = page->page_start + (size_t)page->capacity * size;
    uint8_t *const end = first + count * size;
    uint8_t *begin = first;
    if (page->capacity == 0) begin += size / MI_MAX_ALIGN_SIZE * BRAWN_PAGE_STEP % count * size;
    uint8_t *block = first;
    for (; block < end - size; block += size) ((mi_block_t *)block)->next = (mi_encoded_t)(block + size);
    ((mi_block_t *)block)->next = begin > first ? (mi_encoded_t)first : 0;
    if (begin > first) ((mi_block_t *)(begin - size))->next = 0;
    page->free = (mi_block_t *)begin;
#endif
}

// Adds blocks of `size` bytes to a page's list; `extend` is the engine's number.  Returns how many those are.
static size_t brawn_page_extend(mi_page_t *page, size_t size, size_t extend) {
    size_t count = brawn_first_blocks(page, extend);
#if BRAWN_CHECKED
    count = brawn_seal_fresh(page, count);
#endif
    brawn_list_extend(page, size, count);
    return count;
}

// The first page of a bin has no free block: the next one that has some, of the first few, gets its turn.
// Those before it go behind all others, where they wait for the blocks that are freed meanwhile.  (The engine takes a page without free blocks off
// the queue, and puts it back with the first one that is freed.)  NULL: there is none.
static inline mi_page_t *brawn_page_turn(mi_heap_t *heap, size_t bin) {
    enum { PAGES = 3 };
    mi_page_queue_t *const queue = &heap->pages[bin];
    mi_page_t *page = queue->first;
    for (size_t i = 0; i < PAGES && page != NULL; i++, page = page->next) {
        // (In a checked profile, blocks that were freed last come from their second list by a way of their own: quarantine.c.)
        if (!BRAWN_CHECKED && page->free == NULL) _mi_page_free_collect(page, false);
        if (page->free == NULL) continue;
        page->retire_expire = 0;
        mi_page_t *const before = page->prev;
        if (before == NULL) return page;
        queue->last->next = queue->first;
        queue->first->prev = queue->last;
        queue->first = page;
        queue->last = before;
        page->prev = before->next = NULL;
        mi_heap_queue_first_update(heap, queue);
        return page;
    }
    return NULL;
}
