// The paths of blocks that carry a seal: 8 bytes in front of them that nobody can make up who does not know the
// process's secret (or has read seals, from which it can be computed), and that hold how many bytes the
// program asked for: links.c.  The surface asks for the same as of blocks.c.
//
//        block                                              the next block
//   seal | the program's bytes | mark | unused ...     seal |
//
// A block that is freed gets another seal: `free` of anything else but a live block's start finds none that
// fits, and so it does where bytes in front of a block were written to.  What is written behind the program's bytes hits
// the mark there, which is the first byte of the next seal where nothing is unused.  free, realloc and malloc_usable_size
// check all of it, in constant time.

static inline void *brawn_seal(const mi_page_t *page, void *p, size_t size) {
    const uint64_t mix = brawn_mix(page->keys, p);
    ((uint8_t *)p)[size] = (uint8_t)mix;
    *brawn_seal_at(p) = mix ^ size << 8;
    return p;
}

// The segment of `p`, which may be no block at all.  Only a real segment's header holds this process's cookie; in front
// of any other pointer there is something else, or no memory.
static inline mi_segment_t *brawn_checked_segment(const void *p) {
    mi_segment_t *const segment = brawn_segment(p);
    if (mi_unlikely(segment->cookie != _mi_ptr_cookie(segment))) brawn_trap_not_a_block();
    return segment;
}

// What is wrong with `p`, whose seal, or the mark behind its bytes, is not what it has to be.  It does not return, which
// the compiler need not know: it jumps here then, and free needs no stack.
static NOINLINE __attribute__((cold)) void brawn_trap_seal(const mi_page_t *page, const void *p) {
    brawn_checked_segment(p);
    const uint64_t changed = *brawn_seal_at(p) ^ brawn_mix(page->keys, p);
    if (changed == (uint64_t)BRAWN_SEALED_FREE) brawn_trap_freed_already();
    if ((uint8_t)changed == 0 && changed >> 8 <= page->block_size - BRAWN_SEAL) brawn_trap_written_past_end();
    const size_t offset = (size_t)((const uint8_t *)p - page->page_start);
    const bool is_block = page->block_size != 0 && offset % page->block_size == 0 && offset / page->block_size < page->capacity;
    if (is_block) brawn_trap_written_in_front();
    brawn_trap_not_a_block();
}

