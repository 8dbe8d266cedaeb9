// Blocks of full pages that their thread freed last: the next blocks of their size.
//
// In the engine, a page is full once all its blocks are in use, and leaves the list of pages that malloc looks through; the first block that is
// freed brings it back.  Where a program frees blocks in any order and takes new ones all the time, each free would move a page, and each malloc
// another one.  So such a block waits here first.  To the engine it is allocated.  If there are too many of one size, all of them go back to
// their pages: then a page gets several at a time.
//
// Blocks of one bin are a list through the blocks: the next one, and how many there are from this one on.

typedef struct brawn_recent_s {
    struct brawn_recent_s *next;
    size_t count;
} brawn_recent_t;
_Static_assert(sizeof(brawn_recent_t) <= MI_MAX_ALIGN_SIZE, "the least block has room for it");

// The bin of blocks of `size` bytes, a multiple of 16 of at most MI_MEDIUM_OBJ_SIZE_MAX.
static inline size_t brawn_any_bin(size_t size) { return size <= 8 * sizeof(uintptr_t) ? size / sizeof(uintptr_t) : brawn_bin(size); }

static inline brawn_recent_t **brawn_recent_list(const mi_heap_t *heap, size_t bin) { return &((brawn_tld_t *)heap->tld)->recent[bin]; }

static void brawn_recent_flush(brawn_recent_t **list) {
    brawn_recent_t *block = *list;
    *list = NULL;
    while (block != NULL) {
        brawn_recent_t *const next = block->next;
        mi_segment_t *const segment = brawn_segment(block);
        mi_free_generic_local(_mi_segment_page_of(segment, block), segment, block);
        block = next;
    }
}

// Takes what free gives, a block of a full page of this thread.
static inline void brawn_recent_give(const mi_page_t *page, void *p) {
    brawn_recent_t **const list = brawn_recent_list(brawn_heap, brawn_any_bin(page->block_size)), *const block = p;
    if (mi_unlikely(*list != NULL && (*list)->count >= BRAWN_RECENT(page->block_size))) brawn_recent_flush(list);
    block->next = *list;
    block->count = *list != NULL ? (*list)->count + 1 : 1;
    *list = block;
}

// One of them; NULL: none.
static inline void *brawn_recent_take(const mi_heap_t *heap, size_t bin) {
    brawn_recent_t **const list = brawn_recent_list(heap, bin), *const block = *list;
    if (block != NULL) *list = block->next;
    return block;
}

// All of them, before the thread's heap ends and when memory is short.
static void brawn_recent_release(const mi_heap_t *heap) {
    for (size_t i = 0; i < MI_BIN_HUGE; i++) brawn_recent_flush(&((brawn_tld_t *)heap->tld)->recent[i]);
}
