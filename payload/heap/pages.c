// How large a page is.  The engine knows two sizes; here it follows from the blocks, so that little
// of it is left over at the end, and a size of which a program has few blocks takes little.

static size_t brawn_page_bytes(size_t block_size) {
    if (block_size > MI_MEDIUM_OBJ_SIZE_MAX) return block_size;  // one block
    const size_t bytes = block_size * BRAWN_PAGE_BLOCKS;
    return bytes < BRAWN_PAGE_MIN ? BRAWN_PAGE_MIN : bytes;
}

#if BRAWN_CHECKED
// Where its blocks begin: the first one's seal lies in front of it.
uint8_t *_mi_segment_page_start(const mi_segment_t *segment, const mi_page_t *page, size_t *page_size) {
    const size_t front = brawn_front(page->block_size);
    uint8_t *const start = brawn_engine_page_start(segment, page, page_size);
    if (page_size != NULL) *page_size -= front;
    return start + front;
}

// How large such a page is that would have `bytes` without its front: up to twice that, where fewer of them are left over for
// each block.  (The engine makes pages above MI_MEDIUM_PAGE_SIZE a multiple of it.)
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

mi_page_t *_mi_segment_page_alloc(mi_heap_t *heap, size_t block_size, size_t page_alignment, mi_segments_tld_t *tld) {
    MI_UNUSED(page_alignment);
    const mi_page_kind_t kind = block_size <= MI_MEDIUM_OBJ_SIZE_MAX ? MI_PAGE_MEDIUM : MI_PAGE_LARGE;
    size_t bytes = brawn_page_bytes(block_size);
#if BRAWN_CHECKED
    bytes = brawn_fronted_bytes(block_size, bytes);
#endif
    return mi_segments_page_alloc(heap, kind, bytes, block_size, tld);
}

// Of how many blocks a page is made the list that malloc takes from; `extend` is what the engine would do.  To be on the
// list a block is written to, so a fresh page begins with those that begin in its first slice: a thread that has one block
// of a size touches one page of memory for it.  (The engine begins with 4 KiB or four blocks, which may lie in two to four.)
static size_t brawn_first_blocks(const mi_page_t *page, size_t extend) {
    if (page->capacity > 0) return extend;
    const size_t offset = (uintptr_t)page->page_start % MI_SEGMENT_SLICE_SIZE;
    const size_t fit = (MI_SEGMENT_SLICE_SIZE - offset) / page->block_size;
    const size_t first = fit > 0 ? fit : 1;
    return extend < first ? extend : first;
}
