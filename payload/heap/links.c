// What profiles with checks mix into the two words of the heap's own that lie among a program's blocks: the seal in front of
// each block, and the link to the next free block in each free one.  The engine's own functions for
// links call these.
//
// Both words are made with one product, which is another one for each block, of each page and each process:
//
//   mix(block) = block * (secret + factor of its page) + key of its page      (all factors: multiples of 16, as blocks' addresses are)
//
// Who reads two seals of a page can make others for it, but none for another page, and none for a page that is a forgery, since the secret stays
// unknown.  The mix's lowest byte is the page's, the same for all blocks, and odd: the page's mark.
//
//   seal of a block in use   mix + (size << 8)          size: how many bytes the program asked for
//   seal of a free block     mix - 256                  as if it had a size that no block has, -1
//   link of a free block     its seal ^ the next free block, or 0
//
// Each seal begins with the mark, whatever becomes of its block.  So where a block ends, be there unused bytes or the next
// block's seal, there is the mark: whoever frees the block can tell whether the byte behind it was changed.

typedef uint64_t brawn_seal_t __attribute__((may_alias));

enum {
    BRAWN_SEAL = sizeof(brawn_seal_t),
    BRAWN_SEALED_FREE = -256,  // as a sum: the processor makes it, for a comparison, without a copy of the mix
};

static inline uint64_t brawn_mix(const uintptr_t *keys, const void *p) {
    return (uintptr_t)p * (mi_atomic_load_relaxed(&brawn_secret) + keys[1]) + keys[0];
}

static inline brawn_seal_t *brawn_seal_at(const void *p) { return (brawn_seal_t *)p - 1; }

// Of a free block.
static inline uint64_t brawn_free_seal(uint64_t mix) { return mix + (uint64_t)BRAWN_SEALED_FREE; }

static inline mi_block_t *brawn_block_nextx(const void *null, const mi_block_t *block, const uintptr_t *keys) {
    MI_UNUSED(null);
    return (mi_block_t *)(block->next ^ brawn_free_seal(brawn_mix(keys, block)));
}

static inline void brawn_block_set_nextx(const void *null, mi_block_t *block, const mi_block_t *next, const uintptr_t *keys) {
    MI_UNUSED(null);
    block->next = (uintptr_t)next ^ brawn_free_seal(brawn_mix(keys, block));
}

// Whether a block that a link leads to may be the page's: in its segment, where the page's description is, too.
static inline bool brawn_is_of(const mi_page_t *page, const void *p) { return ((uintptr_t)page ^ (uintptr_t)p) <= MI_SEGMENT_MASK; }

// The next block has to be a free one of this page.  (Where it lies is looked at first, since its seal may be nowhere.)
static inline mi_block_t *brawn_block_next(const mi_page_t *page, const mi_block_t *block) {
    mi_block_t *const next = brawn_block_nextx(page, block, page->keys);
    if (next == NULL) return NULL;
    if (mi_unlikely(!brawn_is_of(page, next) || (uintptr_t)next % MI_MAX_ALIGN_SIZE != 0)) brawn_trap_corrupted();
    if (mi_unlikely(*brawn_seal_at(next) != brawn_free_seal(brawn_mix(page->keys, next)))) brawn_trap_corrupted();
    return next;
}

static inline void brawn_block_set_next(const mi_page_t *page, mi_block_t *block, const mi_block_t *next) {
    brawn_block_set_nextx(page, block, next, page->keys);
}

// Seals the next `count` blocks of a page, before the engine makes them a list.
static size_t brawn_seal_fresh(mi_page_t *page, size_t count) {
    if (page->capacity == 0) {
        page->keys[0] |= 1;
        page->keys[1] *= 2 * MI_MAX_ALIGN_SIZE;  // with the secret, 16 times an odd number
        page->free_end = NULL;
    }
    uint8_t *p = page->page_start + page->capacity * page->block_size;
    for (size_t i = 0; i < count; i++, p += page->block_size) *brawn_seal_at(p) = brawn_free_seal(brawn_mix(page->keys, p));
    return count;
}

enum { BRAWN_PLAIN_FRONT = 512 };

// The first block's seal lies in front of it.  Blocks of at most BRAWN_PLAIN_FRONT begin where the engine has them, one block or three behind the
// page's start.  Pages of larger ones get room here: as much as keeps blocks aligned to the largest power of two that their size is a multiple
// of, up to a slice.
static inline size_t brawn_front(size_t block_size) {
    const size_t multiple = block_size & -block_size;
    if (block_size <= BRAWN_PLAIN_FRONT) return 0;
    return multiple < MI_SEGMENT_SLICE_SIZE ? multiple : MI_SEGMENT_SLICE_SIZE;
}

// How many bytes of a page lie in front of its first block, of whatever size; that is 0 as long as it has none.
static inline size_t brawn_page_front(size_t block_size) {
    if (block_size < sizeof(uintptr_t)) return 0;
    if (block_size <= 64) return 3 * block_size;
    return block_size <= BRAWN_PLAIN_FRONT ? block_size : brawn_front(block_size);
}