// Half of a page's block size, so that what is no page cannot have one that lets everything pass.
static inline uint32_t brawn_block_bytes(const mi_page_t *page) {
    typedef uint32_t half __attribute__((may_alias));
    return *(const half *)&page->block_size;
}
_Static_assert(offsetof(mi_page_t, block_size) % sizeof(uint64_t) == 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half is the first one");

// How many bytes the program asked for, of a block whose seal was `seal`, in `size`.  false: it is no seal, or what is behind
// those bytes was changed.
static inline __attribute__((always_inline)) bool brawn_seal_says(const mi_page_t *page, const void *p, uint64_t mix, uint64_t seal, size_t *size) {
    const uint64_t changed = seal ^ mix;
    *size = changed >> 8 | changed << 56;
    return mi_likely(*size < brawn_block_bytes(page)) && mi_likely(((const uint8_t *)p)[*size] == (uint8_t)mix);
}

static inline size_t brawn_sealed_size(const mi_page_t *page, const void *p, uint64_t seal) {
    size_t size;
    if (mi_unlikely(!brawn_seal_says(page, p, brawn_mix(page->keys, p), seal, &size))) brawn_trap_seal(page, p);
    return size;
}

// ---------------------------------------------------------------------------------------------
// Allocation

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

enum { BRAWN_LINE = 64 };  // bytes of a cache line

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

// Zeros for the program's bytes alone: behind them may be the next block's seal.
static inline void brawn_zero_sized(uint8_t *p, size_t size) {
    const size_t words = _mi_align_up(size, sizeof(uint64_t)), pairs = words & ~(size_t)(MI_MAX_ALIGN_SIZE - 1);
    brawn_zero_block(p, pairs);
    if (words != pairs) *(brawn_seal_t *)(p + pairs) = 0;
}

// Makes a free block the program's.
static inline __attribute__((always_inline)) void *brawn_hand_out(void *p, uint64_t mix, size_t size, bool zero) {
    ((mi_block_t *)p)->next = 0;  // tells nothing of the list
    if (zero) brawn_zero_sized(p, size);
    ((uint8_t *)p)[size] = (uint8_t)mix;
    *brawn_seal_at(p) = mix ^ size << 8;
    return p;
}

static NOINLINE void *brawn_block_slow(size_t block, size_t size, bool zero) {
    mi_heap_t *const heap = brawn_own_heap();
    void *p = NULL;
    if (mi_unlikely(block < size)) block = size;  // the sum overflowed: there is no such block
    const bool shared = block <= MI_MEDIUM_OBJ_SIZE_MAX;  // its page has others; only a span is zeroed by the engine
    const bool large = block > BRAWN_SPAN_MAX;
    // A span gets all of its slices but the front, which is a cache line if nothing asks for more: copies of blocks that begin
    // within a line take longer.
    if (!shared && !large && block % (2 * BRAWN_LINE) != 0)
        block = _mi_align_up(block + BRAWN_LINE, MI_SEGMENT_SLICE_SIZE) - BRAWN_LINE;
    if (mi_likely(heap != NULL)) {
        p = large    ? brawn_large_alloc(size, MI_MAX_ALIGN_SIZE, zero)
            : shared ? brawn_engine_alloc(heap, block, false)
                     : brawn_span_shuffled(heap, block, zero);
    }
    if (mi_unlikely(p == NULL)) return brawn_fail(ENOMEM);
    if (large) return p;
    mi_page_t *const page = _mi_segment_page_of(brawn_segment(p), p);
    if (shared) p = brawn_fresh_shuffled(heap, page, p);
    const uint64_t mix = brawn_mix(page->keys, p);
    if (mi_unlikely(*brawn_seal_at(p) != brawn_free_seal(mix))) brawn_trap_corrupted();
    if (!shared) return brawn_seal(page, p, size);
    return brawn_hand_out(p, mix, size, zero);
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

// The first list of `page` is used up: the second one takes its place, without the engine.  The block that was freed last comes
// first there.  It is not handed out if there is another: the next one is.
static inline __attribute__((always_inline)) void *brawn_block_again(mi_page_t *page, size_t block, size_t size, bool zero) {
    mi_block_t *const last = page->local_free;
    if (mi_unlikely(last == NULL)) return brawn_block_slow(block, size, zero);
    if (mi_likely(brawn_round_is_whole(page))) brawn_second_list(page);
    else brawn_refill(brawn_heap, page);
    mi_block_t *const first = page->free, *const second = brawn_block_nextx(page, first, page->keys);
    mi_block_t *p = first;
    page->free = second;
    if (first == last && second != NULL) {
        p = second;
        brawn_block_set_next(page, first, brawn_block_nextx(page, second, page->keys));
        page->free = first;
        if (brawn_end(page) == second) brawn_set_end(page, first);
    } else if (second == NULL) brawn_set_end(page, NULL);
    page->used++;
    const uint64_t mix = brawn_mix(page->keys, p);
    if (mi_unlikely(*brawn_seal_at(p) != brawn_free_seal(mix))) brawn_trap_corrupted();
    return brawn_hand_out(p, mix, size, zero);
}

// For malloc, whose fast path so has no more to pass on than it got.
static NOINLINE void *brawn_malloc_slow(size_t size) { return brawn_block_slow(size + BRAWN_SEAL, size, false); }

static NOINLINE void *brawn_malloc_again(mi_page_t *page, size_t size) {
    return brawn_block_again(page, size + BRAWN_SEAL, size, false);
}

static NOINLINE void *brawn_others_again(mi_page_t *page, size_t block, size_t size, bool zero) {
    return brawn_block_again(page, block, size, zero);
}

// A block for `size` bytes of the program's, and for `more` that no one sees, SIZE_MAX - size at most.
static inline __attribute__((always_inline)) void *brawn_block(size_t size, size_t more, bool zero) {
    mi_heap_t *const heap = brawn_heap;
    const size_t block = size + more;
    const bool plain = more == BRAWN_SEAL && !zero;  // malloc
    if (mi_unlikely(heap == NULL)) goto slow;
    mi_page_t *page = NULL;
    // If the sum overflows, `size` is not a small one, and the slow path refuses it.
    if (mi_likely(size <= MI_SMALL_SIZE_MAX - BRAWN_SEAL && (more == BRAWN_SEAL || block <= MI_SMALL_SIZE_MAX))) {
        // One entry a word of size; blocks are multiples of 16 bytes, so entries are 16 bytes apart.
        page = heap->pages_free_direct[_mi_align_up(block, MI_MAX_ALIGN_SIZE) / sizeof(uintptr_t)];
    } else if (mi_likely(size <= MI_MEDIUM_OBJ_SIZE_MAX && block <= MI_MEDIUM_OBJ_SIZE_MAX)) {
        page = heap->pages[brawn_bin(block)].first;
        if (mi_unlikely(page == NULL)) goto slow;
    } else goto slow;
    mi_block_t *const p = page->free;
    if (mi_unlikely(p == NULL)) return plain ? brawn_malloc_again(page, size) : brawn_others_again(page, block, size, zero);
    // What leads here lay in a free block, to which a program may have written.  Any address but a free block's has no seal
    // of one, or is none: a fault ends the program as well.
    const uint64_t mix = brawn_mix(page->keys, p);
    if (mi_unlikely(*brawn_seal_at(p) != brawn_free_seal(mix))) brawn_trap_corrupted();
    mi_block_t *const next = (mi_block_t *)(p->next ^ mix);
    page->free = next;
    if (mi_unlikely(next == NULL)) brawn_set_end(page, NULL);
    page->used++;
    return brawn_hand_out(p, mix, size, zero);
slow:
    return plain ? brawn_malloc_slow(size) : brawn_block_slow(block, size, zero);
}

static inline __attribute__((always_inline)) void *brawn_malloc(size_t size) { return brawn_block(size, BRAWN_SEAL, false); }

static void *brawn_zalloc(size_t total) { return brawn_block(total, BRAWN_SEAL, true); }

static void *brawn_aligned(size_t alignment, size_t size) {
    if (mi_likely(alignment <= MI_SEGMENT_SLICE_SIZE && size <= BRAWN_SPAN_MAX - 2 * MI_SEGMENT_SLICE_SIZE)) {
        // As in blocks.c: the block is aligned as it comes.
        const size_t block = _mi_align_up(size + BRAWN_SEAL, alignment);
        return brawn_block(size, block - size, false);
    }
    void *const p = brawn_large_alloc(size, alignment, false);
    return mi_likely(p != NULL) ? p : brawn_fail(ENOMEM);
}

// ---------------------------------------------------------------------------------------------
// Back

// A block of another thread, of an ended one, or one with a mapping of its own.
static NOINLINE void brawn_free_remote(void *p, bool sized, size_t expected) {
    mi_segment_t *const segment = brawn_checked_segment(p);
    if (segment->kind == MI_SEGMENT_HUGE) {
        if (sized && brawn_large_size(segment, p) != expected) brawn_trap_wrong_size();
        brawn_large_free(segment, p, true);
        return;
    }
    mi_page_t *const page = _mi_segment_page_of(segment, p);
    const uint64_t mix = brawn_mix(page->keys, p);
    uint64_t seal = *brawn_seal_at(p);
    const size_t size = brawn_sealed_size(page, p, seal);
    if (sized && size != expected) brawn_trap_wrong_size();
    // One exchange: of two threads that free another's block, one finds the seal changed.  (The block's own thread
    // has none in its way: it and another one that free a block within the same few instructions are not found.)
    if (!__atomic_compare_exchange_n(brawn_seal_at(p), &seal, brawn_free_seal(mix), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        brawn_trap_freed_already();
    brawn_engine_free_remote(page, segment, p);
}

// The only page of its size is empty.  Mostly it stays for the next block, since to close and to open it takes microseconds.
// But of each size the first such page of the process, and later one in BRAWN_CLOSE_ONE_IN, goes back to its segment out of
// reach: who still uses one of its blocks ends in a fault.  The engine opens what it takes again, as it does where a segment
// is only reserved so far.  Returns whether it did.
enum { BRAWN_CLOSE_ONE_IN = 256 };

// A last look at the blocks of a list, all of which are free: whether each leads to another free one.
static void brawn_look_through(const mi_page_t *page, const mi_block_t *block) {
    for (size_t i = 0; block != NULL; i++, block = brawn_block_next(page, block)) {
        if (i > page->capacity || *brawn_seal_at(block) != brawn_free_seal(brawn_mix(page->keys, block))) brawn_trap_corrupted();
    }
}

static bool brawn_page_close(mi_page_t *page) {
    static _Atomic(uintptr_t) closed[MI_BIN_FULL / 64 + 1];  // one bit for each queue
    mi_heap_t *const heap = mi_page_heap(page);
    mi_page_queue_t *const queue = mi_page_queue_of(page);
    const size_t index = (size_t)(queue - heap->pages);
    const uintptr_t bit = (uintptr_t)1 << index % 64;
    if (index >= MI_BIN_HUGE || brawn_page_size > MI_SEGMENT_SLICE_SIZE) return false;
    const bool first = (mi_atomic_load_relaxed(&closed[index / 64]) & bit) == 0;
    if (!first && _mi_random_next(&heap->random) % BRAWN_CLOSE_ONE_IN != 0) return false;
    if (first) mi_atomic_or_acq_rel(&closed[index / 64], bit);
    brawn_look_through(page, page->free);
    brawn_look_through(page, page->local_free);
    mi_segment_t *const segment = _mi_page_segment(page);
    uint8_t *const start = (uint8_t *)segment + mi_slice_index(mi_page_to_slice(page)) * MI_SEGMENT_SLICE_SIZE;
    const size_t size = (size_t)page->slice_count * MI_SEGMENT_SLICE_SIZE;
    uint8_t *from;
    size_t whole;
    mi_commit_mask_t mask;
    mi_segment_commit_mask(segment, true, start, size, &from, &whole, &mask);
    if (whole == 0 || !brawn_protect(from, whole, PROT_NONE_)) return false;
    brawn_discard(from, whole);
    mi_commit_mask_clear(&segment->commit_mask, &mask);
    mi_commit_mask_clear(&segment->purge_mask, &mask);
    brawn_note_freed();
    _mi_page_free(page, queue, false);
    return true;
}

// The same as brawn_page_emptied, but for what is closed.  Pages that wait need nothing but more time, every time.
static NOINLINE void brawn_emptied_slow(mi_page_t *page) {
    const bool only = page->next == NULL && page->prev == NULL;
    if (only && page->block_size <= MI_MEDIUM_OBJ_SIZE_MAX && brawn_page_close(page)) return;
    brawn_page_retire(page);
}

static inline __attribute__((always_inline)) void brawn_emptied(mi_page_t *page) {
    if (mi_unlikely(!brawn_page_waits_on(page))) brawn_emptied_slow(page);
}

// A block whose seal says another size than the program does, or is none.
static NOINLINE __attribute__((cold)) void brawn_trap_size(const mi_page_t *page, const void *p) {
    brawn_sealed_size(page, p, *brawn_seal_at(p));
    brawn_trap_wrong_size();
}

// Puts a block on one of the lists of a page whose first one has no end that is known.
static NOINLINE void brawn_free_endless(mi_page_t *page, mi_block_t *block) {
    mi_block_t *const freed = page->local_free;
    *brawn_seal_at(block) = brawn_free_seal(brawn_mix(page->keys, block));
    if (page->free != NULL || !brawn_round_is_whole(page) || (freed != NULL && brawn_block_nextx(page, freed, page->keys) != NULL)) {
        brawn_block_set_next(page, block, freed);
        page->local_free = block;
    } else {
        // All others are in use, but for one.
        brawn_block_set_next(page, block, NULL);
        page->free = freed != NULL ? freed : block;
        page->local_free = NULL;
        if (freed != NULL) brawn_block_set_next(page, freed, block);
        brawn_set_end(page, block);
    }
    if (mi_unlikely(--page->used == 0)) brawn_emptied(page);
}

static inline __attribute__((always_inline)) void brawn_free_expecting(void *p, bool sized, size_t expected) {
    if (mi_unlikely(p == NULL)) return;
    mi_segment_t *const segment = brawn_segment(p);
    // A pointer that is none may find anything here.  Without the process's secret no page, real or not, has
    // a seal for it.
    if (mi_unlikely(mi_atomic_load_relaxed(&segment->thread_id) != _mi_prim_thread_id())) {
        brawn_free_remote(p, sized, expected);
        return;
    }
    mi_page_t *const page = _mi_segment_page_of(segment, p);
    const uint64_t mix = brawn_mix(page->keys, p), seal = *brawn_seal_at(p);
    if (!sized) {
        size_t size;
        if (mi_unlikely(!brawn_seal_says(page, p, mix, seal, &size))) {
            brawn_trap_seal(page, p);
            return;
        }
    } else if (mi_unlikely(seal != (mix ^ (expected << 8 | expected >> 56)) || ((const uint8_t *)p)[expected] != (uint8_t)mix)) {
        // (Rotated, so that no bit of what a program says is lost.)
        brawn_trap_size(page, p);
        return;
    }
    if (mi_unlikely(page->flags.full_aligned != 0)) {
        *brawn_seal_at(p) = brawn_free_seal(mix);
        brawn_free_full(page, segment, p);
        return;
    }
    mi_block_t *const end = brawn_end(page), *const block = p;
    if (mi_unlikely(end == NULL)) {
        brawn_free_endless(page, block);
        return;
    }
    end->next ^= (uintptr_t)block;  // which was a link to nothing
    block->next = mix;  // a link to nothing
    brawn_set_end(page, block);
    *brawn_seal_at(p) = brawn_free_seal(mix);
    if (mi_unlikely(--page->used == 0)) brawn_emptied(page);
}

static inline __attribute__((always_inline)) void brawn_free(void *p) { brawn_free_expecting(p, false, 0); }

static inline void brawn_free_sized(void *p, size_t size) { brawn_free_expecting(p, true, size); }

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
    return brawn_sealed_size(*page, p, *brawn_seal_at(p));
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
        // It stays where it is.
        if (size <= old) return page == NULL ? brawn_large_give_out(segment, size) : brawn_seal(page, p, size);
        return page == NULL ? brawn_large_slide(segment, size) : NULL;
    }
    brawn_memcpy(moved, p, size < old ? size : old);
    brawn_free(p);
    return moved;
}
