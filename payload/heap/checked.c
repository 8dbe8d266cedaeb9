// The paths of blocks that carry a seal (links.c): 8 bytes in front of each block, which hold how many bytes the program asked for.  To make a
// seal one has to know the process's secret and its page's, or to have read two seals of the same page.  surface.c uses the same functions as
// of blocks.c.
//
//        block                                              the next block
//   seal | the program's bytes | mark | unused ...     seal |
//
// A freed block gets another seal.  So `free` finds no seal that fits if its pointer is not the start of a live block, or if the program wrote
// to the bytes in front of the block.  A write behind the program's bytes hits the mark there; if no byte is unused, the mark is the first
// byte of the next seal.  free, realloc and malloc_usable_size check all of this, in constant time.

static inline void *brawn_seal(const mi_page_t *page, void *p, size_t size) {
    const uint64_t mix = brawn_mix(page->keys, p);
    ((uint8_t *)p)[size] = (uint8_t)mix;
    *brawn_seal_at(p) = mix + (size << 8);
    return p;
}

// The segment of `p`, which may be no block at all.  Only a real segment's header holds this process's cookie; in front
// of any other pointer there is something else, or no memory.
static inline mi_segment_t *brawn_checked_segment(const void *p) {
    mi_segment_t *const segment = brawn_segment(p);
    if (mi_unlikely(segment->cookie != _mi_ptr_cookie(segment))) brawn_trap_not_a_block();
    return segment;
}

// Finds out what is wrong with `p`, whose seal, or the mark behind its bytes, is not right.  It never returns, but the compiler is not told so:
// then it jumps here instead of calling, and free needs no stack.
static NOINLINE __attribute__((cold)) void brawn_trap_seal(const void *p, const mi_page_t *page) {
    brawn_checked_segment(p);
    const uint64_t changed = *brawn_seal_at(p) - brawn_mix(page->keys, p);
    if (changed == (uint64_t)BRAWN_SEALED_FREE) brawn_trap_freed_already();
    if ((uint8_t)changed == 0 && changed >> 8 <= page->block_size - BRAWN_SEAL) brawn_trap_written_past_end();
    const size_t offset = (size_t)((const uint8_t *)p - page->page_start);
    const bool is_block = page->block_size != 0 && offset % page->block_size == 0 && offset / page->block_size < page->capacity;
    if (is_block) brawn_trap_written_in_front();
    brawn_trap_not_a_block();
}

// Puts into `size` how many bytes the program asked for, of a block with the seal `seal`.  false: it is no seal, or the mark behind those bytes
// was changed.  (If `page` is no page, its block size may be anything.  But then `size` is random, and no memory is where the mark would be:
// the fault ends the program, too.)
static inline __attribute__((always_inline)) bool brawn_seal_says(const mi_page_t *page, const void *p, uint64_t mix, uint64_t seal, size_t *size) {
    const uint64_t changed = seal - mix;
    *size = changed >> 8 | changed << 56;
    return mi_likely(*size < page->block_size) && mi_likely(((const uint8_t *)p)[*size] == (uint8_t)mix);
}

static inline size_t brawn_sealed_size(const mi_page_t *page, const void *p, uint64_t seal) {
    size_t size;
    if (mi_unlikely(!brawn_seal_says(page, p, brawn_mix(page->keys, p), seal, &size))) brawn_trap_seal(p, page);
    return size;
}

// ---------------------------------------------------------------------------------------------
// Allocation

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
    *brawn_seal_at(p) = mix + (size << 8);
    return p;
}

static inline void *brawn_reseal(void *p, size_t size);

static void *brawn_block_turned(size_t block, size_t size, bool zero);

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
        if (shared && brawn_page_turn(heap, mi_bin(block)) != NULL) return brawn_block_turned(block, size, zero);
        if (!shared && !large && !zero) p = brawn_grown_first(heap, size);
        if (p != NULL) return brawn_reseal(p, size);
        p = large    ? brawn_large_alloc(size, MI_MAX_ALIGN_SIZE, zero, false)
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

