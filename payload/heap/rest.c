// What a thread gives back to the kernel before it waits.
//
// Free memory stays with the process for a while, since most programs need it again soon.  If the program does not, somebody has to give
// it back.  There is no thread and no timer for that.  Instead, libc's calls that may wait come here first (libc/threads/__syscall_cp.c).
//
// Nobody knows how long a wait will be.  So a thread gives memory back at most every BRAWN_REST_DELAY, only if something became free since
// the last time, and only so often that it takes less than one part in BRAWN_REST_SHARE of all time.  Waits that can be divided (parts.h)
// come here a second time, after they have lasted for a while.
//
//   brawn_note_freed   notes that a page or span became free: no fast path calls it
//   brawn_rest         the thread's turn

// Whether the thread may be inside a signal handler.  A handler may wait, too, and it may have interrupted an allocation: then nothing here
// may run.  malloc and free do not note that they run, since that would take time.  So this looks at the stack: while a handler runs, there is
// a frame that the kernel has made, and with it the address to which the handler returns.
//
// `not_handlers_return_to` is that address with all bits inverted.  If the address itself were passed on, copies of it would stay on the
// stack, and a later turn would find them.  sigaction leaves copies, too, but without a frame beside them (arch_is_in_handler).
//
// true: there is a frame, or the stack is not known or too deep.  Only the thread's own stack is known, not one of sigaltstack or a fiber.
enum { BRAWN_REST_STACK = 256 << 10 };

static bool brawn_may_be_in_handler(uintptr_t not_handlers_return_to, const void *end_of_stack) {
    if (not_handlers_return_to == 0) return false;  // the program has no sigaction
    const uintptr_t *at = __builtin_frame_address(0);
    if (end_of_stack == NULL) {
        if (!brawn_on_first_stack()) return true;
        end_of_stack = (const void *)_mi_align_down(brawn_auxiliary(AUXV_RANDOM), sizeof *at);
    }
    const uintptr_t *const end = end_of_stack;
    if (at >= end || (uintptr_t)end - (uintptr_t)at > BRAWN_REST_STACK) return true;
    for (; at < end; at++) {
        if (mi_unlikely(~*at == not_handlers_return_to) && arch_is_in_handler(at, end)) return true;
    }
    return false;
}

// Lets the signals come, and says which of them have handlers, and of what kind.  They came too early for the wait; had the turn taken no
// time, they would have come in it.
static void brawn_let_signals(uint64_t held_before, brawn_turn_t *turn) {
    enum {
        SETMASK = 2,
        OWN_FIRST = 32,
        OWN_LAST = 34,
        RESTART = 0x10000000,
    };  // <signal.h>; musl's own: src/internal/pthread_impl.h
    uint64_t pending = 0;
    turn->said = TURN_NO_HANDLER;
    turn->ran = 0;
    arch_syscall6(ARCH_SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0, 0, 0);
    pending &= ~held_before;
    for (; mi_unlikely(pending != 0); pending &= pending - 1) {
        const int number = __builtin_ctzll(pending) + 1;
        uint64_t action[4] = {0};  // as the kernel has it: the handler, flags, and where it returns to; the set
        if (number >= OWN_FIRST && number <= OWN_LAST) continue;
        arch_syscall6(ARCH_SYS_rt_sigaction, number, 0, (long)action, sizeof pending, 0, 0);
        if (action[0] <= 1) continue;  // SIG_DFL, SIG_IGN
        const int does = action[1] & RESTART ? TURN_RESTARTS : TURN_INTERRUPTS;
        if (does < turn->said) turn->said = does;
        turn->ran |= (uint64_t)1 << (number - 1);
    }
    arch_syscall6(ARCH_SYS_rt_sigprocmask, SETMASK, (long)&held_before, 0, sizeof held_before, 0, 0);
}

// Blocks signals during a turn.  A turn that ends in its middle would leave pages between two lists.  It would end there by a handler's
// siglongjmp, with which shells end a wait, or by the cancellation of a thread that can be cancelled anywhere.  Besides, a handler may allocate.
//
// Two kinds of signals are not blocked.  If a fault's signal were blocked, the kernel would end the program without calling the handler.
// And musl stops all threads by a signal (src/thread/synccall.c): if this thread blocked it, it could wait for a lock of a thread that is
// stopped already, and neither would go on.  The thread that stops the others has this signal blocked, and gets no turn.
//
// false: there is no turn, but for what handlers ran meanwhile.
static bool brawn_hold_signals(uint64_t *held_before, brawn_turn_t *turn) {
    enum {
        BLOCK = 0,
        SIGILL_ = 4,
        SIGTRAP_ = 5,
        SIGBUS_ = 7,
        SIGFPE_ = 8,
        SIGSEGV_ = 11,
        SIGSYS_ = 31,
        SIGSYNCCALL_ = 34,
    };  // <signal.h>; src/internal/pthread_impl.h
#define BRAWN_SIGNAL(number) ((uint64_t)1 << ((number) - 1))
    const uint64_t forced = BRAWN_SIGNAL(SIGILL_) | BRAWN_SIGNAL(SIGTRAP_) | BRAWN_SIGNAL(SIGBUS_) | BRAWN_SIGNAL(SIGFPE_) |
        BRAWN_SIGNAL(SIGSEGV_) | BRAWN_SIGNAL(SIGSYS_);
    const uint64_t stops = BRAWN_SIGNAL(SIGSYNCCALL_), held = ~(forced | stops);
    if (brawn_failed(arch_syscall6(ARCH_SYS_rt_sigprocmask, BLOCK, (long)&held, (long)held_before, sizeof held, 0, 0))) return false;
    if (mi_likely((*held_before & stops) == 0)) return true;
    brawn_let_signals(*held_before, turn);
    return false;
}
#undef BRAWN_SIGNAL

