// In which order the free blocks of a page with seals are given out.
//
// A page's free blocks go round: malloc takes the first one of its list, and free appends to the list's end.  So a freed block
// is the last one to be used again, and free and malloc never have to stop for a list that is used up.
//
// The end of the list is kept in the page.  It is NULL where the engine made the list (fresh blocks, and what other threads
// freed), and where the list is empty: then free puts blocks on the engine's second list, from which brawn_block_again takes
// them when the first one is empty.  The engine changes the first list only while it is empty, or in front of it.  So an end that is not NULL is always the list's last block.
static inline mi_block_t *brawn_end(const mi_page_t *page) { return page->free_end; }
static inline void brawn_set_end(mi_page_t *page, mi_block_t *end) { page->free_end = end; }

// From now on what is freed goes to the end of the page's list, which is `end`.  While it had none, other pages of its size may have
// been made: then it does not wait for the next block any more.
static inline void brawn_quarantine_begin(mi_page_t *page, mi_block_t *end) {
    page->retire_expire = 0;
    brawn_set_end(page, end);
}

// Whether freed blocks may go round in what the page has: fresh ones are put among them until there are so many.
static inline bool brawn_quarantine_is_full(const mi_page_t *page) {
    return page->capacity >= BRAWN_QUARANTINE(page->block_size) || page->capacity >= page->reserved;
}

// Puts the free blocks of a page, of both of its lists, in random order: each goes to the end of one of 16
// lists that is drawn for it, and these are joined.  Once leaves 16 rows of blocks, each in the old order, twice
// 256: it is done until there are as many rows as blocks.  (A sort by numbers that are drawn digit by digit.)
//
// The stack of the smallest thread has no room for an array of blocks, and little for the lists: their ends are places in
// the page, in units of 16 bytes and counted from 1; 0: there is none.
enum {
    BRAWN_DIGIT = 4,  // bits of a random number for each block
    BRAWN_LISTS = 1 << BRAWN_DIGIT,
};
typedef struct {
    uint16_t first, last;
} brawn_row_t;
_Static_assert(2 * MI_MEDIUM_PAGE_SIZE / MI_MAX_ALIGN_SIZE <= UINT16_MAX, "a place in a page, front included, has 16 bits");

static inline mi_block_t *brawn_block_in(const mi_page_t *page, uint16_t place) {
    return (mi_block_t *)(page->page_start + (size_t)(place - 1) * MI_MAX_ALIGN_SIZE);
}

static inline uint16_t brawn_place_of(const mi_page_t *page, const mi_block_t *block) {
    return (uint16_t)((size_t)((const uint8_t *)block - page->page_start) / MI_MAX_ALIGN_SIZE + 1);
}

// The rows become the page's first list.  Returns its last block.
static mi_block_t *brawn_join(mi_page_t *page, const brawn_row_t rows[BRAWN_LISTS]) {
    mi_block_t *end = NULL;
    page->free = NULL;
    for (size_t i = 0; i < BRAWN_LISTS; i++) {
        if (rows[i].first == 0) continue;
        mi_block_t *const last = brawn_block_in(page, rows[i].last);
        if (end == NULL) end = last;
        brawn_block_set_next(page, last, page->free);
        page->free = brawn_block_in(page, rows[i].first);
    }
    return end;
}

// Returns the last block; NULL: there are none.
static NOINLINE mi_block_t *brawn_shuffle(mi_heap_t *heap, mi_page_t *page) {
    uintptr_t random = _mi_random_next(&heap->random);
    size_t drawn = 0;
    mi_block_t *more = page->local_free, *end = NULL;
    page->local_free = NULL;
    if (page->free == NULL) {
        page->free = more;
        more = NULL;
    }
    for (size_t made = BRAWN_LISTS;; made *= BRAWN_LISTS) {
        brawn_row_t rows[BRAWN_LISTS] = {{0, 0}};
        size_t count = 0;
        for (mi_block_t *block = page->free, *next; block != NULL; block = next, count++) {
            next = brawn_block_next(page, block);
            if (next == NULL) {
                next = more;
                more = NULL;
            }
            if (drawn++ % (64 / BRAWN_DIGIT) == 0) random = _mi_random_shuffle(random);
            brawn_row_t *const row = &rows[random % BRAWN_LISTS];
            random /= BRAWN_LISTS;
            const uint16_t place = brawn_place_of(page, block);
            if (row->first == 0) row->first = place;
            else brawn_block_set_next(page, brawn_block_in(page, row->last), block);
            row->last = place;
        }
        end = brawn_join(page, rows);
        if (made >= count) break;
    }
    if (brawn_quarantine_is_full(page)) brawn_quarantine_begin(page, end);
    return end;
}

// Puts fresh blocks among the freed ones of a page whose first list is used up: what is handed out next is
// harder to tell, and the way around is longer.
static mi_block_t *brawn_refill(mi_heap_t *heap, mi_page_t *page) {
    mi_page_extend_free(heap, page, heap->tld);
    page->shuffled = page->capacity;
    return brawn_shuffle(heap, page);
}

// Puts `block` behind all other free ones of its page, which has no second list; behind fresh ones, if there are no others.  Where the list's end
// is not known, the others are in random order after that.
static NOINLINE void brawn_put_last(mi_heap_t *heap, mi_page_t *page, mi_block_t *block) {
    mi_block_t *end = brawn_end(page);
    if (end == NULL) end = page->free == NULL ? brawn_refill(heap, page) : brawn_shuffle(heap, page);
    brawn_block_set_next(page, block, NULL);
    if (end != NULL) brawn_block_set_next(page, end, block);
    else page->free = block;
    if (brawn_quarantine_is_full(page)) brawn_quarantine_begin(page, block);
}

// A page of several blocks as the engine hands it out, whose block `p` was the first of its free ones.  Blocks that it has made
// since are in ascending order, `p` among them.  If there are none and no second list, `p` may be what was freed last: the engine puts what other
// threads freed in front of the others.
static void *brawn_fresh_shuffled(mi_heap_t *heap, mi_page_t *page, void *p) {
    if (page->free == NULL) brawn_set_end(page, NULL);  // the engine took the last one
    mi_block_t *block = p;
    if (page->shuffled != page->capacity) {
        page->shuffled = page->capacity;
        brawn_block_set_next(page, block, page->free);
        page->free = block;
        brawn_shuffle(heap, page);
    } else if (page->local_free == NULL && (page->free != NULL || page->capacity < page->reserved)) {
        brawn_put_last(heap, page, block);
    } else {
        return p;
    }
    block = page->free;
    page->free = brawn_block_next(page, block);
    if (page->free == NULL) brawn_set_end(page, NULL);
    block->next = 0;
    return block;
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
    brawn_quarantine_begin(page, end);
}