// The first list of `page` is used up: the second one takes its place, without the engine.  The block that was freed last comes
// first there.  It is not handed out if there is another: the next one is, or a fresh one.
static inline __attribute__((always_inline)) void *brawn_block_again(mi_page_t *page, size_t block, size_t size, bool zero) {
    mi_block_t *const last = page->local_free;
    if (mi_unlikely(last == NULL)) return brawn_block_slow(block, size, zero);
    if (mi_unlikely(!brawn_quarantine_is_full(page))) {
        brawn_refill(brawn_heap, page);
    } else if (mi_unlikely(page->capacity < page->reserved && brawn_block_nextx(page, last, page->keys) == NULL)) {
        page->local_free = NULL;
        brawn_put_last(brawn_heap, page, last);
    } else {
        brawn_second_list(page);
    }
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
    if (mi_unlikely(!brawn_is_of(page, p) || *brawn_seal_at(p) != brawn_free_seal(mix))) brawn_trap_corrupted();
    return brawn_hand_out(p, mix, size, zero);
}

// For malloc, whose fast path so has no more to pass on than it got.
static NOINLINE void *brawn_malloc_slow(size_t size) { return brawn_block_slow(size + BRAWN_SEAL, size, false); }

static NOINLINE void *brawn_malloc_again(size_t size, mi_page_t *page) {
    return brawn_block_again(page, size + BRAWN_SEAL, size, false);
}

static NOINLINE void *brawn_others_again(mi_page_t *page, size_t block, size_t size, bool zero) {
    return brawn_block_again(page, block, size, zero);
}

// A block for `size` bytes of the program's, and for `more` that no one sees.
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
    if (mi_unlikely(p == NULL)) return plain ? brawn_malloc_again(size, page) : brawn_others_again(page, block, size, zero);
    // The link that leads here lay in a free block, to which a program may have written.  If it leads to anything but a free block, it leads out of
    // the page's segment, or there is no free block's seal, or no memory, and a fault ends the program as well.
    uint64_t mix = brawn_mix(page->keys, p);
    __asm__("" : "+r"(mix));  // else the compiler makes each word anew from the mix's two parts
    uint64_t freed = brawn_free_seal(mix);
    __asm__("" : "+r"(freed));  // and here
    if (mi_unlikely(!brawn_is_of(page, p) || *brawn_seal_at(p) != freed)) brawn_trap_corrupted();
    mi_block_t *next = (mi_block_t *)(p->next ^ freed);
    __asm__("" : "+r"(next));  // else it compares what this is made of once more
    page->free = next;
    if (mi_unlikely(next == NULL)) brawn_set_end(page, NULL);
    page->used++;
    return brawn_hand_out(p, mix, size, zero);
slow:
    __asm__("" : "+r"(size));  // else its call is made part of each jump, and the code for small sizes has one more
    return plain ? brawn_malloc_slow(size) : brawn_block_slow(block, size, zero);
}

// The first page of this size has free blocks.
static NOINLINE void *brawn_block_turned(size_t block, size_t size, bool zero) { return brawn_block(size, block - size, zero); }

static inline __attribute__((always_inline)) void *brawn_malloc(size_t size) { return brawn_block(size, BRAWN_SEAL, false); }

static void *brawn_zalloc(size_t total) { return brawn_block(total, BRAWN_SEAL, true); }

