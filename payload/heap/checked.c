// The paths of blocks that carry a seal: 8 bytes at their end that nobody can make up who does not know the
// process's secret (or has read seals, from which it can be computed), and that hold how many bytes the
// program asked for.  The surface asks for the same as of blocks.c.
//
//   block                                                        block + its size
//   | the program's bytes | the seal's first byte | unused ... | seal |
//
// A block that is freed loses its seal: `free` of anything else but a live block's start finds none that
// fits.  What is written behind the program's bytes hits the byte there, which is the seal's own where
// nothing is unused.  free, realloc and malloc_usable_size check all of it, in constant time.

enum {
    BRAWN_SEAL = sizeof(uint64_t),
    BRAWN_SLACK_MAX = UINT16_MAX,
};

typedef uint64_t brawn_seal_t __attribute__((may_alias));

// Of a block at `p` with `slack` bytes between the program's and the seal.  The low bits of a product
// depend on few of its factors', so that the upper 48 are taken.
static inline uint64_t brawn_seal_of(const mi_page_t *page, const void *p, size_t slack) {
    const uint64_t mixed = (((uintptr_t)p ^ page->keys[0]) + slack) * mi_atomic_load_relaxed(&brawn_secret);
    return (mixed >> 16) | 1 | ((uint64_t)slack << 48);  // odd: no 0, which would end a string
}
_Static_assert(BRAWN_SPAN_MAX / 2 < BRAWN_SLACK_MAX, "a seal has 16 bits for the slack, which is at most half of a span");

static inline brawn_seal_t *brawn_seal_at(const mi_page_t *page, const void *p) {
    return (brawn_seal_t *)((char *)p + page->block_size - BRAWN_SEAL);
}

static inline void *brawn_seal(const mi_page_t *page, void *p, size_t size) {
    const uint64_t seal = brawn_seal_of(page, p, page->block_size - BRAWN_SEAL - size);
    ((uint8_t *)p)[size] = (uint8_t)seal;
    *brawn_seal_at(page, p) = seal;
    return p;
}

// How many bytes the program asked for, of a block whose seal was `seal`.
static inline size_t brawn_sealed_size(const mi_page_t *page, const void *p, uint64_t seal) {
    const size_t slack = seal >> 48;
    if (mi_unlikely(seal != brawn_seal_of(page, p, slack))) {
        if (seal == 0) brawn_trap_freed_already();
        brawn_trap_not_a_block();
    }
    const size_t size = page->block_size - BRAWN_SEAL - slack;
    if (mi_unlikely(((const uint8_t *)p)[size] != (uint8_t)seal)) brawn_trap_written_past_end();
    return size;
}

// The segment of `p`, which may be no block at all.  Only a real segment's header holds this process's cookie; in front
// of any other pointer there is something else, or no memory.
static inline mi_segment_t *brawn_checked_segment(const void *p) {
    mi_segment_t *const segment = brawn_segment(p);
    if (mi_unlikely(segment->cookie != _mi_ptr_cookie(segment))) brawn_trap_not_a_block();
    return segment;
}

// How the engine encodes the links of free lists (internal.h, mi_ptr_encode).  Written for processors whose rotations take
// any count.  The page itself stands for the end of a list.
static inline mi_encoded_t brawn_encode(const mi_page_t *page, const mi_block_t *next) {
    const uintptr_t key = page->keys[0], x = (next == NULL ? (uintptr_t)page : (uintptr_t)next) ^ page->keys[1];
    return ((x << (key & 63)) | (x >> (-key & 63))) + key;
}

static inline mi_block_t *brawn_decode(const mi_page_t *page, mi_encoded_t code) {
    const uintptr_t key = page->keys[0], x = code - key;
    return (mi_block_t *)(((x >> (key & 63)) | (x << (-key & 63))) ^ page->keys[1]);
}

// ---------------------------------------------------------------------------------------------
// Allocation

