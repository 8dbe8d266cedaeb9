// What the engine asks of the platform: memory from the kernel, segments that are kept for reuse,
// and the list of segments whose threads have ended.  Replaces the engine's os.c, arena*.c, prim.c.

enum {
    PROT_NONE_ = 0,
    PROT_RW_ = 3,
    MAP_PRIVATE_ANON_ = 0x22,
    MADV_DONTNEED_ = 4,
    MADV_HUGEPAGE_ = 14,
    MADV_NOHUGEPAGE_ = 15,
    MADV_WIPEONFORK_ = 18,
};  // <asm-generic/mman-common.h>

static void brawn_note_freed(void);  // threads.c
static void brawn_note_freed_for_all(void);
static void brawn_before_segment(void);  // pages.c
static size_t brawn_mask_count(const mi_commit_mask_t *mask);  // purge.c
static void brawn_dirty_add(intptr_t slices);  // threads.c
static size_t brawn_segment_purge(mi_segment_t *segment);
static size_t brawn_dirty_bound(void);
static size_t brawn_purge(mi_segments_tld_t *segments, size_t goal, size_t most);

static _Atomic(uintptr_t) brawn_resting;  // the thread that gives back what is nobody's: wait.c
static void brawn_sums_finish(mi_heap_t *heap);
static void brawn_slices_taken(mi_segment_t *segment, size_t index, size_t count);

static size_t brawn_page_size = 4096;  // from the auxiliary vector, by brawn_configure

static inline bool brawn_failed(long result) { return (unsigned long)result > -4096ul; }

static void *brawn_map(void *hint, size_t size, int protection) {
    const long result = arch_syscall6(ARCH_SYS_mmap, (long)hint, (long)size, protection, MAP_PRIVATE_ANON_, -1, 0);
    return brawn_failed(result) ? NULL : (void *)result;
}

static void brawn_unmap(void *address, size_t size) {
    if (size > 0) arch_syscall6(ARCH_SYS_munmap, (long)address, (long)size, 0, 0, 0, 0);
}

static bool brawn_protect(void *address, size_t size, int protection) {
    return !brawn_failed(arch_syscall6(ARCH_SYS_mprotect, (long)address, (long)size, protection, 0, 0, 0));
}

// false: the kernel refused, as where the pages are locked.
static bool brawn_discard(void *address, size_t size) {
    return size == 0 || !brawn_failed(arch_syscall6(ARCH_SYS_madvise, (long)address, (long)size, MADV_DONTNEED_, 0, 0, 0));
}

// A large block's mapping: whether it asks for huge pages, or for none, or leaves it to the kernel.
static inline void brawn_choose_pages(void *address, size_t size) {
    const bool huge = brawn_options.huge_pages;
    const size_t least = huge ? BRAWN_HUGE_PAGES : BRAWN_SMALL_PAGES;
    if (mi_likely(least == 0 || size < least)) return;
    arch_syscall6(ARCH_SYS_madvise, (long)address, (long)size, huge ? MADV_HUGEPAGE_ : MADV_NOHUGEPAGE_, 0, 0, 0);
}

// Where a kernel makes huge pages unasked, it takes two segments side by side for one place that is in use, and fills it up, also later and
// after a purge: 200 threads with 32 small blocks each took 194 MiB for 4.  So the first segments of a heap are kept from that.  A heap of many
// is left to the kernel: most of it is in use.  (A kernel without huge pages refuses; that changes nothing.)
static void brawn_keep_pages_small(void *segment) {
    if (brawn_options.huge_pages || brawn_heap == NULL || brawn_heap->tld->segments.count >= BRAWN_SMALL_SEGMENTS) return;
    arch_syscall6(ARCH_SYS_madvise, (long)segment, (long)MI_SEGMENT_SIZE, MADV_NOHUGEPAGE_, 0, 0, 0);
}

// Where the kernel is likely to have room at the right alignment: just below the lowest place that was asked for.  A thread moves it before it
// asks, so that no other one asks for the same place.  0: nothing is left below, or nothing was asked for yet.
static _Atomic(uintptr_t) brawn_hint;