// Called before a segment is mapped.  If the process has as many segments then as ever, or nearly as many, its peak is about to grow.  So
// what is free in the thread's other segments goes back first: these pieces are too small for the request, and most of them stay free.
static void brawn_before_segment(void) {
    static _Atomic(uintptr_t) most;
    mi_heap_t *const heap = brawn_heap;
    const size_t held = mi_atomic_load_relaxed(&brawn_segments_held) + 1;
    const size_t before = mi_atomic_load_relaxed(&most);
    if (held + held / 16 <= before || heap == NULL || brawn_options.purge_delay < 0) return;
    if (held > before) mi_atomic_store_relaxed(&most, held);
    brawn_handed_release();
    mi_segments_tld_t *const segments = &heap->tld->segments;
    for (size_t bin = MI_SEGMENT_BIN_MAX; bin > 0; bin--) {
        for (mi_slice_t *slice = segments->spans[bin].first; slice != NULL; slice = slice->next) {
            mi_segment_t *const segment = _mi_ptr_segment(slice);
            _mi_segment_collect(segment, true);
        }
    }
}

// Gives back all that is free in the calling thread's heap; in a long wait, also what is free in pages that are in use (thin.c).
static void brawn_rest_own(mi_heap_t *heap, bool in_wait) {
    brawn_spans_release();
    brawn_heap_collect(heap, MI_FORCE);
    if (in_wait) brawn_thin(heap);
    mi_segments_tld_t *const segments = &heap->tld->segments;
    for (size_t bin = 0; bin <= MI_SEGMENT_BIN_MAX; bin++) {
        for (mi_slice_t *slice = segments->spans[bin].first; slice != NULL; slice = slice->next)
            _mi_segment_collect(_mi_ptr_segment(slice), true);
    }
    brawn_kept_trim(BRAWN_KEPT_SEGMENTS);
}

// Gives back the process's free memory, which waits for the next thread or block.  The caller holds `brawn_resting`.
static void brawn_rest_all(void) {
    // Empty segments of threads that have ended pass through these lists on their way back.  Nothing else of a heap takes part,
    // so a thread that has none can do it, too.
    static mi_segments_tld_t passing;
    brawn_passed_release();
    brawn_handed_release();
    brawn_segments_init(&passing);
    _mi_abandoned_collect(NULL, true, &passing);
    brawn_kept_release();
    brawn_kept_large_drain();
}

static int64_t brawn_rest_next(const brawn_rest_t *rest, bool in_wait) { return (int64_t)(rest->next - (in_wait ? rest->earlier : 0)); }

// After a turn that began at `begin` (arch_counter).
static void brawn_rested(brawn_rest_t *rest, uint64_t begin) {
    const uint64_t end = arch_counter();
    const int64_t took = arch_clock_of((end - begin) * BRAWN_REST_SHARE), delay = brawn_options.rest_delay;
    const int64_t pause = took > delay ? took : delay, in_wait = took / BRAWN_REST_WAITING;
    const int64_t earlier = pause - (in_wait > delay ? in_wait : delay);
    rest->next = (uint64_t)(arch_clock_of(end) + pause);
    rest->earlier = (uint64_t)(earlier < 1 << 12 ? earlier : (1 << 12) - 1);
    rest->freed = 0;
}

// One thread at a time gives back the process's memory.  If another thread is at it, this one does nothing.
static void brawn_rest_for_all(bool in_wait) {
    if (brawn_heap != &_mi_heap_main) brawn_tell();  // a thread without a heap may hold a lock here, too
    uintptr_t nobody = 0;
    if (!mi_atomic_cas_strong_acq_rel(&brawn_resting, &nobody, _mi_prim_thread_id())) return;
    const uint64_t begin = arch_counter();
    if (arch_clock_of(begin) >= brawn_rest_next(&brawn_rest_of_all, in_wait)) {
        mi_atomic_store_relaxed(&brawn_freed_for_all, (uintptr_t)0);
        brawn_rest_all();
        brawn_rested(&brawn_rest_of_all, begin);
    }
    mi_atomic_store_release(&brawn_resting, (uintptr_t)0);
}

