// The paths of blocks that carry nothing but the program's bytes.  What the surface may ask for:
//
//   brawn_malloc, brawn_zalloc   NULL with errno where there is no memory
//   brawn_aligned                the same; a power of two of more than 16 as alignment
//   brawn_free, brawn_realloc, brawn_usable
//   brawn_free_sized, brawn_expect_alignment     checked.c compares what the program says of the block

// A block of the calling thread.
static inline INLINED void brawn_free_own(mi_segment_t *segment, void *p) {
    mi_page_t *const page = _mi_segment_page_of(segment, p);
    if (mi_unlikely(page->flags.full_aligned != 0)) {
        brawn_free_full(page, segment, p);
        return;
    }
    // Straight onto the list that malloc takes from: the block that is still in the cache is the next
    // one out.  (The engine itself keeps a second list, which makes a thread walk through the page.)
    // Pages of one block never get here, they are in the full queue: see brawn_zalloc.
    mi_block_t *const block = p;
    block->next = (mi_encoded_t)page->free;
    page->free = block;
    if (brawn_page_gives(page)) brawn_page_emptied(page);
}

#include "parcels.c"

// A block of another thread, or of an ended one.
static SELDOM NOINLINE void brawn_free_of_other(mi_segment_t *segment, void *p) {
    const uintptr_t owner = mi_atomic_load_relaxed(&segment->thread_id);
    if (brawn_carries(segment, p) > 0 && brawn_parcel_add(owner, p)) return;
    mi_page_t *const page = _mi_segment_page_of(segment, p);
    // A block of a thread that has ended goes back at once: the rest of its segment may be free.
    if (owner != 0 && brawn_passed_give(p, page->block_size)) {
        brawn_note_freed_for_all();
        return;
    }
    brawn_free_by_engine(p);
}

// Such a block, or one with a mapping of its own.
static NOINLINE void brawn_free_remote(mi_segment_t *segment, void *p) {
    if (segment->kind != MI_SEGMENT_HUGE) {
        brawn_free_of_other(segment, p);
        return;
    }
#if BRAWN_TRACE
    brawn_trace_given(segment, p);
#endif
    brawn_large_free(segment, p, true);
}

// The first free block of `page`, which has one.
static inline void *brawn_pop(mi_page_t *page, mi_block_t *block) {
    mi_block_t *const next = (mi_block_t *)block->next;
    page->free = next;
    page->used++;
    // The next one is asked of memory now: in a heap of more than the caches hold, to wait for it then is most of
    // the time that malloc takes.  (tokenizers' encode_batch, bench/extensions: 2 to 5 % less time in all.)
    if (BRAWN_SHARED) __builtin_prefetch(next, 1);
    return block;
}

static NOINLINE void *brawn_malloc_slow(size_t size) {
    mi_heap_t *const heap = brawn_own_heap();
    void *p = NULL;
    if (mi_likely(heap != NULL)) {
        if (size <= MI_MEDIUM_OBJ_SIZE_MAX) {
            brawn_parcels_receive(BRAWN_CHAIN_EACH);
            const size_t bin = brawn_any_bin(_mi_align_up(size | (size == 0), MI_MAX_ALIGN_SIZE));
            if (size >= BRAWN_RECENT_FIRST) p = brawn_recent_take(heap, bin);
            if (p != NULL) return p;
            mi_page_t *const page = brawn_page_turn(heap, bin);
            if (page != NULL) return brawn_pop(page, page->free);
            if (size >= BRAWN_RECENT_LEAST) p = brawn_recent_take(heap, bin);
            if (p != NULL) return p;
        } else {
            p = brawn_grown_first(heap, size);
            if (p != NULL) return p;
        }
        p = mi_unlikely(size > BRAWN_SPAN_MAX) ? brawn_large_alloc(size, MI_MAX_ALIGN_SIZE, false, false)
                                               : brawn_engine_alloc(heap, size, false);
    }
    return mi_likely(p != NULL) ? p : brawn_fail(ENOMEM);
}

// More than MI_MEDIUM_OBJ_SIZE_MAX.
static NOINLINE void *brawn_malloc_more(size_t size) {
    void *const p = size > BRAWN_SPAN_MAX ? brawn_large_again(size) : NULL;
    return p != NULL ? p : brawn_malloc_slow(size);
}

static inline void *brawn_malloc(size_t size) {
    mi_heap_t *const heap = brawn_heap;
    if (mi_likely(heap != NULL)) {
        mi_page_t *page = NULL;
        if (mi_likely(size <= MI_SMALL_SIZE_MAX)) {
            // One entry a word of size; blocks are multiples of 16 bytes, so entries are 16 bytes apart.
            const size_t rounded = (size + MI_MAX_ALIGN_SIZE - 1) & ~(size_t)(MI_MAX_ALIGN_SIZE - 1);
            page = heap->pages_free_direct[rounded / sizeof(uintptr_t)];
        } else if (mi_likely(size <= MI_MEDIUM_OBJ_SIZE_MAX)) {
            page = heap->pages[brawn_bin(size)].first;
            if (mi_unlikely(page == NULL)) return brawn_malloc_slow(size);
        } else return brawn_malloc_more(size);
        mi_block_t *const block = page->free;
        if (mi_likely(block != NULL)) return brawn_pop(page, block);
    }
    return brawn_malloc_slow(size);
}

