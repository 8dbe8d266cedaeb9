// Empty pages that wait for the next blocks of their size.
//
// The engine lets an empty page wait only where it is the only one of its size (_mi_page_retire).  But a program that takes some blocks of a size
// and frees all of them, again and again, has more pages of it, and each of them would be made and given up each time.  So a thread's last few
// pages that became empty stay in their queues.  To the engine they are pages with free blocks.

// Each was empty when it came here, and may have blocks again; NULL: none.
static inline mi_page_t **brawn_spare_pages(const mi_heap_t *heap) { return ((brawn_tld_t *)heap->tld)->spare_pages; }

// A page leaves its queue, and may be one of them.
static SELDOM NOINLINE void brawn_spare_leaves(const mi_heap_t *heap, const mi_page_t *page) {
    mi_page_t **const spare = brawn_spare_pages(heap);
    for (size_t i = 0; i < BRAWN_SPARE_PAGES; i++) {
        if (spare[i] == page) spare[i] = NULL;
    }
}

static SELDOM NOINLINE void brawn_spare_free(mi_page_t *page) {
    if (page != NULL && mi_page_all_free(page)) _mi_page_free(page, mi_page_queue_of(page), false);
}

// `page` is empty, and not the only one of its size.  true: it waits, and the one that came here first goes, if it is empty.  (With keep_free=0
// nothing that is free stays.)
static SELDOM NOINLINE bool brawn_page_stays(mi_page_t *page) {
    if (page->slice_count > BRAWN_SPARE_SLICES || brawn_options.keep_free == 0) return false;
    const mi_heap_t *const heap = mi_page_heap(page);
    mi_page_t **const spare = brawn_spare_pages(heap);
    for (size_t i = 0; i < BRAWN_SPARE_PAGES; i++) {
        if (spare[i] == page) return true;
    }
    uint8_t *const next = &((brawn_tld_t *)heap->tld)->spare_next;
    mi_page_t *const first = spare[*next];
    spare[*next] = page;
    *next = (*next + 1) % BRAWN_SPARE_PAGES;
    brawn_spare_free(first);
    return true;
}

// Before a thread's heap ends, and when memory is short.
static SELDOM NOINLINE void brawn_spare_release(const mi_heap_t *heap) {
    for (size_t i = 0; i < BRAWN_SPARE_PAGES; i++) brawn_spare_free(brawn_spare_pages(heap)[i]);
}
