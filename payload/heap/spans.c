// What both kinds of paths (blocks.c, checked.c) share: bins, and blocks that have a span of their own.

#define EXPORT __attribute__((visibility("default")))

int *__errno_location(void) __attribute__((const));

static NOINLINE void *brawn_fail(int error) {
    *__errno_location() = error;
    return NULL;
}

// The bin of a size above MI_SMALL_SIZE_MAX (page-queue.c, mi_bin): four steps between powers of two.
static inline size_t brawn_bin(size_t size) {
    const size_t words = (size - 1) / sizeof(uintptr_t);
    const size_t top = (size_t)(63 - __builtin_clzl(words));
    return ((top << 2) + ((words >> (top - 2)) & 3)) - 3;
}

// The segment of a block; not for NULL.  A pointer at a segment's boundary belongs to the one before.
static inline mi_segment_t *brawn_segment(const void *p) {
    return (mi_segment_t *)(((uintptr_t)p - 1) & ~MI_SEGMENT_MASK);
}

static inline bool brawn_multiply(size_t count, size_t size, size_t *total) {
    return !__builtin_mul_overflow(count, size, total) && *total <= PTRDIFF_MAX;
}

// Fills 16 bytes at a time; `size` is the block's own, a multiple of 16.
static inline void brawn_zero_block(void *p, size_t size) {
    if (size > 512) {
        brawn_memset(p, 0, size);
        return;
    }
    typedef long long pair __attribute__((vector_size(16), may_alias));
    for (pair *at = p, *end = (pair *)((char *)p + size); at < end; at++) *at = (pair){0, 0};
}

#if !BRAWN_CHECKED
#include "recent.c"
#endif

// ---------------------------------------------------------------------------------------------
// Blocks of more than MI_SMALL_SIZE_MAX that were freed by another thread than their own.  In the engine they would wait until their own
// thread allocates: while that does not run, other threads map new memory.  Here any thread that needs such a block takes it.  To the engine,
// such blocks are allocated all the time.
//
// A slot has a block's address.  If the block has a span, it lies at a slice, and its number of slices stands in the address's lower
// bits.  Taking and giving is one exchange, so that a fork at any instant leaves nothing locked.

// Bins above MI_SMALL_SIZE_MAX, and that of the smallest size in them, 1,025 bytes.
enum {
    BRAWN_PASSED_BINS = 4 * 4,
    BRAWN_PASSED_LEAST = 25,
};
_Static_assert(MI_SMALL_SIZE_MAX == 1 << 10 && MI_MEDIUM_OBJ_SIZE_MAX == 1 << 14, "there are four steps from one power of two to the next");
static _Atomic(uintptr_t) brawn_passed[BRAWN_PASSED_SPANS + BRAWN_PASSED_BINS * BRAWN_PASSED_EACH] LATE;
static _Atomic(uintptr_t) brawn_passed_count;  // a hint: at most as many are in the slots

// The slots for blocks of a size: those of all spans, or those of its bin.
typedef struct {
    _Atomic(uintptr_t) *first, *end;
} brawn_passed_t;
static inline brawn_passed_t brawn_passed_of(size_t size) {
    if (size > MI_MEDIUM_OBJ_SIZE_MAX) return (brawn_passed_t){brawn_passed, brawn_passed + BRAWN_PASSED_SPANS};
    _Atomic(uintptr_t) *const first = brawn_passed + BRAWN_PASSED_SPANS + (brawn_bin(size) - BRAWN_PASSED_LEAST) * BRAWN_PASSED_EACH;
    return (brawn_passed_t){first, first + BRAWN_PASSED_EACH};
}

// false: there is no room for it.
static bool brawn_passed_give(void *p, size_t size) {
    if (size <= MI_SMALL_SIZE_MAX) return false;
    const uintptr_t entry = (uintptr_t)p | (size > MI_MEDIUM_OBJ_SIZE_MAX ? size >> MI_SEGMENT_SLICE_SHIFT : 0);
    const brawn_passed_t slots = brawn_passed_of(size);
    for (_Atomic(uintptr_t) *slot = slots.first; slot < slots.end; slot++) {
        uintptr_t empty = 0;
        if (mi_atomic_load_relaxed(slot) != 0) continue;
        mi_atomic_increment_relaxed(&brawn_passed_count);
        if (mi_atomic_cas_strong_acq_rel(slot, &empty, entry)) return true;
        mi_atomic_decrement_relaxed(&brawn_passed_count);
    }
    return false;
}