// The block behind `block` in the list of free ones; NULL: none.
static inline mi_block_t *brawn_next(const mi_page_t *page, const mi_block_t *block) {
    mi_block_t *const next = brawn_decode(page, block->next);
    // Of all that a stray write may leave there, one in 2^48 decodes to a place for a block in this segment.
    // (The page itself is in its header, and aligned as blocks are.)
    if (mi_unlikely((((uintptr_t)next ^ (uintptr_t)block) & (~MI_SEGMENT_MASK | (MI_MAX_ALIGN_SIZE - 1))) != 0)) brawn_trap_corrupted();
    return (const void *)next == (const void *)page ? NULL : next;
}
_Static_assert(offsetof(mi_segment_t, slices) % MI_MAX_ALIGN_SIZE == 0 && sizeof(mi_page_t) % MI_MAX_ALIGN_SIZE == 0,
    "a page's own address passes for a block's");

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
    for (size_t rows = LISTS;; rows *= LISTS) {
        mi_block_t *first[LISTS] = {NULL}, *last[LISTS];
        size_t count = 0;
        for (mi_block_t *block = page->free, *next; block != NULL; block = next, count++) {
            next = brawn_next(page, block);
            if (next == NULL) {
                next = more;
                more = NULL;
            }
            if (drawn++ % 32 == 0) random = _mi_random_shuffle(random);
            const size_t list = random % LISTS;
            random /= LISTS;
            if (first[list] == NULL) first[list] = block;
            else last[list]->next = brawn_encode(page, block);
            last[list] = block;
        }
        page->free = more;
        more = NULL;
        for (size_t list = 0; list < LISTS; list++) {
            if (first[list] == NULL) continue;
            last[list]->next = brawn_encode(page, page->free);
            page->free = first[list];
        }
        if (rows >= count) return;
    }
}

// A page of several blocks as the engine hands it out, whose block `p` was the first of its free ones.  Blocks that it has made
// since are in ascending order, `p` among them.  How many there were then is in a field that it has for padding.
static void *brawn_fresh_shuffled(mi_heap_t *heap, mi_page_t *page, void *p) {
    if ((uintptr_t)page->padding[0] == page->capacity) return p;
    page->padding[0] = (void *)(uintptr_t)page->capacity;
    mi_block_t *block = p;
    block->next = brawn_encode(page, page->free);
    page->free = block;
    brawn_shuffle(heap, page);
    block = page->free;
    page->free = brawn_next(page, block);
    block->next = 0;
    return block;
}

// A freed block is handed out again only after this many others of its page, if the page has that many.
enum { BRAWN_ROUND = 16 };

// Puts fresh blocks among the freed ones of a page whose first list is used up: what is handed out next is
// harder to tell, and the way around is longer.
static NOINLINE void brawn_refill(mi_heap_t *heap, mi_page_t *page) {
    mi_page_extend_free(heap, page, heap->tld);
    page->padding[0] = (void *)(uintptr_t)page->capacity;
    brawn_shuffle(heap, page);
}

// A block that has a span of its own.  The engine takes spans in the order of their addresses.  So up to three
// others are taken before it that are free again when it is there: the next blocks lie in front of it or behind.
static void *brawn_span_shuffled(mi_heap_t *heap, size_t size, bool zero) {
    void *const kept = brawn_span_take(heap, size);
    if (kept != NULL) return zero ? brawn_memset(kept, 0, size) : kept;
    enum { OTHERS = 3 };
    void *others[OTHERS];
    size_t count = _mi_random_next(&heap->random) % (OTHERS + 1), taken = 0;
    while (taken < count && (others[taken] = brawn_engine_alloc(heap, size, false)) != NULL) taken++;
    void *const p = brawn_engine_alloc(heap, size, zero);
    const bool again = p == NULL && taken > 0;
    for (; taken > 0; taken--) brawn_span_free(_mi_segment_page_of(brawn_segment(others[taken - 1]), others[taken - 1]));
    return again ? brawn_engine_alloc(heap, size, zero) : p;  // the others may be in its place
}

static NOINLINE void *brawn_block_slow(size_t block, size_t size, bool zero) {
    mi_heap_t *const heap = brawn_own_heap();
    void *p = NULL;
    if (mi_unlikely(block < size)) block = size;  // the sum overflowed: there is no such block
    const bool shared = block <= MI_MEDIUM_OBJ_SIZE_MAX;  // its page has others; only a span is zeroed by the engine
    if (mi_likely(heap != NULL)) {
        p = block > BRAWN_SPAN_MAX ? brawn_large_alloc(size, MI_MAX_ALIGN_SIZE, zero)
            : shared               ? brawn_engine_alloc(heap, block, false)
                                   : brawn_span_shuffled(heap, block, zero);
    }
    if (mi_unlikely(p == NULL)) return brawn_fail(ENOMEM);
    if (block > BRAWN_SPAN_MAX) return p;
    mi_page_t *const page = _mi_segment_page_of(brawn_segment(p), p);
    if (shared) {
        p = brawn_fresh_shuffled(heap, page, p);
        if (zero) brawn_zero_block(p, _mi_align_up(size, MI_MAX_ALIGN_SIZE));
    }
    return brawn_seal(page, p, size);
}