// The first time: below the vDSO, where a program without a dynamic linker has nothing.  Many kernels
// place the vDSO just above the first stack, which grows into the room below: there, no hint.
static uintptr_t brawn_first_hint(void) {
    const uintptr_t vdso = brawn_auxiliary(AUXV_SYSINFO_EHDR);
    if (vdso >= brawn_auxiliary(AUXV_RANDOM)) return 0;
    return vdso > MI_SEGMENT_SIZE ? _mi_align_down(vdso - MI_SEGMENT_SIZE, MI_SEGMENT_SIZE) : 0;
}

// Maps `size` bytes such that address + offset is a multiple of `alignment`.
static SELDOM void *brawn_map_aligned(size_t size, size_t alignment, size_t offset, int protection) {
    uintptr_t below = mi_atomic_load_relaxed(&brawn_hint), wanted;
    do {
        const uintptr_t from = below != 0 ? below : brawn_first_hint();
        wanted = 0;
        if (from > size + alignment) {
            wanted = _mi_align_down(from - size + offset, alignment) - offset;
            if (wanted > from - size) wanted -= alignment;
        }
    } while (!mi_atomic_cas_weak_acq_rel(&brawn_hint, &below, wanted));
    char *p = brawn_map((void *)wanted, size, protection);
    if (p == NULL || ((uintptr_t)p + offset) % alignment != 0) {
        // Not aligned, or nothing (qemu-user refuses some hints): map enough to cut an aligned piece out of it.
        if (p != NULL) brawn_unmap(p, size);
        if (size > SIZE_MAX - alignment) return NULL;
        p = brawn_map(NULL, size + alignment - brawn_page_size, protection);
        if (p == NULL) return NULL;
        char *const aligned = (char *)(_mi_align_up((uintptr_t)p + offset, alignment) - offset);
        const size_t before = (size_t)(aligned - p);
        brawn_unmap(p, before);
        brawn_unmap(aligned + size, alignment - brawn_page_size - before);
        p = aligned;
        if (wanted == 0 || (uintptr_t)p < wanted) mi_atomic_store_relaxed(&brawn_hint, (uintptr_t)p);  // below a program's libraries; or from the top again
    }
    return p;
}

// ---------------------------------------------------------------------------------------------
// Kept segments.  A slot holds a free segment, all of it readable and writable but for its guard pages, its bytes unknown.
// Taking and giving is one exchange, so that a fork at any instant leaves nothing locked.

enum { BRAWN_KEPT_SLOTS = 256 };
static _Atomic(void *) brawn_kept[BRAWN_KEPT_SLOTS] LATE;
static _Atomic(uintptr_t) brawn_kept_count;  // a hint: at least as many are in the slots, but for who is just taking or giving one
_Static_assert(BRAWN_KEPT_SEGMENTS <= BRAWN_KEPT_SLOTS, "there is room for the segments that are always kept");

static inline bool brawn_keeps_segments(void) { return mi_atomic_load_relaxed(&brawn_kept_count) != 0; }

static void *brawn_kept_take(void) {
    if (!brawn_keeps_segments()) return NULL;
    for (size_t i = 0; i < BRAWN_KEPT_SLOTS; i++) {
        if (mi_atomic_load_relaxed(&brawn_kept[i]) == NULL) continue;
        void *const segment = mi_atomic_exchange_acq_rel(&brawn_kept[i], NULL);
        if (segment == NULL) continue;
        mi_atomic_decrement_relaxed(&brawn_kept_count);
        return segment;
    }
    return NULL;
}

// false: as many are kept as may be.
static bool brawn_kept_give(void *segment) {
    brawn_allowance_age((uintptr_t)arch_clock());
    if (mi_atomic_load_relaxed(&brawn_kept_count) >= BRAWN_KEPT_SEGMENTS + brawn_allowance() / MI_SEGMENT_SIZE) return false;
    for (size_t i = 0; i < BRAWN_KEPT_SLOTS; i++) {
        void *empty = NULL;
        if (mi_atomic_load_relaxed(&brawn_kept[i]) != NULL) continue;
        mi_atomic_increment_relaxed(&brawn_kept_count);
        if (mi_atomic_cas_strong_acq_rel(&brawn_kept[i], &empty, segment)) return true;
        mi_atomic_decrement_relaxed(&brawn_kept_count);
    }
    return false;
}

