// Blocks of more than BRAWN_SPAN_MAX, or aligned to more than a slice: one mapping each, which realloc
// grows with mremap and any thread may free.  The mapping begins with a segment header, so that the engine's
// way from a pointer to its page holds for these blocks too.
//
//   segment                              block                              end of the mapping
//   | header | (alignment) ...           | requested bytes ... page-rounded | guard page |
//
// Only checked profiles have the guard page, which is not part of what this file calls the mapping.  They also have a mark behind the
// program's bytes, if there is room, and one in front of them.  While such a
// mapping waits for reuse, the block is out of reach (brawn_may_close says how often).
//
// The block begins at most BRAWN_LARGE_START_MOST behind the header's start, or `alignment` behind it, or a whole segment
// behind it: a pointer at a segment's boundary belongs to the segment before (internal.h,
// _mi_ptr_segment).  A block in the header's slice is plain: its mapping is kept when it is freed.

enum { MREMAP_MAYMOVE_FIXED_ = 3 };  // <linux/mman.h>, MREMAP_MAYMOVE | MREMAP_FIXED

// musl refuses larger alignments (mallocng/aligned_alloc.c, 2^31 units of 16 bytes).
#define BRAWN_ALIGNMENT_LIMIT ((size_t)1 << 35)

static _Atomic(uintptr_t) brawn_large_bytes;  // of all mappings of this kind, kept ones included
static _Atomic(uintptr_t) brawn_large_count;  // and how many they are

static mi_segment_t *brawn_kept_large_take(size_t mapping, bool grows);  // cache.c
static void brawn_kept_large_give(mi_segment_t *segment);
typedef struct brawn_kept_large_s brawn_kept_large_t;
static inline INLINED brawn_kept_large_t *brawn_own_large_for(const mi_segment_t *segment);
static inline INLINED void brawn_own_large_give(brawn_kept_large_t *slot, mi_segment_t *segment);
static brawn_kept_large_t *brawn_own_large_other(brawn_kept_large_t *own, size_t size, bool unshared);
static void brawn_large_before_growth(size_t more);
static inline INLINED void brawn_large_most_with(const mi_segment_t *segment);

// Bytes from the header's start to the block, where no alignment is asked for.  Both begin in one page of the kernel's, so that a block of which one
// page is used takes one.  Neighbours begin in different lines of their pages, since lines at one place in all pages would share a 64th of the
// processor's first cache.  In a checked profile the block has pages of its own, which can be put out of reach.
enum {
    BRAWN_LARGE_START = BRAWN_CHECKED ? MI_SEGMENT_SLICE_SIZE : 1024,
    BRAWN_LARGE_STARTS = BRAWN_CHECKED ? 1 : 32,
    BRAWN_LARGE_LINE = 64,
    BRAWN_LARGE_START_MOST = BRAWN_LARGE_START + (BRAWN_LARGE_STARTS - 1) * BRAWN_LARGE_LINE,
};
static inline size_t brawn_large_start(const mi_segment_t *segment) {
    return BRAWN_LARGE_START + ((uintptr_t)segment >> MI_SEGMENT_SHIFT) % BRAWN_LARGE_STARTS * BRAWN_LARGE_LINE;
}
_Static_assert(BRAWN_LARGE_START_MOST <= MI_SEGMENT_SLICE_SIZE, "each is in the header's slice");
_Static_assert(offsetof(mi_segment_t, slices) + sizeof(mi_slice_t) <= BRAWN_LARGE_START, "what a plain block uses of its header lies before the block");

static inline mi_page_t *brawn_large_page(const mi_segment_t *segment) { return (mi_page_t *)&segment->slices[0]; }

// Bytes from the header's start to the block.
static inline size_t brawn_large_offset(const mi_segment_t *segment) { return (size_t)(brawn_large_page(segment)->page_start - (const uint8_t *)segment); }

// Whether its block has no more than ordinary alignment.
static inline bool brawn_large_is_plain(const mi_segment_t *segment) { return brawn_large_offset(segment) <= MI_SEGMENT_SLICE_SIZE; }

