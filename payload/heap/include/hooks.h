// What the engine asks of the payload, since payload/engine/ has it changed there; each with the file that has it.
#ifndef BRAWN_HOOKS_H
#define BRAWN_HOOKS_H

// Memory of the first segment becomes accessible in pieces of this many bytes.
#define BRAWN_COMMIT (64 * MI_KiB)

#if BRAWN_CHECKED
static inline void brawn_engine_error(int error);  // traps.c
static inline mi_block_t *brawn_block_nextx(const void *null, const mi_block_t *block, const uintptr_t *keys);  // links.c
static inline void brawn_block_set_nextx(const void *null, mi_block_t *block, const mi_block_t *next, const uintptr_t *keys);
static inline mi_block_t *brawn_block_next(const mi_page_t *page, const mi_block_t *block);
static inline size_t brawn_page_front(size_t block_size);
#else
static inline void brawn_engine_error(int error) { (void)error; }
// How many bytes of a page lie in front of its first block.
static inline size_t brawn_page_front(size_t block_size) {
    (void)block_size;
    return 0;
}
#endif

static void brawn_collect(mi_heap_t *heap, bool force);  // collect.c
static inline void brawn_page_joins(mi_heap_t *heap, const mi_page_t *page);  // pages.c
static inline void brawn_page_leaves(mi_heap_t *heap, const mi_page_t *page);
static bool brawn_page_stays(mi_page_t *page);  // spare.c
static size_t brawn_page_extend(mi_page_t *page, size_t size, size_t extend);
static mi_page_t *brawn_find_slices(size_t count, mi_segments_tld_t *segments);
static mi_slice_t *brawn_slices_freed(mi_slice_t *slice, mi_segments_tld_t *segments);  // purge.c
static inline void brawn_segment_comes(mi_segment_t *segment);  // platform.c
static inline void brawn_segment_goes(mi_segment_t *segment);

#endif