// Gives kept segments back to the kernel until at most `count` are left; returns how many bytes those were.
static size_t brawn_kept_trim(size_t count) {
    void *segment;
    size_t bytes = 0;
    for (; mi_atomic_load_relaxed(&brawn_kept_count) > count && (segment = brawn_kept_take()) != NULL; bytes += MI_SEGMENT_SIZE)
        brawn_unmap(segment, MI_SEGMENT_SIZE);
    return bytes;
}

// All of them: memory is short, and the next mapping may need it.
static void brawn_kept_release(void) { brawn_kept_trim(0); }

// A segment without blocks notes what the kernel does not have back, and the thread that takes it reads this.  (purge_mask may have slices behind
// the segment's `extent`, too, together with free ones beside them.)
static inline void brawn_segment_goes(mi_segment_t *segment) {
    segment->written = segment->purge_mask;
    brawn_dirty_add(-(intptr_t)brawn_mask_count(&segment->purge_mask));
}

static inline void brawn_segment_comes(mi_segment_t *segment) {
    if (segment->memid.initially_zero) return;
    segment->purge_mask = segment->written;
    brawn_dirty_add((intptr_t)brawn_mask_count(&segment->purge_mask));
}

static _Atomic(uintptr_t) brawn_segments;  // how many were mapped so far
static _Atomic(uintptr_t) brawn_segments_held;  // how many are in use now
static _Atomic(uintptr_t) brawn_segments_most;  // how many ever were at once

// A further segment comes into use.
static void brawn_segments_count(void) {
    const size_t held = mi_atomic_increment_relaxed(&brawn_segments_held) + 1;
    if (held > mi_atomic_load_relaxed(&brawn_segments_most)) mi_atomic_store_relaxed(&brawn_segments_most, held);
}

// The first segment is reserved only, and made accessible piece by piece: a program that allocates little has little private
// writable memory.  Its address until its header is accessible, then NULL.
static _Atomic(void *) brawn_reserved;

SELDOM void *_mi_arena_alloc_aligned(size_t size, size_t alignment, size_t offset, bool commit, bool allow_large,
    mi_arena_id_t arena, mi_memid_t *memid) {
    MI_UNUSED(allow_large);
    MI_UNUSED(arena);
    const bool plain = size == MI_SEGMENT_SIZE && alignment == MI_SEGMENT_ALIGN && offset == 0;
    void *p = NULL;
    bool zero = true;
    if (plain) {
        p = brawn_kept_take();
        if (p == NULL) {
            brawn_before_segment();
            p = brawn_kept_take();
        }
        zero = p == NULL;
        if (zero) brawn_allowance_learn(MI_SEGMENT_SIZE);
        commit = p != NULL || mi_atomic_increment_relaxed(&brawn_segments) != 0;
    }
    if (p == NULL) {
        p = brawn_map_aligned(size, alignment, offset, commit ? PROT_RW_ : PROT_NONE_);
        if (p != NULL && plain && commit) brawn_keep_pages_small(p);
    }
    if (!commit) mi_atomic_store_relaxed(&brawn_reserved, p);
    if (p != NULL) brawn_segments_count();
    *memid = _mi_memid_create_os(p, size, commit, zero, false);
    return p;
}

void _mi_arena_free(void *p, size_t size, size_t still_committed_size, mi_memid_t memid) {
    if (p == NULL) return;
    mi_atomic_decrement_relaxed(&brawn_segments_held);
    if (size == MI_SEGMENT_SIZE && still_committed_size == size) {
        // Its pages stay with the process for a while; most programs that freed a segment need one soon.  A segment with parts that are out
        // of reach is unmapped: the next block would need them open.
        brawn_note_freed_for_all();
        if (brawn_kept_give(p)) return;
        brawn_allowance_release(size);
    }
    MI_UNUSED(memid);
    brawn_unmap(p, size);
}

bool _mi_arena_memid_is_suitable(mi_memid_t memid, mi_arena_id_t arena) {
    MI_UNUSED(memid);
    MI_UNUSED(arena);
    return true;
}