// A block for `size` bytes of the program's, and for `more` that no one sees, SIZE_MAX - size at most.
static inline __attribute__((always_inline)) void *brawn_block(size_t size, size_t more, bool zero) {
    mi_heap_t *const heap = brawn_heap;
    const size_t block = size + more;
    if (mi_unlikely(heap == NULL)) return brawn_block_slow(block, size, zero);
    mi_page_t *page = NULL;
    // If the sum overflows, `size` is not a small one, and the slow path refuses it.
    if (mi_likely(size <= MI_SMALL_SIZE_MAX - BRAWN_SEAL && (more == BRAWN_SEAL || block <= MI_SMALL_SIZE_MAX))) {
        // One entry a word of size; blocks are multiples of 16 bytes, so entries are 16 bytes apart.
        page = heap->pages_free_direct[_mi_align_up(block, MI_MAX_ALIGN_SIZE) / sizeof(uintptr_t)];
    } else if (mi_likely(size <= MI_MEDIUM_OBJ_SIZE_MAX && block <= MI_MEDIUM_OBJ_SIZE_MAX)) {
        page = heap->pages[brawn_bin(block)].first;
        if (mi_unlikely(page == NULL)) return brawn_block_slow(block, size, zero);
    } else return brawn_block_slow(block, size, zero);
    mi_block_t *p = page->free;
    if (mi_unlikely(p == NULL)) {
        // Around once more, without the engine.
        p = page->local_free;
        if (mi_unlikely(p == NULL)) return brawn_block_slow(block, size, zero);
        if (mi_unlikely(page->capacity < BRAWN_ROUND && page->capacity < page->reserved)) {
            brawn_refill(heap, page);
            p = page->free;
        } else page->local_free = NULL;
    }
    page->free = brawn_next(page, p);
    page->used++;
    p->next = 0;  // tells nothing of the list
    if (zero) brawn_zero_block(p, _mi_align_up(size, MI_MAX_ALIGN_SIZE));
    return brawn_seal(page, p, size);
}

static inline __attribute__((always_inline)) void *brawn_malloc(size_t size) { return brawn_block(size, BRAWN_SEAL, false); }

static void *brawn_zalloc(size_t total) { return brawn_block(total, BRAWN_SEAL, true); }

static void *brawn_aligned(size_t alignment, size_t size) {
    if (mi_likely(alignment <= MI_SEGMENT_SLICE_SIZE && size <= BRAWN_SPAN_MAX - 2 * MI_SEGMENT_SLICE_SIZE)) {
        // As in blocks.c: the block is aligned as it comes.
        return brawn_block(size, _mi_align_up(size + BRAWN_SEAL, alignment) - size, false);
    }
    void *const p = brawn_large_alloc(size, alignment, false);
    return mi_likely(p != NULL) ? p : brawn_fail(ENOMEM);
}

// ---------------------------------------------------------------------------------------------
// Back

// What `free` expects of a block's size: nothing.  No block has this one.
#define BRAWN_ANY_SIZE SIZE_MAX

// `size` is what the block's seal says.  At most one with all of its slack's bits set is larger than the program's own:
// see brawn_realloc.
static inline void brawn_expect(size_t size, size_t slack, size_t expected) {
    if (expected == BRAWN_ANY_SIZE || mi_likely(size == expected)) return;
    if (slack != BRAWN_SLACK_MAX || expected > size) brawn_trap_wrong_size();
}