static void *brawn_aligned(size_t alignment, size_t size) {
    if (mi_likely(alignment <= MI_SEGMENT_SLICE_SIZE && size <= BRAWN_SPAN_MAX - 2 * MI_SEGMENT_SLICE_SIZE)) {
        // As in blocks.c: the block is aligned as it comes.
        const size_t block = _mi_align_up(size + BRAWN_SEAL, alignment);
        return brawn_block(size, block - size, false);
    }
    void *const p = brawn_large_alloc(size, alignment, false, false);
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
    // One exchange: of two threads that free another's block, one finds the seal changed.  (The block's own thread uses no
    // exchange.  If it and another thread free the block within the same few instructions, neither finds that.)
    if (!__atomic_compare_exchange_n(brawn_seal_at(p), &seal, brawn_free_seal(mix), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        brawn_trap_freed_already();
    brawn_engine_free_remote(page, segment, p);
}

// Like brawn_page_emptied, but some pages are closed (brawn_page_close).  A page that waits already only gets its whole time again.
static NOINLINE void brawn_emptied_slow(mi_page_t *page) {
    if (brawn_page_waits_on(page)) return;
    const bool only = page->next == NULL && page->prev == NULL;
    if (only && page->block_size <= MI_MEDIUM_OBJ_SIZE_MAX && brawn_page_close(page)) return;
    brawn_page_retire(page);
}

// A block whose seal says another size than the program does, or is none.
static NOINLINE __attribute__((cold)) void brawn_trap_size(const void *p, const mi_page_t *page) {
    brawn_sealed_size(page, p, *brawn_seal_at(p));
    brawn_trap_wrong_size();
}

// Puts a block on one of the lists of a page whose first list has no known end.  A page in the queue of full ones is such a page: it went there
// when its first list was used up, and only this function puts blocks on that list again.
static NOINLINE void brawn_free_endless(mi_block_t *block, mi_page_t *page) {
    mi_block_t *const freed = page->local_free;
    *brawn_seal_at(block) = brawn_free_seal(brawn_mix(page->keys, block));
    if (page->flags.full_aligned != 0) {
        brawn_free_full(page, _mi_page_segment(page), block);
        return;
    }
    const bool others = page->capacity < page->reserved || (freed != NULL && brawn_block_nextx(page, freed, page->keys) != NULL);
    if (page->free != NULL || !brawn_quarantine_is_full(page) || others) {
        brawn_block_set_next(page, block, freed);
        page->local_free = block;
    } else {
        // All others of the page are in use, but for one.
        brawn_block_set_next(page, block, NULL);
        page->free = freed != NULL ? freed : block;
        page->local_free = NULL;
        if (freed != NULL) brawn_block_set_next(page, freed, block);
        brawn_quarantine_begin(page, block);
    }
    if (mi_unlikely(--page->used == 0)) brawn_emptied_slow(page);
}

// The page of a block, given by a place in front of it: the distance is that of `slices` from the segment's start.  So
// free needs no register for the page itself: its fields are at the place plus a constant.  (_mi_segment_page_of takes an
// instruction more for it, at the head of all that free waits for: 4 % of a pair's time.)
static inline uintptr_t brawn_page_place(const mi_segment_t *segment, const void *p) {
    enum { SHIFT = 7 };
    _Static_assert(sizeof(mi_slice_t) == 1 << SHIFT, "a slice's number times that is a shift and a mask");
    const uint32_t index = (uint32_t)(uintptr_t)p >> MI_SEGMENT_SLICE_SHIFT & (uint32_t)(MI_SLICES_PER_SEGMENT - 1);
    return (uintptr_t)segment + ((uintptr_t)segment->first_slice[index] << SHIFT);
}

static inline mi_page_t *brawn_page_at(uintptr_t place) { return (mi_page_t *)(place + offsetof(mi_segment_t, slices)); }

// The page at `place`, to be passed to a slow path: the compiler then computes it only there, not in advance.
static inline mi_page_t *brawn_page_to_pass(uintptr_t place) {
    __asm__("" : "+r"(place));
    return brawn_page_at(place);
}

static inline __attribute__((always_inline)) void brawn_free_expecting(void *p, bool sized, size_t expected) {
    if (mi_unlikely(p == NULL)) return;
    mi_segment_t *const segment = brawn_segment(p);
    // A wrong pointer may find anything here.  But no page, real or not, has a seal that fits it, unless somebody made that
    // with the process's secret.
    if (mi_unlikely(mi_atomic_load_relaxed(&segment->thread_id) != _mi_prim_thread_id())) {
        brawn_free_remote(p, sized, expected);
        return;
    }
    uintptr_t place = brawn_page_place(segment, p);
    __asm__("" : "+r"(place));  // else the compiler makes the page's address of it at once
    mi_page_t *const page = brawn_page_at(place);
    const uint64_t mix = brawn_mix(page->keys, p), seal = *brawn_seal_at(p);
    if (!sized) {
        size_t size;
        if (mi_unlikely(!brawn_seal_says(page, p, mix, seal, &size))) {
            brawn_trap_seal(p, brawn_page_to_pass(place));
            return;
        }
    } else if (mi_unlikely(seal - mix != (expected << 8 | expected >> 56) || ((const uint8_t *)p)[expected] != (uint8_t)mix)) {
        // (Rotated, so that no bit of what a program says is lost.)
        brawn_trap_size(p, brawn_page_to_pass(place));
        return;
    }
    mi_block_t *const end = brawn_end(page), *const block = p;
    if (mi_unlikely(end == NULL)) {
        brawn_free_endless(block, brawn_page_to_pass(place));
        return;
    }
    const uint64_t freed = brawn_free_seal(mix);
    end->next ^= (uintptr_t)block;  // which was a link to nothing
    block->next = freed;  // a link to nothing
    brawn_set_end(page, block);
    *brawn_seal_at(p) = freed;
    if (brawn_page_gives(page)) brawn_emptied_slow(brawn_page_to_pass(place));
}

static inline __attribute__((always_inline)) void brawn_free(void *p) { brawn_free_expecting(p, false, 0); }

static inline void brawn_free_sized(void *p, size_t size) { brawn_free_expecting(p, true, size); }

// The alignment that the program asked for is not noted.  So this only checks that the block is aligned to `alignment`.
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

// Gives a live block another size, for which it has room.
static inline void *brawn_reseal(void *p, size_t size) {
    mi_segment_t *const segment = brawn_segment(p);
    if (segment->kind == MI_SEGMENT_HUGE) return brawn_large_give_out(segment, size);
    return brawn_seal(_mi_segment_page_of(segment, p), p, size);
}

static void *brawn_realloc(void *p, size_t size) {
    if (p == NULL) return brawn_malloc(size);
    mi_segment_t *const segment = brawn_checked_segment(p);
    mi_page_t *page;
    const size_t old = brawn_live_size(segment, p, &page);
    if (mi_unlikely(size > PTRDIFF_MAX)) return brawn_fail(ENOMEM);
    const size_t usable = page != NULL ? page->block_size - BRAWN_SEAL : brawn_large_page(segment)->block_size;
    // In place while it fits and no more than half would be idle; or while it grows, since it has that room for this.
    const bool grows = size > old;
    if (size <= usable && (size >= usable / 2 || grows)) {
        if (page == NULL && grows && size > BRAWN_SPAN_MAX) brawn_note_grown(p, p, size);
        else if (grows) (void)brawn_grows_on(p, size);
        return brawn_reseal(p, size);
    }
    if (page == NULL && size > BRAWN_SPAN_MAX) {
        void *const resized = brawn_large_resize(segment, size);
        if (resized != NULL) {
            if (grows) brawn_note_grown(p, resized, size);
            return resized;
        }
    }
    void *moved = grows ? brawn_grown_early(_mi_align_up(old, MI_SEGMENT_SLICE_SIZE), size) : NULL;
    if (moved == NULL) {
        moved = size > BRAWN_SPAN_MAX ? brawn_large_alloc(size, MI_MAX_ALIGN_SIZE, false, grows)
                                      : brawn_malloc(grows ? brawn_grown(brawn_heap, p, size) : size);
    }
    if (mi_unlikely(moved == NULL)) {
        brawn_fail(ENOMEM);
        // It stays where it is.
        if (size <= old) return brawn_reseal(p, size);
        return page == NULL ? brawn_large_slide(segment, size) : NULL;
    }
    if (grows) brawn_reseal(moved, size);
    brawn_memcpy(moved, p, size < old ? size : old);
    brawn_free(p);
    if (grows) brawn_note_grown(p, moved, size);
    return moved;
}