// One for `size` bytes, more than MI_SMALL_SIZE_MAX, and at most a quarter larger; NULL: none.
static void *brawn_passed_take(size_t size) {
    if (mi_likely(mi_atomic_load_relaxed(&brawn_passed_count) == 0)) return NULL;
    const brawn_passed_t slots = brawn_passed_of(size);
    for (_Atomic(uintptr_t) *slot = slots.first; slot < slots.end; slot++) {
        uintptr_t entry = mi_atomic_load_relaxed(slot);
        const size_t span = size > MI_MEDIUM_OBJ_SIZE_MAX ? entry % MI_SEGMENT_SLICE_SIZE : 0;
        const size_t has = span << MI_SEGMENT_SLICE_SHIFT;
        if (entry == 0 || (size > MI_MEDIUM_OBJ_SIZE_MAX && (has < size || has - size > size / 4))) continue;
        if (!mi_atomic_cas_strong_acq_rel(slot, &entry, (uintptr_t)0)) continue;
        mi_atomic_decrement_relaxed(&brawn_passed_count);
        return (void *)(entry - span);
    }
    return NULL;
}
_Static_assert(BRAWN_SPAN_MAX / MI_SEGMENT_SLICE_SIZE < MI_SEGMENT_SLICE_SIZE, "a span's number of slices fits below its address");

// Frees all of these blocks in the engine: before a thread waits, and when memory is short.
static void brawn_passed_release(void) {
    brawn_parcels_release();
    for (size_t i = 0; i < sizeof brawn_passed / sizeof *brawn_passed; i++) {
        if (mi_atomic_load_relaxed(&brawn_passed[i]) == 0) continue;
        uintptr_t entry = mi_atomic_exchange_acq_rel(&brawn_passed[i], (uintptr_t)0);
        if (entry == 0) continue;
        mi_atomic_decrement_relaxed(&brawn_passed_count);
        if (i < BRAWN_PASSED_SPANS) entry -= entry % MI_SEGMENT_SLICE_SIZE;
        void *const p = (void *)entry;
        mi_segment_t *const segment = brawn_segment(p);
        mi_page_t *const page = _mi_segment_page_of(segment, p);
        if (mi_atomic_load_relaxed(&segment->thread_id) == _mi_prim_thread_id()) mi_free_generic_local(page, segment, p);
        else mi_free_block_mt(page, segment, (mi_block_t *)p, p, false);
    }
}

// How many bytes a span has, used or not.
static inline size_t brawn_span_bytes(const mi_page_t *page) { return (size_t)page->slice_count * MI_SEGMENT_SLICE_SIZE; }

static inline mi_page_t **brawn_kept_spans(const mi_heap_t *heap) { return ((brawn_tld_t *)heap->tld)->kept_spans; }

// A kept block of at least `size` bytes and at most a quarter more; NULL: none.  In a thread with few segments it may be twice as large, and with few
// pages four times: so a thread with one buffer of another size each time has it without the engine.  (In larger heaps that takes memory, since
// many such blocks stay.)
static void *brawn_span_take(mi_heap_t *heap, size_t size) {
    mi_page_t **const kept = brawn_kept_spans(heap);
    const size_t most = heap->page_count <= BRAWN_SPAN_PAGES ? 4 * size
        : heap->tld->segments.count <= BRAWN_SPAN_SEGMENTS   ? 2 * size
                                                             : size + size / 4;
    size_t best = BRAWN_KEPT_SPANS, best_bytes = most;
    for (size_t i = 0; i < BRAWN_KEPT_SPANS; i++) {
        mi_page_t *const page = kept[i];
        if (page == NULL) continue;
#if BRAWN_CHECKED
        if (page->block_size < size || brawn_front(page->block_size) < brawn_front(size)) continue;  // which is what it is aligned to
        const size_t bytes = page->block_size;
#else
        const size_t bytes = brawn_span_bytes(page);
#endif
        if (bytes < size || bytes > best_bytes) continue;
        best = i;
        best_bytes = bytes;
    }
    if (best == BRAWN_KEPT_SPANS) return brawn_passed_take(size);
    mi_page_t *const page = kept[best];
    kept[best] = NULL;
    if (!BRAWN_CHECKED) page->block_size = _mi_align_up(size, MI_SEGMENT_SLICE_SIZE);
    return page->page_start;
}