mi_arena_id_t _mi_arena_id_none(void) { return 0; }

static void brawn_kept_large_drain(void);  // cache.c
static size_t brawn_slack_trim(size_t bound);
static void brawn_spans_release(void);  // spans.c
static void brawn_passed_release(void);
static void brawn_pool_release(void);  // pool.c

// The engine forces it when a mapping failed: what is kept may make room.
void _mi_arenas_collect(bool force) {
    if (!force) return;
    brawn_spans_release();
    brawn_passed_release();
    brawn_pool_release();
    brawn_kept_release();
    brawn_kept_large_drain();
    brawn_slack_trim(0);
}

size_t _mi_os_page_size(void) { return brawn_page_size; }

// Sizes of blocks that have a span of their own: whole slices, since a span is no smaller.
size_t _mi_os_good_alloc_size(size_t size) {
    if (BRAWN_CHECKED) return size;  // it begins behind a seal: brawn_front
    return size > PTRDIFF_MAX - MI_SEGMENT_SLICE_SIZE ? size : _mi_align_up(size, MI_SEGMENT_SLICE_SIZE);
}

#if MI_SECURE > 0
// Guard pages of segments: first one behind the header, then one at the end.  Where the kernel's pages are larger than
// a slice the engine, which leaves out the last slice only, would use a part of the latter.  A kept segment has them already.
bool _mi_os_protect(void *p, size_t size) {
    mi_segment_t *const segment = _mi_ptr_segment(p);
    const bool last = ((uintptr_t)p & MI_SEGMENT_MASK) + size == MI_SEGMENT_SIZE;
    if (segment->guards == 2) return true;
    if (!last) segment->guards = 0;
    if (last && size > MI_SEGMENT_SLICE_SIZE) return false;
    if (mi_atomic_load_relaxed(&brawn_segments_held) > BRAWN_GUARDED || !brawn_protect(p, size, PROT_NONE_)) return false;
    segment->guards++;
    return true;
}

// A free segment keeps its guard pages while it waits for reuse.
bool _mi_os_unprotect(void *p, size_t size) {
    MI_UNUSED(p);
    MI_UNUSED(size);
    return true;
}
#endif

bool _mi_os_commit(void *p, size_t size, bool *is_zero) {
    if (is_zero != NULL) *is_zero = false;
    const bool is_first_call = p == mi_atomic_load_relaxed(&brawn_reserved);
    const bool begins_segment = ((uintptr_t)p & MI_SEGMENT_MASK) == 0;
    if (is_first_call) mi_atomic_store_relaxed(&brawn_reserved, NULL);
#if MI_SECURE > 0
    // The engine rounds what it needs up to BRAWN_COMMIT, over the guard page at the segment's end; and asks again for the header,
    // which ends with the other one.
    const bool last = (((uintptr_t)p + size) & MI_SEGMENT_MASK) == 0;
    if (last && brawn_page_size <= MI_SEGMENT_SLICE_SIZE) size -= brawn_page_size;
    if (begins_segment && !is_first_call) {
        size_t header;
        mi_segment_calculate_slices(0, &header);
        header *= MI_SEGMENT_SLICE_SIZE;
        if (size <= header) return true;
        p = (char *)p + header;
        size -= header;
    }
#else
    // The engine asks for the header, and a moment later for the header and the first page: one system call for both.
    if (begins_segment && size < BRAWN_COMMIT) size = BRAWN_COMMIT;
    if (begins_segment && !is_first_call && size == BRAWN_COMMIT) return true;
#endif
    return brawn_protect(p, size, PROT_RW_);
}

// The kernel's pages may be larger than slices: only whole ones inside the range are free.
bool _mi_os_reset(void *p, size_t size) {
    char *const start = (char *)_mi_align_up((uintptr_t)p, brawn_page_size);
    char *const end = (char *)_mi_align_down((uintptr_t)p + size, brawn_page_size);
    if (end > start) brawn_discard(start, (size_t)(end - start));
    return true;
}

// Returns whether the range must be committed again before use: never, since it stays accessible.
bool _mi_os_purge(void *p, size_t size) {
    _mi_os_reset(p, size);
    return false;
}