// The calling thread takes a large block.
static inline void brawn_large_note_taken(void) {
    brawn_tld_t *const own = brawn_own_or_none();
    if (own != NULL) own->large_live++;
}

// It frees one, which may be another thread's.
static inline void brawn_large_note_freed(void) {
    brawn_tld_t *const own = brawn_own_or_none();
    if (own != NULL && own->large_live > 0) own->large_live--;
}

// Whether it has no other one.
static inline bool brawn_large_is_first(void) {
    const brawn_tld_t *const own = brawn_own_or_none();
    return own != NULL && own->large_live == 0;
}

#if BRAWN_CHECKED
#define BRAWN_LARGE_FREED SIZE_MAX  // in the place of what the program asked for
static inline size_t brawn_large_guard(mi_segment_t *segment) { return segment->large_guard; }

// The byte behind the program's, where there is one before the guard; the same for a block while it lives.
static inline uint8_t brawn_large_mark(const mi_segment_t *segment) { return (uint8_t)(segment->cookie | 1); }

// Writes it behind the `size` bytes that the program asked for.
static inline void brawn_large_end(mi_segment_t *segment, size_t size) {
    mi_page_t *const page = brawn_large_page(segment);
    if (size < page->block_size) page->page_start[size] = brawn_large_mark(segment);
}

// The bytes in front of a block, which nothing else is in: the last ones of the header, or, with more than ordinary alignment, of
// what lies between (so a page there is in use).
enum {
    BRAWN_LARGE_FRONT = 4,
    BRAWN_CLOSED = 256u << 10,
};
_Static_assert(offsetof(mi_segment_t, slices) + 2 * sizeof(mi_slice_t) + BRAWN_LARGE_FRONT * sizeof(uint64_t) <= BRAWN_LARGE_START,
    "the mark in front of a large block lies behind what its header uses");
static inline uint64_t *brawn_large_front(mi_segment_t *segment) {
    return (uint64_t *)brawn_large_page(segment)->page_start - BRAWN_LARGE_FRONT;
}

// How many bytes the program asked for, if this is a live block.
static size_t brawn_large_size(mi_segment_t *segment, const void *p) {
    const size_t size = mi_atomic_load_acquire(&segment->large_asked);
    if (brawn_large_page(segment)->page_start != (const uint8_t *)p) brawn_trap_not_a_block();
    if (size == BRAWN_LARGE_FREED) brawn_trap_freed_already();
    const mi_page_t *const page = brawn_large_page(segment);
    if (size < page->block_size && page->page_start[size] != brawn_large_mark(segment)) brawn_trap_written_past_end();
    const uint64_t *const front = brawn_large_front(segment);
    uint64_t changed = 0;
    for (size_t i = 0; i < BRAWN_LARGE_FRONT; i++) changed |= front[i] ^ segment->cookie;
    if (changed != 0) brawn_trap_written_in_front();
    return size;
}

// Closes or opens a freed block's memory, in whole pages of the kernel.  While the mapping waits, this memory is out of reach, as with musl's
// own heap, which unmaps it: all of a block of up to BRAWN_CLOSED bytes, the first page of a larger one.  (All of
// every block, with pages that are there, takes 1.5 to 1.9 times the time of the workloads huge and realloc.)
// false: the kernel refused.
static bool brawn_large_reach(mi_segment_t *segment, int protection) {
    uint8_t *const end = (uint8_t *)segment + segment->segment_size;
    uint8_t *const from = (uint8_t *)_mi_align_up((uintptr_t)brawn_large_page(segment)->page_start, brawn_page_size);
    if (from >= end) return true;
    const size_t size = (size_t)(end - from);
    return brawn_protect(from, size <= BRAWN_CLOSED ? size : brawn_page_size, protection);
}

// Closes a freed block, and notes whether it is closed.  A block that realloc copied from is kept open (brawn_large_free), since realloc usually copies to it next.
static void brawn_large_close(mi_segment_t *segment) {
    segment->large_closed = brawn_may_close() && brawn_large_reach(segment, PROT_NONE_);
}