static void brawn_span_free(mi_page_t *page) {
    mi_free_generic_local(page, _mi_page_segment(page), page->page_start);
}

// A block of this thread in a page that was full: the page's only block, or one of several.
static NOINLINE void brawn_free_full(mi_page_t *page, mi_segment_t *segment, void *p) {
    brawn_note_freed();
    if (page->block_size <= MI_MEDIUM_OBJ_SIZE_MAX) {
#if BRAWN_CHECKED
        mi_free_generic_local(page, segment, p);
#else
        // A thread may have no heap yet, but blocks of an ended one that had its pointer.
        if (page->block_size >= BRAWN_RECENT_LEAST && mi_likely(brawn_heap != NULL)) brawn_recent_give(page, p);
        else mi_free_generic_local(page, segment, p);
#endif
        return;
    }
#if BRAWN_CHECKED
    if (brawn_span_decommit(page)) return;
#endif
    mi_page_t **const kept = brawn_kept_spans(mi_page_heap(page));
    size_t slot = 0;
    while (slot < BRAWN_KEPT_SPANS && kept[slot] != NULL) slot++;
    if (slot == BRAWN_KEPT_SPANS) {
        // The first is the oldest: it goes, the others move up.
        brawn_span_free(kept[0]);
        for (slot = 0; slot < BRAWN_KEPT_SPANS - 1; slot++) kept[slot] = kept[slot + 1];
    }
    kept[slot] = page;
}

// Grows a block with a span of its own into the free slices behind it.  The caller's thread owns its segment.  false: there are too few of
// them, and the block is as it was.
static bool brawn_span_grow_to(mi_page_t *page, size_t size) {
    if (page->block_size <= MI_MEDIUM_OBJ_SIZE_MAX || !page->flags.x.in_full) return false;
    if (size <= brawn_span_bytes(page)) {
        page->block_size = _mi_align_up(size, MI_SEGMENT_SLICE_SIZE);
        return true;
    }
    mi_segment_t *const segment = _mi_page_segment(page);
    mi_segments_tld_t *const segments = &mi_page_heap(page)->tld->segments;
    const size_t had = page->slice_count, count = _mi_align_up(size, MI_SEGMENT_SLICE_SIZE) / MI_SEGMENT_SLICE_SIZE, more = count - had;
    mi_slice_t *const slice = (mi_slice_t *)page, *const behind = slice + had;
    if (behind >= mi_segment_slices_end(segment) || behind->block_size != 0 || behind->slice_count < more) return false;
    uint8_t *const start = (uint8_t *)segment + mi_slice_index(behind) * MI_SEGMENT_SLICE_SIZE;
    brawn_slices_taken(segment, mi_slice_index(behind), more);  // before the engine forgets which of them are dirty
    if (!mi_segment_ensure_committed(segment, start, more * MI_SEGMENT_SLICE_SIZE)) return false;
    mi_segment_span_remove_from_queue(behind, segments);
    if (behind->slice_count > more) mi_segment_slice_split(segment, behind, more, segments);
    brawn_slices_belong(segment, mi_slice_index(behind), more, mi_slice_index(slice));
    page->slice_count = (uint32_t)count;
    page->block_size = count * MI_SEGMENT_SLICE_SIZE;
    return true;
}

// The same; by an eighth more, if there is room, since it often grows again.
static bool brawn_span_grow(mi_page_t *page, size_t size) {
    const size_t more = size + size / 8;
    return (more <= BRAWN_SPAN_MAX && brawn_span_grow_to(page, more)) || brawn_span_grow_to(page, size);
}

// Before a thread's heap ends, and when memory is short.
static void brawn_spans_release(void) {
    if (brawn_heap == NULL) return;
#if !BRAWN_CHECKED
    brawn_recent_release(brawn_heap);
#endif
    brawn_spare_release(brawn_heap);
    mi_page_t **const kept = brawn_kept_spans(brawn_heap);
    for (size_t i = 0; i < BRAWN_KEPT_SPANS; i++) {
        mi_page_t *const page = kept[i];
        kept[i] = NULL;
        if (page != NULL) brawn_span_free(page);
    }
}

