// What both kinds of paths (blocks.c, checked.c) share: bins, and blocks that have a span of their own.

#define EXPORT __attribute__((visibility("default")))

int *__errno_location(void) __attribute__((const));

static NOINLINE void *brawn_fail(int error) {
    *__errno_location() = error;
    return NULL;
}

// The bin of a size above MI_SMALL_SIZE_MAX (page-queue.c, mi_bin): four steps between powers of two.
static inline size_t brawn_bin(size_t size) {
    const size_t words = (size - 1) / sizeof(uintptr_t);
    const size_t top = (size_t)(63 - __builtin_clzl(words));
    return ((top << 2) + ((words >> (top - 2)) & 3)) - 3;
}

// The segment of a block; not for NULL.  A pointer at a segment's boundary belongs to the one before.
static inline mi_segment_t *brawn_segment(const void *p) {
    return (mi_segment_t *)(((uintptr_t)p - 1) & ~MI_SEGMENT_MASK);
}

static inline bool brawn_multiply(size_t count, size_t size, size_t *total) {
    return !__builtin_mul_overflow(count, size, total) && *total <= PTRDIFF_MAX;
}

// Fills 16 bytes at a time; `size` is the block's own, a multiple of 16.
static inline void brawn_zero_block(void *p, size_t size) {
    if (size > 512) {
        brawn_memset(p, 0, size);
        return;
    }
    typedef long long pair __attribute__((vector_size(16), may_alias));
    for (pair *at = p, *end = (pair *)((char *)p + size); at < end; at++) *at = (pair){0, 0};
}

// A kept block of at least `size` bytes and at most a quarter more; NULL: none.
static void *brawn_span_take(mi_heap_t *heap, size_t size) {
    mi_page_t **const kept = brawn_kept_spans(heap);
    for (size_t i = 0; i < BRAWN_KEPT_SPANS; i++) {
        mi_page_t *const page = kept[i];
        if (page == NULL || page->block_size < size || page->block_size - size > size / 4) continue;
#if BRAWN_CHECKED
        if (brawn_front(page->block_size) < brawn_front(size)) continue;  // which is what it is aligned to
#endif
        kept[i] = NULL;
        return page->page_start;
    }
    return NULL;
}

static void brawn_span_free(mi_page_t *page) {
    mi_free_generic_local(page, _mi_page_segment(page), page->page_start);
}

// A block of this thread in a page that was full: the page's only block, or one of several.
static NOINLINE void brawn_free_full(mi_page_t *page, mi_segment_t *segment, void *p) {
    if (page->block_size <= MI_MEDIUM_OBJ_SIZE_MAX) {
        mi_free_generic_local(page, segment, p);
        return;
    }
    brawn_note_freed();
    mi_page_t **const kept = brawn_kept_spans(mi_page_heap(page));
    size_t slot = 0;
    while (slot < BRAWN_KEPT_SPANS && kept[slot] != NULL) slot++;
    if (slot == BRAWN_KEPT_SPANS) {
        // The first is the oldest: it goes, the others move up.
        brawn_span_free(kept[0]);
        for (slot = 0; slot < BRAWN_KEPT_SPANS - 1; slot++) kept[slot] = kept[slot + 1];
    }
    kept[slot] = page;
}

// Before a thread's heap ends, and when memory is short.
static void brawn_spans_release(void) {
    if (brawn_heap == NULL) return;
    mi_page_t **const kept = brawn_kept_spans(brawn_heap);
    for (size_t i = 0; i < BRAWN_KEPT_SPANS; i++) {
        mi_page_t *const page = kept[i];
        kept[i] = NULL;
        if (page != NULL) brawn_span_free(page);
    }
}

// The heap of this thread, which it gets with its first allocation; NULL: no memory for one.
static inline mi_heap_t *brawn_own_heap(void) {
    mi_heap_t *const heap = brawn_heap;
    return mi_likely(heap != NULL) ? heap : brawn_thread_start();
}

// A block of a span or page for `size` bytes, at most BRAWN_SPAN_MAX, by the engine; NULL: no memory.
static void *brawn_engine_alloc(mi_heap_t *heap, size_t size, bool zero) {
    if (size > MI_MEDIUM_OBJ_SIZE_MAX) {
        void *const kept = brawn_span_take(heap, size);
        if (kept != NULL) return zero ? brawn_memset(kept, 0, size) : kept;
    }
    if (size < MI_MAX_ALIGN_SIZE) size = MI_MAX_ALIGN_SIZE;
    return _mi_malloc_generic(heap, size <= MI_SMALL_SIZE_MAX ? _mi_align_up(size, MI_MAX_ALIGN_SIZE) : size, zero, 0, NULL);
}

// A block on its way back that is not the calling thread's: of another one, or of one that has ended.
static void brawn_engine_free_remote(mi_page_t *page, mi_segment_t *segment, void *p) {
    if (mi_atomic_load_relaxed(&segment->thread_id) == 0) brawn_note_freed_for_all();
    mi_free_block_mt(page, segment, (mi_block_t *)p, p, false);
}

// After the last block of `page` was freed.  An empty page is retired, that is returned some cycles later (a
// cycle is a fresh page of any size), so that a thread that frees its only block of a size over and
// over keeps the page.  (Only the one page of a size: cycles are counted on the first page of a queue, others
// would stay.)
static inline void brawn_page_emptied(mi_page_t *page) {
    const bool only = page->next == NULL && page->prev == NULL;
    if (mi_unlikely(!only || page->retire_expire == 0)) {
        // The engine gives others up at once, and a span, which is in no full queue where its segment was
        // adopted: there is no such page any more, and perhaps no such segment.
        brawn_note_freed();
        const bool waits = only && page->block_size <= MI_MEDIUM_OBJ_SIZE_MAX;
        _mi_page_retire(page);
        if (!waits) return;
    }
    page->retire_expire = BRAWN_RETIRE_CYCLES;
}
_Static_assert(BRAWN_RETIRE_CYCLES > 0 && BRAWN_RETIRE_CYCLES < 1 << 7, "a page counts them in 7 bits");