// The mapping whose block of at most BRAWN_CLOSED bytes was freed last.  The next block gets another mapping, so that a program that still
// uses the freed block finds nothing there.  Such a process has one mapping more.
static _Atomic(mi_segment_t *) brawn_large_last;

static void brawn_large_note_last(mi_segment_t *segment) {
    if (segment->large_closed && brawn_large_page(segment)->block_size <= BRAWN_CLOSED) mi_atomic_store_relaxed(&brawn_large_last, segment);
}

static bool brawn_large_open(mi_segment_t *segment) {
    if (!segment->large_closed) return true;
    segment->large_closed = false;
    return brawn_large_reach(segment, PROT_RW_);
}
#else
static inline size_t brawn_large_guard(mi_segment_t *segment) {
    MI_UNUSED(segment);
    return 0;
}
#endif

// Makes `size` bytes of a mapping the program's.
static NOINLINE void *brawn_large_give_out(mi_segment_t *segment, size_t size) {
#if BRAWN_CHECKED
    mi_atomic_store_release(&segment->large_asked, size);
    brawn_large_end(segment, size);
#elif defined(BRAWN_WHERE)
    segment->large_asked = size;  // bench/where tells it from what else the mapping has
#endif
    brawn_large_fit(segment, size);
    return brawn_large_page(segment)->page_start;
}

// How many bytes of guard a further mapping gets.
static inline size_t brawn_large_wants_guard(void) {
    return BRAWN_CHECKED && mi_atomic_load_relaxed(&brawn_large_count) < BRAWN_GUARDED ? brawn_page_size : 0;
}

// The block is at `offset`, and has the rest of the mapping.
static SELDOM NOINLINE void brawn_large_place(mi_segment_t *segment, size_t offset) {
    mi_page_t *const page = brawn_large_page(segment);
    page->page_start = (uint8_t *)segment + offset;
    page->block_size = segment->segment_size - offset;
}

// The header's claims about a block at `offset` in a mapping of `size` bytes.
static void brawn_large_describe(mi_segment_t *segment, size_t size, size_t offset, size_t guard) {
    segment->segment_size = size;
    brawn_large_place(segment, offset);
    segment->kind = MI_SEGMENT_HUGE;
#if BRAWN_CHECKED
    segment->cookie = _mi_ptr_cookie(segment);
    segment->large_guard = guard;
    for (size_t i = 0; i < BRAWN_LARGE_FRONT; i++) brawn_large_front(segment)[i] = segment->cookie;
#else
    MI_UNUSED(guard);
#endif
    mi_atomic_store_release(&segment->thread_id, (uintptr_t)0);
}

static void brawn_large_release(mi_segment_t *segment) {
    const size_t size = segment->segment_size;
    mi_atomic_sub_relaxed(&brawn_large_bytes, size);
    mi_atomic_decrement_relaxed(&brawn_large_count);
    brawn_unmap(segment, size + brawn_large_guard(segment));
}

// A mapping failed: all that is free goes back to the kernel.
static void brawn_make_room(void) {
    if (brawn_heap != NULL) brawn_collect(brawn_heap, true);
    else _mi_arenas_collect(true);
}

// Makes a guard of what was memory.  It is clear, since it is memory again when the block grows.  false: the kernel refused.
static SELDOM bool brawn_large_guard_at(void *guard, size_t size) {
    if (!brawn_protect(guard, size, PROT_NONE_)) return false;
    if (!brawn_discard(guard, size) && brawn_protect(guard, size, PROT_RW_)) {  // its pages are locked
        brawn_memset(guard, 0, size);
        brawn_protect(guard, size, PROT_NONE_);
    }
    return true;
}