// A block of another thread, of an ended one, or one with a mapping of its own.
static NOINLINE void brawn_free_remote(void *p, size_t expected) {
    mi_segment_t *const segment = brawn_checked_segment(p);
    if (segment->kind == MI_SEGMENT_HUGE) {
        if (expected != BRAWN_ANY_SIZE) brawn_expect(brawn_large_size(segment, p), 0, expected);
        brawn_large_free(segment, p, true);
        return;
    }
    mi_page_t *const page = _mi_segment_page_of(segment, p);
    brawn_seal_t *const at = brawn_seal_at(page, p);
    uint64_t seal = *at;
    brawn_expect(brawn_sealed_size(page, p, seal), seal >> 48, expected);
    // One exchange: of two threads that free another's block, one finds the seal gone.  (The block's own thread
    // has none in its way: it and another one that free a block within the same few instructions are not found.)
    if (!__atomic_compare_exchange_n(at, &seal, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) brawn_trap_freed_already();
    brawn_engine_free_remote(page, segment, p);
}

static inline __attribute__((always_inline)) void brawn_free_expecting(void *p, size_t expected) {
    if (mi_unlikely(p == NULL)) return;
    mi_segment_t *const segment = brawn_segment(p);
    // A pointer that is none may find anything here.  Without the process's secret no page, real or not, has
    // a seal for it.
    if (mi_unlikely(mi_atomic_load_relaxed(&segment->thread_id) != _mi_prim_thread_id())) {
        brawn_free_remote(p, expected);
        return;
    }
    mi_page_t *const page = _mi_segment_page_of(segment, p);
    brawn_seal_t *const seal = brawn_seal_at(page, p);
    const uint64_t sealed = *seal;
    brawn_expect(brawn_sealed_size(page, p, sealed), sealed >> 48, expected);
    *seal = 0;
    if (mi_unlikely(page->flags.full_aligned != 0)) {
        brawn_free_full(page, segment, p);
        return;
    }
    mi_block_t *const block = p;
    // Onto the engine's second list, which malloc takes from when the first is used up: what a program
    // still does to a freed block meets its next owner late.
    block->next = brawn_encode(page, page->local_free);
    page->local_free = block;
    if (mi_unlikely(--page->used == 0)) brawn_page_emptied(page);
}

static inline __attribute__((always_inline)) void brawn_free(void *p) { brawn_free_expecting(p, BRAWN_ANY_SIZE); }

// A size that no block can have is no less wrong for being the one that stands for any.
static inline void brawn_free_sized(void *p, size_t size) {
    brawn_free_expecting(p, size == BRAWN_ANY_SIZE ? BRAWN_ANY_SIZE - 1 : size);
}

// Whether it was asked for with this very alignment nobody has noted; it is aligned so, at least.
static inline void brawn_expect_alignment(void *p, size_t alignment) {
    if (mi_unlikely((alignment & (alignment - 1)) != 0 || ((uintptr_t)p & (alignment - 1)) != 0)) {
        if (p != NULL && alignment != 0) brawn_trap_wrong_size();
    }
}

// How many bytes the program asked for, and whether the block has a mapping of its own.
static inline size_t brawn_live_size(mi_segment_t *segment, const void *p, mi_page_t **page) {
    if (segment->kind == MI_SEGMENT_HUGE) {
        *page = NULL;
        return brawn_large_size(segment, p);
    }
    *page = _mi_segment_page_of(segment, p);
    return brawn_sealed_size(*page, p, *brawn_seal_at(*page, p));
}

static inline size_t brawn_usable(void *p) {
    mi_page_t *page;
    return brawn_live_size(brawn_checked_segment(p), p, &page);
}

static void *brawn_realloc(void *p, size_t size) {
    if (p == NULL) return brawn_malloc(size);
    mi_segment_t *const segment = brawn_checked_segment(p);
    mi_page_t *page;
    const size_t old = brawn_live_size(segment, p, &page);
    if (mi_unlikely(size > PTRDIFF_MAX)) return brawn_fail(ENOMEM);
    const size_t usable = page != NULL ? page->block_size - BRAWN_SEAL : brawn_large_page(segment)->block_size;
    // In place while it fits and no more than half would be idle.
    if (size <= usable && size >= usable / 2) return page != NULL ? brawn_seal(page, p, size) : brawn_large_give_out(segment, size);
    if (page == NULL && size > BRAWN_SPAN_MAX) {
        void *const resized = brawn_large_resize(segment, size);
        if (resized != NULL) return resized;
    }
    void *const moved = brawn_malloc(size);
    if (mi_unlikely(moved == NULL)) {
        // It stays where it is, and its seal says the new size, as far as it has room for the slack.
        if (size <= old) {
            if (page == NULL) return brawn_large_give_out(segment, size);
            const size_t least = usable > BRAWN_SLACK_MAX ? usable - BRAWN_SLACK_MAX : 0;
            return brawn_seal(page, p, size > least ? size : least);
        }
        return page == NULL ? brawn_large_slide(segment, size) : NULL;
    }
    brawn_memcpy(moved, p, size < old ? size : old);
    brawn_free(p);
    return moved;
}
