// What a thread gives back before it waits.  Memory that is free stays with the process for a while, since most programs need it
// again soon; who gives it back when nobody does?  No thread of ours, and no timer: libc's calls that may wait
// (libc/threads/__syscall_cp.c) come here first.
//
// Whether a wait will be long nobody knows.  So it is done at most every BRAWN_REST_DELAY, only where something was freed
// since, and only as often as keeps its time below one part in BRAWN_REST_SHARE of all time.
//
//   brawn_note_freed   called where pages and spans become free: no fast path comes there
//   brawn_rest         the thread's turn

// Nothing of what a thread does here may happen while it is in the middle of an allocation: a signal handler may wait, too.
// malloc and free note nothing, since that would cost them time.  A handler has a frame on the stack that the kernel has
// made, with the address behind the handler: `handlers_return_to`.  Where that is found, or the stack is not known, there may
// be such a handler.  Another stack than the thread's own (sigaltstack, fibers) is not known.
enum { BRAWN_REST_STACK = 256 << 10 };

static bool brawn_may_be_in_handler(const void *handlers_return_to, const void *end_of_stack) {
    if (handlers_return_to == NULL) return false;  // the program has no sigaction
    const uintptr_t *at = __builtin_frame_address(0);
    if (end_of_stack == NULL) {
        if (!brawn_on_first_stack()) return true;
        end_of_stack = (const void *)_mi_align_down(brawn_auxiliary(AUXV_RANDOM), sizeof *at);
    }
    const uintptr_t *const end = end_of_stack;
    if (at >= end || (uintptr_t)end - (uintptr_t)at > BRAWN_REST_STACK) return true;
    for (; at < end; at++) {
        if (*at == (uintptr_t)handlers_return_to) return true;
    }
    return false;
}

// Before a segment is mapped: where the process has nearly as many as ever, its peak is about to grow.  What is free elsewhere in
// the thread's segments goes back first: it is in pieces that are too small, and most of it stays free.
static void brawn_before_segment(void) {
    static _Atomic(uintptr_t) most;
    mi_heap_t *const heap = brawn_heap;
    const size_t held = mi_atomic_load_relaxed(&brawn_segments_held) + 1;
    const size_t before = mi_atomic_load_relaxed(&most);
    if (held + held / 16 <= before || heap == NULL || brawn_options.purge_delay < 0) return;
    if (held > before) mi_atomic_store_relaxed(&most, held);
    mi_segments_tld_t *const segments = &heap->tld->segments;
    for (size_t bin = MI_SEGMENT_BIN_MAX; bin > 0; bin--) {
        for (mi_slice_t *slice = segments->spans[bin].first; slice != NULL; slice = slice->next) {
            mi_segment_t *const segment = _mi_ptr_segment(slice);
            _mi_segment_collect(segment, true);
        }
    }
}

// All that is free in the calling thread's heap.
static void brawn_rest_own(mi_heap_t *heap) {
    brawn_spans_release();
    _mi_heap_delayed_free_partial(heap);
    _mi_heap_collect_retired(heap, true);
    mi_collect_t collect = MI_FORCE;
    mi_heap_visit_pages(heap, &mi_heap_page_collect, true, &collect, NULL);
    mi_segments_tld_t *const segments = &heap->tld->segments;
    for (size_t bin = 0; bin <= MI_SEGMENT_BIN_MAX; bin++) {
        for (mi_slice_t *slice = segments->spans[bin].first; slice != NULL; slice = slice->next)
            _mi_segment_collect(_mi_ptr_segment(slice), true);
    }
}

// What is the process's: what waits for the next thread or block.
static void brawn_rest_all(mi_heap_t *heap) {
    _mi_abandoned_collect(heap, true, &heap->tld->segments);
    brawn_passed_release();
    brawn_kept_release();
    brawn_kept_large_drain();
}

// Whether it is time again, and if so, until when it will not be once `brawn_rested` has been called.
static bool brawn_may_rest(const brawn_rest_t *rest, int64_t clock, uint64_t counter) {
    return clock - rest->last >= brawn_options.rest_delay && (int64_t)(counter - rest->next) >= 0;
}

static void brawn_rested(brawn_rest_t *rest, uint64_t begin) {
    const uint64_t end = arch_counter();
    rest->last = arch_clock();
    rest->next = end + (end - begin) * BRAWN_REST_SHARE;
}

static NOINLINE void brawn_rest(const void *handlers_return_to, const void *end_of_stack) {
    mi_heap_t *const heap = brawn_heap;
    if (heap == NULL) return;
    brawn_tld_t *const own = (brawn_tld_t *)heap->tld;
    const bool all = mi_atomic_load_relaxed(&brawn_freed_for_all) != 0;
    if (mi_likely(!own->freed && !all) || brawn_options.rest_delay < 0 || brawn_options.purge_delay < 0) return;
    const uint64_t begin = arch_counter();
    if (!brawn_may_rest(&own->rest, arch_clock(), begin)) return;
    if (brawn_may_be_in_handler(handlers_return_to, end_of_stack)) return;
    if (own->freed) brawn_rest_own(heap);
    // One thread at a time does it for all; another one has it done.
    uintptr_t idle = 0;
    if (mi_atomic_load_relaxed(&brawn_freed_for_all) != 0 && mi_atomic_cas_strong_acq_rel(&brawn_resting, &idle, (uintptr_t)1)) {
        const uint64_t now = arch_counter();
        if (brawn_may_rest(&brawn_rest_of_all, arch_clock(), now)) {
            mi_atomic_store_relaxed(&brawn_freed_for_all, (uintptr_t)0);
            brawn_rest_all(heap);
            brawn_rested(&brawn_rest_of_all, now);
        }
        mi_atomic_store_release(&brawn_resting, (uintptr_t)0);
    }
    own->freed = false;
    brawn_rested(&own->rest, begin);
}