// Grows or shrinks the mapping of a plain block, which moves with its pages when it
// cannot grow where it is.  NULL: no memory, and the block is as it was.
static SELDOM mi_segment_t *brawn_large_remap(mi_segment_t *segment, size_t mapping) {
    const size_t old_mapping = segment->segment_size, offset = brawn_large_offset(segment);
    const size_t guard = brawn_large_guard(segment);
    if (mapping == old_mapping) return segment;
    if (mapping > old_mapping) brawn_large_before_growth(mapping - old_mapping);
    char *const old_end = (char *)segment + old_mapping;
    if (guard > 0 && mapping < old_mapping) {
        // The guard goes to the new end, and what is behind it to the kernel.
        char *const end = (char *)segment + mapping;
        if (!brawn_large_guard_at(end, guard)) return NULL;
        brawn_unmap(end + guard, (size_t)(old_end - end));
    } else {
        // A guard is opened first, so that it is one mapping with the rest.
        long result = -ENOMEM;
        if (guard == 0 || brawn_protect(old_end, guard, PROT_RW_))
            result = arch_syscall6(ARCH_SYS_mremap, (long)segment, (long)(old_mapping + guard), (long)(mapping + guard), 0, 0, 0);
        if (guard > 0) brawn_protect(brawn_failed(result) ? old_end : (char *)segment + mapping, guard, PROT_NONE_);
        if (brawn_failed(result)) {
            if (result != -ENOMEM && !(guard > 0 && result == -EFAULT)) return NULL;  // -EFAULT: block and guard are still two mappings
            // The kernel maps the target away itself; reserving it first finds an aligned place.
            char *const target = brawn_map_aligned(mapping + guard, MI_SEGMENT_ALIGN, 0, PROT_NONE_);
            if (target == NULL) return NULL;
            const long moved = arch_syscall6(ARCH_SYS_mremap, (long)segment, (long)old_mapping, (long)mapping,
                MREMAP_MAYMOVE_FIXED_, (long)target, 0);
            // If this fails for want of memory, the kernel has unmapped the target already, and another thread may have mapped something
            // there: so it must not be unmapped here.  If it fails since no further mapping is allowed, the target stays, and its address
            // space is lost.  In both cases the place for the guard is still ours.
            if (brawn_failed(moved)) {
                brawn_unmap(target + mapping, guard);
                return NULL;
            }
            brawn_unmap(old_end, guard);
            segment = (mi_segment_t *)target;
        }
    }
    brawn_choose_pages(segment, mapping);
    mi_atomic_add_relaxed(&brawn_large_bytes, mapping - old_mapping);
    brawn_large_describe(segment, mapping, offset, guard);
    return segment;
}

// A block that grows often grows again, by little: it gets an eighth more than it needs, at most BRAWN_LARGE_STEP, and no more than `most` bytes
// in all.  Nothing is written to there before the block needs it.
static inline size_t brawn_large_step(size_t size, size_t most) {
    const size_t step = size / 8 < BRAWN_LARGE_STEP ? size / 8 : BRAWN_LARGE_STEP;
    return size + step < most ? size + step : most;
}

// Clears the first `size` bytes of a plain block.  The kernel does so for many of them when they are used first, which some never are.
static void brawn_large_zero(mi_segment_t *segment, size_t size) {
    uint8_t *const start = brawn_large_page(segment)->page_start;
    const size_t head = (uintptr_t)-(uintptr_t)start & (brawn_page_size - 1);
    if (size < BRAWN_ZERO_BY_KERNEL) {
        brawn_memset(start, 0, size);
        return;
    }
    brawn_memset(start, 0, head);
    const size_t rest = _mi_align_up(size - head, brawn_page_size);
    if (!brawn_discard(start + head, rest)) brawn_memset(start + head, 0, rest);
}