// The engine asks for it where it purges by time, which is off.
mi_msecs_t _mi_clock_now(void) { return 0; }

// ---------------------------------------------------------------------------------------------
// Abandoned segments: their thread has ended, some of their blocks live on.  A thread that needs a
// segment adopts one first.  A doubly linked list in the segments' own fields, under one lock, which
// fork holds (threads.c), so that a child never inherits it locked.

static mi_lock_t brawn_abandoned_lock = MI_LOCK_INITIALIZER;
static mi_segment_t *brawn_abandoned_first;
static mi_segment_t *brawn_abandoned_last;

static _Atomic(uintptr_t) brawn_pool_weight;  // pool.c

// Whether the calling thread gives back what is nobody's, before a wait; how many slices may stay dirty then; how many bytes went back (wait.c).
static bool brawn_is_resting(void) { return mi_atomic_load_relaxed(&brawn_resting) == _mi_prim_thread_id(); }
static size_t brawn_resting_bound, brawn_resting_purged;

// Whether the free slices of the next segment should go back at once, since perhaps no thread comes that needs them.
static NOINLINE bool brawn_leaves_too_much(void) {
    return brawn_sum(&brawn_dirty) > (brawn_is_resting() ? brawn_resting_bound : brawn_dirty_bound());
}

// Under the lock.
static void brawn_abandoned_append(mi_segment_t *segment) {
    segment->abandoned_os_next = NULL;
    segment->abandoned_os_prev = brawn_abandoned_last;
    if (brawn_abandoned_last != NULL) brawn_abandoned_last->abandoned_os_next = segment;
    else brawn_abandoned_first = segment;
    brawn_abandoned_last = segment;
    mi_atomic_increment_relaxed(&segment->subproc->abandoned_count);
}

// Until the segment is in the list it is the calling thread's.
SELDOM void _mi_arena_segment_mark_abandoned(mi_segment_t *segment) {
    mi_atomic_store_release(&segment->thread_id, (uintptr_t)0);
    if (brawn_leaves_too_much()) {
        const size_t purged = brawn_segment_purge(segment) * MI_SEGMENT_SLICE_SIZE;
        if (brawn_is_resting()) brawn_resting_purged += purged;
        else brawn_allowance_release(purged);
    }
    mi_lock(&brawn_abandoned_lock) { brawn_abandoned_append(segment); }
}

// Only `free` of an engine with `abandoned_reclaim_on_free` asks for one certain segment.
bool _mi_arena_segment_clear_abandoned(mi_segment_t *segment) {
    MI_UNUSED(segment);
    return false;
}

void _mi_arena_field_cursor_init(mi_heap_t *heap, mi_subproc_t *subproc, bool visit_all, mi_arena_field_cursor_t *cursor) {
    MI_UNUSED(heap);
    // Segments that are not adopted go back to the end of the list: visit each at most once, and few at
    // a time, since a thread that begins or ends must not take time in proportion to what others left.
    const size_t count = mi_atomic_load_relaxed(&subproc->abandoned_count);
    cursor->subproc = subproc;
    cursor->os_list_count = visit_all || count < BRAWN_ABANDONED_VISITS ? count : BRAWN_ABANDONED_VISITS;
}

void _mi_arena_field_cursor_done(mi_arena_field_cursor_t *cursor) { MI_UNUSED(cursor); }

mi_segment_t *_mi_arena_segment_clear_abandoned_next(mi_arena_field_cursor_t *cursor) {
    if (cursor->os_list_count == 0) return NULL;
    cursor->os_list_count--;
    mi_segment_t *segment = NULL;
    mi_lock(&brawn_abandoned_lock) {
        segment = brawn_abandoned_first;
        if (segment != NULL) {
            brawn_abandoned_first = segment->abandoned_os_next;
            if (brawn_abandoned_first != NULL) brawn_abandoned_first->abandoned_os_prev = NULL;
            else brawn_abandoned_last = NULL;
            segment->abandoned_os_next = NULL;
            mi_atomic_decrement_relaxed(&cursor->subproc->abandoned_count);
        }
    }
    return segment;
}