static void *brawn_zalloc(size_t total) {
    if (mi_likely(total <= MI_MEDIUM_OBJ_SIZE_MAX)) {
        void *const p = brawn_malloc(total);
        if (mi_likely(p != NULL)) brawn_zero_block(p, _mi_align_up(total, MI_MAX_ALIGN_SIZE));
        return p;
    }
    // Larger blocks have a page each, whose memory may be known to be zero.
    mi_heap_t *const heap = brawn_own_heap();
    void *p = NULL;
    if (mi_likely(heap != NULL)) {
        p = total > BRAWN_SPAN_MAX ? brawn_large_alloc(total, MI_MAX_ALIGN_SIZE, true, false) : brawn_engine_alloc(heap, total, true);
    }
    return mi_likely(p != NULL) ? p : brawn_fail(ENOMEM);
}

static inline void brawn_free(void *p) {
    if (mi_unlikely(p == NULL)) return;
    mi_segment_t *const segment = brawn_segment(p);
    if (mi_unlikely(mi_atomic_load_relaxed(&segment->thread_id) != _mi_prim_thread_id())) brawn_free_remote(segment, p);
    else brawn_free_own(segment, p);
}

// The block's page is found without its size, and nothing is left to be saved by knowing it.
static inline void brawn_free_sized(void *p, size_t size) {
    MI_UNUSED(size);
    brawn_free(p);
}

static inline void brawn_expect_alignment(void *p, size_t alignment) {
    MI_UNUSED(p);
    MI_UNUSED(alignment);
}

static void *brawn_realloc(void *p, size_t size) {
    if (p == NULL) return brawn_malloc(size);
    if (mi_unlikely(size > PTRDIFF_MAX)) return brawn_fail(ENOMEM);
    mi_segment_t *const segment = brawn_segment(p);
    mi_page_t *const page = _mi_segment_page_of(segment, p);
    const size_t usable = page->block_size;
    // In place while it fits and no more than half would be idle, or it grows into that half.
    if (size <= usable && (brawn_grows_on(p, size) || size >= usable / 2)) return p;
    const bool grows = size > usable;
    if (segment->kind == MI_SEGMENT_HUGE && (grows || size > BRAWN_SPAN_MAX)) {
        void *const resized = brawn_large_resize(segment, size);
        if (resized != NULL) {
            if (grows && size > BRAWN_SPAN_MAX) brawn_note_grown(p, resized, size);
            return resized;
        }
    }
    void *moved = grows ? brawn_grown_early(usable, size) : NULL;
    if (moved == NULL && grows && size <= BRAWN_SPAN_MAX && mi_atomic_load_relaxed(&segment->thread_id) == _mi_prim_thread_id() && brawn_span_grow(page, size)) return p;
    if (moved == NULL) {
        moved = mi_unlikely(size > BRAWN_SPAN_MAX) ? brawn_large_alloc(size, MI_MAX_ALIGN_SIZE, false, grows)
                                                   : brawn_malloc(grows ? brawn_grown(brawn_heap, p, size) : size);
    }
    if (mi_unlikely(moved == NULL)) {
        brawn_fail(ENOMEM);
        if (size <= usable) return p;
        return segment->kind == MI_SEGMENT_HUGE ? brawn_large_slide(segment, size) : NULL;
    }
    const size_t copied = size < usable ? size : usable;
    if (copied <= BRAWN_COPY_UNITS) {
        // Blocks are aligned to 16 and whole multiples of it up to this size: copy whole units, four at a time while
        // both have them.
        typedef long long pair __attribute__((vector_size(16), may_alias));
        const pair *from = p;
        pair *to = moved;
        pair *const end = to + (copied + sizeof *to - 1) / sizeof *to;
        for (; end - to >= 4; to += 4, from += 4) {
            const pair a = from[0], b = from[1], c = from[2], d = from[3];
            to[0] = a, to[1] = b, to[2] = c, to[3] = d;
        }
        for (; to < end; to++) *to = *from++;
    } else brawn_memcpy(moved, p, copied);
    brawn_free(p);
    if (grows) brawn_note_grown(p, moved, size);
    return moved;
}

static inline size_t brawn_usable(void *p) {
    mi_segment_t *const segment = brawn_segment(p);
    return _mi_segment_page_of(segment, p)->block_size;
}

static void *brawn_aligned(size_t alignment, size_t size) {
    void *p = NULL;
    if (mi_likely(alignment <= MI_SEGMENT_SLICE_SIZE && size <= BRAWN_SPAN_MAX - MI_SEGMENT_SLICE_SIZE)) {
        // Pages begin at a slice, and a multiple of the alignment is in a bin of multiples of it (bins
        // are four to a power of two), or has a span of slices: the block is aligned as it comes.
        const size_t block = size == 0 ? alignment : _mi_align_up(size, alignment);
        if (mi_likely(block <= MI_MEDIUM_OBJ_SIZE_MAX)) return brawn_malloc(block);
        // No mapping serves, as in brawn_malloc_slow: there a block begins anywhere in a page.
        mi_heap_t *const heap = brawn_own_heap();
        if (heap != NULL) p = brawn_engine_alloc(heap, block, false);
    } else p = brawn_large_alloc(size, alignment, false, false);
    return mi_likely(p != NULL) ? p : brawn_fail(ENOMEM);
}