// `alignment` is a power of two of at least 16.  NULL: no memory.
static NOINLINE void *brawn_large_alloc(size_t size, size_t alignment, bool zero, bool grows) {
    if (size > PTRDIFF_MAX - BRAWN_ALIGNMENT_LIMIT || alignment >= BRAWN_ALIGNMENT_LIMIT) return NULL;
    brawn_configure();  // aligned_alloc comes here without a heap of the thread
    const bool aligned = alignment > BRAWN_LARGE_LINE;
    const size_t least = alignment > BRAWN_LARGE_START ? alignment : BRAWN_LARGE_START;
    const size_t offset = !aligned ? BRAWN_LARGE_START_MOST : least < MI_SEGMENT_SIZE ? least
                                                                                      : MI_SEGMENT_SIZE;
    const size_t exact = _mi_align_up(offset + size, brawn_page_size);
    size_t mapping = exact;
    const bool wide = alignment > MI_SEGMENT_SIZE;
    if (offset <= MI_SEGMENT_SLICE_SIZE) {
        mi_segment_t *const kept = brawn_kept_large_take(mapping, grows);
        if (kept != NULL) {
            const size_t used = kept->segment_size;
            mi_segment_t *const fitting = used < mapping ? brawn_large_remap(kept, mapping) : kept;
            if (fitting != NULL) {
                if (mi_unlikely(aligned)) brawn_large_place(fitting, offset);
                if (zero) brawn_large_zero(fitting, (used < mapping ? used : mapping) - brawn_large_offset(fitting));
                brawn_slack_close(fitting, mapping);
                brawn_large_note_taken();
                return brawn_large_give_out(fitting, grows ? brawn_large_step(size, fitting->segment_size - brawn_large_offset(fitting)) : size);
            }
            brawn_large_release(kept);
        }
    }
    brawn_large_before_growth(mapping);
    mi_segment_t *segment = NULL;
    const size_t guard = brawn_large_wants_guard();
    // A process may have 65,530 mappings (vm.max_map_count).  Those that fill their alignment have no gaps
    // between them, and the kernel takes neighbours together.
    const bool many = !wide && mi_atomic_load_relaxed(&brawn_large_count) >= BRAWN_LARGE_APART;
    for (int attempt = 0; segment == NULL && attempt < 2; attempt++) {
        if (attempt > 0) brawn_make_room();
        mapping = many && attempt == 0 ? _mi_align_up(exact, MI_SEGMENT_ALIGN) : exact;
        segment = brawn_map_aligned(mapping + guard, wide ? alignment : MI_SEGMENT_ALIGN, wide ? MI_SEGMENT_SIZE : 0, PROT_RW_);
    }
    if (segment == NULL) return NULL;
    if (guard > 0) brawn_protect((char *)segment + mapping, guard, PROT_NONE_);
    brawn_choose_pages(segment, mapping);
    mi_atomic_add_relaxed(&brawn_large_bytes, mapping);
    mi_atomic_increment_relaxed(&brawn_large_count);
    brawn_large_describe(segment, mapping, aligned ? offset : brawn_large_start(segment), guard);
    brawn_large_note_taken();
    return brawn_large_give_out(segment, size);
}

// The mapping that its block needs for `size` bytes; 0: it is not plain, or there is no such block.
static size_t brawn_large_mapping(mi_segment_t *segment, size_t size) {
    if (!brawn_large_is_plain(segment) || size > PTRDIFF_MAX - BRAWN_ALIGNMENT_LIMIT) return 0;
    return _mi_align_up(brawn_large_offset(segment) + size, brawn_page_size);
}

// What `free` gives; `p` is the block, or what a program takes for one.
static NOINLINE void brawn_large_free(mi_segment_t *segment, void *p, bool closes) {
#if BRAWN_CHECKED
    const size_t size = brawn_large_size(segment, p);
    // One exchange: of two threads that free the same block, one finds it freed.
    if (mi_atomic_exchange_acq_rel(&segment->large_asked, BRAWN_LARGE_FREED) != size) brawn_trap_freed_already();
#else
    MI_UNUSED(p);
#endif
    const bool plain = brawn_large_is_plain(segment);
    brawn_kept_large_t *const own = plain ? brawn_own_large_for(segment) : NULL;
    brawn_large_most_with(segment);  // before its slack counts as in use
    brawn_large_note_freed();
    if (mi_unlikely(brawn_slack_of(segment) != 0)) {
        brawn_slack_forget(segment);
        brawn_slack_tell(BRAWN_SLACK_STEP_FREED);
    }
    if (mi_unlikely(plain && brawn_large_offset(segment) != brawn_large_start(segment))) brawn_large_place(segment, brawn_large_start(segment));
#if BRAWN_CHECKED
    if (closes && plain) {
        brawn_large_close(segment);
        brawn_large_note_last(segment);
    }
#else
    MI_UNUSED(closes);
#endif
    if (own != NULL) brawn_own_large_give(own, segment);
    else if (plain) brawn_kept_large_give(segment);
    else brawn_large_release(segment);
}