// The heap of this thread, which it gets with its first allocation; NULL: no memory for one.
static inline mi_heap_t *brawn_own_heap(void) {
    mi_heap_t *const heap = brawn_heap;
    return mi_likely(heap != NULL) ? heap : brawn_thread_start();
}

// A block of a span or page for `size` bytes, at most BRAWN_SPAN_MAX, by the engine; NULL: no memory.
static void *brawn_engine_alloc(mi_heap_t *heap, size_t size, bool zero) {
    if (size > MI_MEDIUM_OBJ_SIZE_MAX) {
        void *const kept = brawn_span_take(heap, size);
        if (kept != NULL) return zero ? brawn_memset(kept, 0, size) : kept;
    } else if (size > MI_SMALL_SIZE_MAX && !zero) {
        void *const passed = brawn_passed_take(size);
        if (passed != NULL) return passed;
    }
    if (size < MI_MAX_ALIGN_SIZE) size = MI_MAX_ALIGN_SIZE;
    return _mi_malloc_generic(heap, size <= MI_SMALL_SIZE_MAX ? _mi_align_up(size, MI_MAX_ALIGN_SIZE) : size, zero, 0, NULL);
}

// A block on its way back that is not the calling thread's: of another one, or of one that has ended.
static void brawn_engine_free_remote(mi_page_t *page, mi_segment_t *segment, void *p) {
    if (mi_atomic_load_relaxed(&segment->thread_id) == 0) brawn_note_freed_for_all();
    mi_free_block_mt(page, segment, (mi_block_t *)p, p, false);
}

// After the last block of `page` was freed.  An empty page is retired, that is returned some cycles later (a
// cycle is a fresh page of any size), so that a thread that frees its only block of a size over and
// over keeps the page.  (This is only done for the only page of a size: the engine counts cycles on the first page of
// a queue alone, so others would stay.)
static NOINLINE void brawn_page_retire(mi_page_t *page) {
    // Asked before the engine is called: it gives up other pages at once, but for spare ones, also a span, which is in no full queue if its segment
    // was adopted.  After that the page is gone, and perhaps even its segment.
    const bool waits = page->next == NULL && page->prev == NULL && page->block_size <= MI_MEDIUM_OBJ_SIZE_MAX;
    brawn_note_freed();
    _mi_page_retire(page);
    if (waits) page->retire_expire = BRAWN_RETIRE_CYCLES;
}

// One block of `page` less is in use.  true: the page is empty, and brawn_page_emptied is to be called.  An empty page that waits for the next block
// of its size and has its whole time (no other page was made since it was empty last) needs no call.
// Both conditions are one branch.  Whether a page of few blocks becomes empty cannot be predicted, and a branch that was predicted wrongly takes
// longer than the rest of `free`: EXPERIMENTS.md, "What a processor cannot predict".
static inline bool brawn_page_gives(mi_page_t *page) {
    // (As volatile: clang reads four bytes otherwise, of which two were written just now.  The processor waits for those.)
    const unsigned used = *(volatile uint16_t *)&page->used - 1u, whole = (unsigned)page->retire_expire << 1 & BRAWN_RETIRE_CYCLES << 1;
    page->used = (uint16_t)used;
    return mi_unlikely((used | whole) == 0);
}
_Static_assert(BRAWN_RETIRE_CYCLES == 1 << 6, "one bit of the time that a page waits says that it has all of it");

// Whether `page` is the only one of its size and waits already: it gets its whole time again.  This is nearly always so, and
// calls nothing, so that `free` saves no registers for it.
static inline __attribute__((always_inline)) bool brawn_page_waits_on(mi_page_t *page) {
    if (mi_unlikely(((uintptr_t)page->next | (uintptr_t)page->prev) != 0 || page->retire_expire == 0)) return false;
    page->retire_expire = BRAWN_RETIRE_CYCLES;
    return true;
}

static inline __attribute__((always_inline)) void brawn_page_emptied(mi_page_t *page) {
    if (mi_unlikely(!brawn_page_waits_on(page))) brawn_page_retire(page);
}
