// What goes back to the kernel before a thread waits.  libc asks in each call in which a thread can be cancelled, as nearly all calls that
// wait are (libc/threads/__syscall_cp.c).  A thread's turn comes before its first wait, and then if something became free since the last
// one, at most every BRAWN_REST_DELAY, and more seldom where there is much to look at, so that turns take a few percent of all time at most.
//
// Nobody knows how long a wait will be.  So what a turn gave back and the program needs again soon stays the next time (allowance.c).

// When the next turn may be, after one at `clock` that looked at `segments` of nobody's.  A clock would also count what other threads did meanwhile.
static int64_t brawn_turn_after(int64_t clock, size_t segments) {
    return clock + brawn_options.rest_delay + (int64_t)(segments / BRAWN_REST_SEGMENTS);
}

// Whether a turn may be at `clock`, if `turn` is the earliest time for one.  What the last turn left, since the program had needed as much, is looked
// at again a second later.
static bool brawn_turn_is(unsigned freed, int64_t turn, int64_t clock) {
    return freed != 0 && clock - turn >= (freed == BRAWN_FREED ? 0 : 1024);
}

// What is free in the thread's own segments, and what is nobody's.
static bool brawn_turn_of_own(const brawn_tld_t *own, int64_t clock) { return own != NULL && brawn_turn_is(own->freed, own->turn, clock); }
static bool brawn_turn_of_all(int64_t clock) {
    return brawn_turn_is((unsigned)mi_atomic_load_relaxed(&brawn_freed_for_all), (int64_t)mi_atomic_load_relaxed(&brawn_turn_for_all), clock);
}

// Whether the calling thread's turn has come.
HIDDEN bool brawn_wait_is_due(void) {
    const brawn_tld_t *const own = brawn_own_or_none();
    if (mi_likely((own == NULL || own->freed == 0) && mi_atomic_load_relaxed(&brawn_freed_for_all) == 0)) return false;
    const int64_t clock = arch_clock();
    return brawn_options.rest_delay >= 0 && (brawn_turn_of_own(own, clock) || brawn_turn_of_all(clock));
}

// A small heap goes to the next thread that needs memory, as if the thread ended: idle threads share segments and pages.  The thread's old
// blocks are another's then, so it does so at most once a second.  The first thread's heap is no mapping that another could take over.
static bool brawn_wait_leaves(const mi_heap_t *heap, int64_t clock) {
    static __thread uint32_t left __attribute__((tls_model(ARCH_TLS_MODEL)));
    if (BRAWN_REST_LEAVES < 0 || BRAWN_TRACE || heap == &_mi_heap_main || brawn_exit_rounds != 0) return false;
    if ((int64_t)heap->tld->segments.count > BRAWN_REST_LEAVES || (uint32_t)clock - left < 1024) return false;
    left = (uint32_t)clock;
    return true;
}

// How many bytes of what is free in segments stay in the next two, which return what they gave back: `keep`, but no more than was in use lately.
static size_t brawn_wait_keeps(size_t keep) {
    const size_t most = mi_atomic_load_relaxed(&brawn_lately) * MI_SEGMENT_SLICE_SIZE;
    return keep < most ? keep : most;
}

static SELDOM size_t brawn_wait_own(mi_heap_t *heap, int64_t clock, size_t keep) {
    if (brawn_wait_leaves(heap, clock)) {
        brawn_heap_leave(heap);
        brawn_thread_without(heap);
        brawn_note_freed_for_all();
        return 0;
    }
    brawn_heap_collect(heap, true);
    if (brawn_options.keep_free < 0) return 0;
    return brawn_purge(&heap->tld->segments, brawn_wait_keeps(keep) / MI_SEGMENT_SLICE_SIZE, SIZE_MAX) * MI_SEGMENT_SLICE_SIZE;
}

static SELDOM size_t brawn_wait_all(size_t keep) {
    const size_t stays = brawn_wait_keeps(keep);
    // Empty segments of threads that have ended pass through these lists on their way back.  Nothing else of a heap takes part,
    // so a thread that has none can do it, too.
    static mi_segments_tld_t passing;
    brawn_passed_release();
    brawn_pool_release();
    brawn_segments_init(&passing);
    brawn_resting_bound = stays / MI_SEGMENT_SLICE_SIZE;
    brawn_resting_purged = 0;
    _mi_abandoned_collect(NULL, true, &passing);
    return brawn_resting_purged + brawn_kept_trim(stays / MI_SEGMENT_SIZE) + brawn_kept_large_trim(keep) + brawn_slack_trim(keep);
}

// The turn.
HIDDEN SELDOM void brawn_wait_turn(void) {
    if (mi_unlikely(!brawn_is_told())) return;
    brawn_tld_t *const own = brawn_own_or_none();
    const int64_t clock = arch_clock();
    brawn_allowance_age((uintptr_t)clock);
    const size_t keep = mi_atomic_load_relaxed(&brawn_waiting.bytes);
    if (brawn_turn_of_own(own, clock)) {
        own->freed = keep > 0 ? BRAWN_LEFT : 0;
        own->turn = brawn_turn_after(clock, 0);
        brawn_allowance_release_in_wait(brawn_wait_own(brawn_heap, clock, keep));
    }
    if (!brawn_turn_of_all(clock)) return;
    if (brawn_heap != &_mi_heap_main) brawn_tell();  // a thread without a heap may hold a lock here, too
    // One thread at a time.  If another is at it, this one does nothing.
    uintptr_t nobody = 0;
    if (!mi_atomic_cas_strong_acq_rel(&brawn_resting, &nobody, _mi_prim_thread_id())) return;
    mi_atomic_store_relaxed(&brawn_freed_for_all, (uintptr_t)0);
    const size_t segments = mi_atomic_load_relaxed(&brawn_subproc.abandoned_count);
    mi_atomic_store_relaxed(&brawn_turn_for_all, (uintptr_t)brawn_turn_after(clock, segments));
    brawn_allowance_release_in_wait(brawn_wait_all(keep));
    uintptr_t none = 0;
    if (keep > 0 || brawn_large_waiting() > 0)
        mi_atomic_cas_strong_acq_rel(&brawn_freed_for_all, &none, (uintptr_t)BRAWN_LEFT);
    mi_atomic_store_release(&brawn_resting, (uintptr_t)0);
}