// Grows or shrinks a block.  NULL: no memory, or no ordinary alignment; the block is as it was.
static NOINLINE void *brawn_large_resize(mi_segment_t *segment, size_t size) {
    const size_t mapping = brawn_large_mapping(segment, size);
    if (mapping == 0) return NULL;
    const size_t offset = brawn_large_offset(segment);
    const bool grows = mapping - offset >= brawn_large_page(segment)->block_size;
    brawn_slack_forget(segment);
    const size_t used = segment->segment_size;
    if (mapping <= used && (grows || (!BRAWN_CHECKED && !BRAWN_LARGE_TIGHT && mapping >= used / 2)))
        return brawn_large_give_out(segment, grows && !BRAWN_CHECKED ? (2 * size < used - offset ? 2 * size : used - offset) : size);
    if (used < mapping && used <= BRAWN_COPY_MAX) {
        // Copying into pages that are there already takes less time than having the kernel make as many
        // new ones.
        const size_t needed = _mi_align_up(BRAWN_LARGE_START_MOST + size, brawn_page_size);
        mi_segment_t *const kept = brawn_kept_large_take(needed, true);
        if (kept != NULL && kept->segment_size >= needed) {
            void *const old = brawn_large_page(segment)->page_start;
            brawn_memcpy(brawn_large_page(kept)->page_start, old, brawn_large_page(segment)->block_size);
            brawn_large_free(segment, old, false);
            brawn_large_note_taken();
            return brawn_large_give_out(kept, BRAWN_CHECKED ? size : brawn_large_step(size, kept->segment_size - brawn_large_offset(kept)));
        }
        if (kept != NULL) brawn_kept_large_give(kept);  // a smaller one came into the slot meanwhile
    }
    const size_t more = used < mapping ? brawn_large_step(mapping, SIZE_MAX) - mapping : 0;
    mi_segment_t *resized = brawn_large_remap(segment, _mi_align_down(mapping + more, brawn_page_size));
    if (resized == NULL && more > 0) resized = brawn_large_remap(segment, mapping);
    if (resized == NULL) return NULL;
    return brawn_large_give_out(resized, !BRAWN_CHECKED && more > 0 ? resized->segment_size - offset : size);
}

// Grows a block where there is no address space for it twice (RLIMIT_AS): room is mapped just below,
// and the block copied down to its start.  NULL: no room there, and the block is as it was.
static SELDOM NOINLINE void *brawn_large_slide(mi_segment_t *segment, size_t size) {
    brawn_slack_forget(segment);
    const size_t used = segment->segment_size;
    const size_t mapping = brawn_large_mapping(segment, size);
    if (mapping <= used || mapping > (uintptr_t)segment) return NULL;
    size_t guard = brawn_large_guard(segment);
    const size_t more = _mi_align_up(mapping - used, MI_SEGMENT_ALIGN);
    mi_segment_t *const below = (mi_segment_t *)((uint8_t *)segment - more);
    // At a hint that is taken the kernel maps elsewhere.
    void *const mapped = brawn_map(below, more, PROT_RW_);
    if (mapped != below) {
        if (mapped != NULL) brawn_unmap(mapped, more);
        return NULL;
    }
    const size_t offset = brawn_large_offset(segment);
    arch_copy((uint8_t *)below + offset, (uint8_t *)segment + offset, used - offset);  // first byte first, and the target is below: it may overlap
    // What is left over above has the guard at its end; it goes to the new end.
    const size_t left = more + used - mapping;
    const size_t old_guard = guard;
    if (guard > 0 && left > 0 && !brawn_large_guard_at((uint8_t *)below + mapping, guard)) guard = 0;
    brawn_unmap((uint8_t *)below + mapping + guard, left + old_guard - guard);
    brawn_choose_pages(below, mapping);
    mi_atomic_add_relaxed(&brawn_large_bytes, mapping - used);
    brawn_large_describe(below, mapping, offset, guard);
    return brawn_large_give_out(below, size);
}
