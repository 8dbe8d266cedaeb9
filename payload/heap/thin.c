// Pages of several slices in which few blocks are in use.  In a long wait, their slices without a block in use go back to the kernel.  A free
// block holds its own link, so the free blocks of these slices leave the page's list.
//
// If they are behind the last block that stays, they count as never given out, and the engine puts them on the list again when it needs them.
// If they are in front of it, they are lost to the page until it is empty.  Then the page cannot give out all of its blocks, and says that it
// has fewer (`reserved`).  Only a thread with few segments has such pages (brawn_page_bytes).

enum { BRAWN_THIN_BLOCKS = 1024 };
_Static_assert((BRAWN_CHECKED || BRAWN_PAGE_MIN / 16 <= BRAWN_THIN_BLOCKS) && MI_MEDIUM_PAGE_SIZE / MI_SEGMENT_SLICE_SIZE <= 32, "a page of several slices has no more");

typedef struct {
    uint64_t words[BRAWN_THIN_BLOCKS / 64];
} brawn_blocks_t;
static inline bool brawn_has(const brawn_blocks_t *blocks, size_t i) { return blocks->words[i / 64] >> i % 64 & 1; }

// Whether blocks lie in this slice, none of which is in use.
static bool brawn_slice_is_free(const mi_page_t *page, const brawn_blocks_t *free, size_t slice) {
    const size_t size = page->block_size, begin = slice * MI_SEGMENT_SLICE_SIZE;
    size_t i = (uint32_t)begin / (uint32_t)size;
    if (i >= page->capacity) return false;
    for (; i < page->capacity && i * size < begin + MI_SEGMENT_SLICE_SIZE; i++) {
        if (!brawn_has(free, i)) return false;
    }
    return true;
}

static SELDOM bool brawn_page_thin(mi_heap_t *heap, mi_page_queue_t *queue, mi_page_t *page, void *a, void *b) {
    MI_UNUSED(heap);
    MI_UNUSED(queue);
    MI_UNUSED(a);
    MI_UNUSED(b);
    const size_t size = page->block_size, slices = page->slice_count;
    if (page->free == NULL || slices < 2 || size > MI_MEDIUM_OBJ_SIZE_MAX || page->capacity > BRAWN_THIN_BLOCKS) return true;
    // All blocks lie in the first slice, one of them in use: so it is with most pages of a thread that does little.
    if (page->capacity * size <= MI_SEGMENT_SLICE_SIZE) return true;
    if (page->used * size > (slices - 1) * MI_SEGMENT_SLICE_SIZE) return true;
    brawn_blocks_t free = {{0}};
    for (const mi_block_t *block = page->free; block != NULL; block = mi_block_next(page, block)) {
        const size_t i = (uint32_t)((const uint8_t *)block - page->page_start) / (uint32_t)size;
        free.words[i / 64] |= (uint64_t)1 << i % 64;
    }
    uint32_t goes = 0;
    for (size_t slice = 0; slice < slices; slice++)
        if (brawn_slice_is_free(page, &free, slice)) goes |= (uint32_t)1 << slice;
    if (goes == 0) return true;
    // From the last block to the first: the list, in the end, begins with the first.
    mi_block_t *list = NULL;
    size_t capacity = 0, lost = 0;
    for (size_t i = page->capacity; i-- > 0;) {
        mi_block_t *const block = (mi_block_t *)(page->page_start + i * size);
        const bool is_free = brawn_has(&free, i), stays = !(goes >> i * size / MI_SEGMENT_SLICE_SIZE & 1);
        if (capacity == 0 && (!is_free || stays)) capacity = i + 1;
        if (!is_free) continue;
        if (!stays) {
            lost += capacity > 0;
            continue;
        }
        mi_block_set_next(page, block, list);
        list = block;
    }
    page->free = list;
    page->capacity = (uint16_t)capacity;
    if (lost > 0) page->reserved = (uint16_t)(capacity - lost);
    page->is_zero_init = page->free_is_zero = false;
    for (size_t slice = 0; slice < slices;) {
        const size_t first = slice;
        while (slice < slices && (goes >> slice & 1)) slice++;
        if (slice > first) _mi_os_purge(page->page_start + first * MI_SEGMENT_SLICE_SIZE, (slice - first) * MI_SEGMENT_SLICE_SIZE);
        else slice++;
    }
    return true;
}

static void brawn_thin(mi_heap_t *heap) {
    if (BRAWN_CHECKED || brawn_page_size > MI_SEGMENT_SLICE_SIZE) return;
    mi_heap_visit_pages(heap, &brawn_page_thin, true, NULL, NULL);
}
