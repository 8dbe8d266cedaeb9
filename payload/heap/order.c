// In which order the free blocks of a page with seals are given out.
//
// A page's free blocks go round: malloc takes the first one of its list, and free appends to the list's end.  So a freed block
// is the last one to be used again, and free and malloc never have to stop for a list that is used up.
//
// The end of the list is kept in a word of the page that the engine has for a second key.  It is NULL where the engine made the
// list (fresh blocks, and what other threads freed), and where the list is empty: then free puts blocks on the engine's second
// list, from which brawn_block_again takes them when the first one is empty.  The engine changes the first list only
// while it is empty, or in front of it.  So an end that is not NULL is always the list's last block.
static inline mi_block_t *brawn_end(const mi_page_t *page) { return (mi_block_t *)page->keys[1]; }
static inline void brawn_set_end(mi_page_t *page, mi_block_t *end) { page->keys[1] = (uintptr_t)end; }

// Whether freed blocks may go round in what the page has: fresh ones are put among them until there are this many.
enum { BRAWN_ROUND = 16 };
static inline bool brawn_round_is_whole(const mi_page_t *page) {
    return page->capacity >= BRAWN_ROUND || page->capacity >= page->reserved;
}

// Puts the free blocks of a page, of both of its lists, in random order: each goes to the end of one of four
// lists that is drawn for it, and these are joined.  Once leaves four rows of blocks, each in the old order, twice
// 16: it is done until there are as many rows as blocks.  (A sort by numbers that are drawn digit by digit.  The
// stack of the smallest thread has no room for more lists, or for an array.)
static NOINLINE void brawn_shuffle(mi_heap_t *heap, mi_page_t *page) {
    enum { LISTS = 4 };
    uintptr_t random = _mi_random_next(&heap->random);
    size_t drawn = 0;
    mi_block_t *more = page->local_free;
    page->local_free = NULL;
    mi_block_t *end = NULL;
    for (size_t rows = LISTS;; rows *= LISTS) {
        mi_block_t *first[LISTS] = {NULL}, *last[LISTS];
        size_t count = 0;
        for (mi_block_t *block = page->free, *next; block != NULL; block = next, count++) {
            next = brawn_block_next(page, block);
            if (next == NULL) {
                next = more;
                more = NULL;
            }
            if (drawn++ % 32 == 0) random = _mi_random_shuffle(random);
            const size_t list = random % LISTS;
            random /= LISTS;
            if (first[list] == NULL) first[list] = block;
            else brawn_block_set_next(page, last[list], block);
            last[list] = block;
        }
        page->free = more;
        more = NULL;
        for (size_t list = 0; list < LISTS; list++) {
            if (first[list] == NULL) continue;
            if (page->free == NULL) end = last[list];
            brawn_block_set_next(page, last[list], page->free);
            page->free = first[list];
        }
        if (rows >= count) break;
    }
    if (brawn_round_is_whole(page)) brawn_set_end(page, end);
}

// A page of several blocks as the engine hands it out, whose block `p` was the first of its free ones.  Blocks that it has made
// since are in ascending order, `p` among them.  How many there were then is in a field that it has for padding.
static void *brawn_fresh_shuffled(mi_heap_t *heap, mi_page_t *page, void *p) {
    if (page->free == NULL) brawn_set_end(page, NULL);  // the engine took the last one
    if ((uintptr_t)page->padding[0] == page->capacity) return p;
    page->padding[0] = (void *)(uintptr_t)page->capacity;
    mi_block_t *block = p;
    brawn_block_set_next(page, block, page->free);
    page->free = block;
    brawn_shuffle(heap, page);
    block = page->free;
    page->free = brawn_block_next(page, block);
    if (page->free == NULL) brawn_set_end(page, NULL);
    block->next = 0;
    return block;
}

// Puts fresh blocks among the freed ones of a page whose first list is used up: what is handed out next is
// harder to tell, and the way around is longer.
static NOINLINE void brawn_refill(mi_heap_t *heap, mi_page_t *page) {
    mi_page_extend_free(heap, page, heap->tld);
    page->padding[0] = (void *)(uintptr_t)page->capacity;
    brawn_shuffle(heap, page);
}

// The second list of `page` becomes the first one, which is used up.
static void brawn_second_list(mi_page_t *page) {
    mi_block_t *end = page->local_free;
    page->free = end;
    page->local_free = NULL;
    size_t count = 1;
    for (mi_block_t *next; (next = brawn_block_next(page, end)) != NULL; end = next) {
        if (mi_unlikely(++count > page->capacity)) brawn_trap_corrupted();
    }
    brawn_set_end(page, end);
}