// A thread in a long wait leaves a small heap to the next thread that needs memory, as it does when it ends.  So idle threads share segments
// and pages.  Afterwards the thread frees its old blocks as if they were another thread's, and its next allocation uses what other threads
// left.  The first thread keeps its heap, which is not a mapping that another thread could take over.
static bool brawn_may_leave(const mi_heap_t *heap) {
    if (BRAWN_REST_LEAVES < 0 || BRAWN_TRACE || heap == &_mi_heap_main) return false;
    return (int64_t)heap->tld->segments.count <= BRAWN_REST_LEAVES && brawn_exit_rounds == 0;
}

static void brawn_leave(mi_heap_t *heap) {
    brawn_heap_leave(heap);
    brawn_thread_without(heap);
}

// From when on this thread may give back what it has, or what is for all; BRAWN_NOTHING_DUE: there is nothing.
#define BRAWN_NOTHING_DUE INT64_MAX
static int64_t brawn_rest_due(const brawn_rest_t *own, bool in_wait) {
    const bool has = own != NULL && (own->freed || (in_wait && own->thick));
    const int64_t due = has ? brawn_rest_next(own, in_wait) : BRAWN_NOTHING_DUE;
    if (mi_likely(mi_atomic_load_relaxed(&brawn_freed_for_all) == 0)) return due;
    const int64_t next = brawn_rest_next(&brawn_rest_of_all, in_wait);
    return next < due ? next : due;
}

// How long the first part of a wait is to be, if the heap gets its next turn at `due`; 0: the wait is not to be divided.
static long brawn_rest_part(brawn_rest_t *own, int64_t due, int64_t clock) {
    if (own != NULL) {
        const uint64_t window = (uint64_t)clock / BRAWN_REST_DIVIDED % 32;
        if (own->window != window) own->divided = 0;
        if (own->divided == BRAWN_REST_DIVIDED) return 0;
        own->window = window;
        own->divided++;
    }
    const bool many = mi_atomic_load_relaxed(&brawn_threads_count) >= BRAWN_REST_MANY;
    const int64_t left = due - clock, least = many ? BRAWN_REST_FIRST / 2 : BRAWN_REST_FIRST;
    return left < least ? (long)least : (left < INT_MAX ? (long)left : INT_MAX);
}

// A thread without a heap has no free memory of its own.  It gives back the process's, but only in the second turn of a long wait.  The
// limits of time are the same for all threads.  Only a thread that is about to leave its small heap gives back what is free there in any case.
//
// `turn` says what common/turn.h has of it, before and afterwards.
static NOINLINE void brawn_rest(uintptr_t not_handlers_return_to, const void *end_of_stack, brawn_turn_t *turn) {
    mi_heap_t *const heap = brawn_heap;
    brawn_rest_t *own = heap != NULL ? &((brawn_tld_t *)heap->tld)->rest : NULL;
    const bool has_parts = turn->said >= 0, in_wait = turn->said > 0;
    bool leaves = has_parts && heap != NULL && brawn_may_leave(heap);
    int64_t due = brawn_rest_due(own, has_parts);
    turn->said = 0;
    if ((mi_likely(due == BRAWN_NOTHING_DUE) && !leaves) || brawn_options.rest_delay < 0 || brawn_options.purge_delay < 0) return;
    if (mi_unlikely(!brawn_is_told())) return;
    const uint64_t begin = arch_counter();
    const int64_t clock = arch_clock_of(begin);
    const bool may = own != NULL && clock >= brawn_rest_next(own, in_wait);
    if (in_wait || (may && brawn_rest_due(own, false) != BRAWN_NOTHING_DUE)) {
        uint64_t held_before;
        if (brawn_may_be_in_handler(not_handlers_return_to, end_of_stack) || !brawn_hold_signals(&held_before, turn)) return;
        leaves = leaves && in_wait;
        if (own != NULL && (own->freed || (in_wait && own->thick)) && (may || leaves)) {
            brawn_rest_own(heap, in_wait);
            brawn_rested(own, begin);
            own->thick = !in_wait;
        }
        if (leaves) {
            brawn_leave(heap);
            own = NULL;
        }
        if (mi_atomic_load_relaxed(&brawn_freed_for_all) != 0) brawn_rest_for_all(in_wait);
        brawn_let_signals(held_before, turn);
        leaves = own != NULL && has_parts && brawn_may_leave(heap);
    }
    if (!has_parts || turn->said < 0) return;
    due = leaves ? clock : brawn_rest_due(own, true);
    if (due != BRAWN_NOTHING_DUE) turn->said = brawn_rest_part(own, due, clock);
}
