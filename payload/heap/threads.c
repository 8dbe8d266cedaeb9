// How a thread's heap begins and ends, and what fork does.  Replaces the engine's init.c.

// brawn_exit_rounds: rounds of thread-exit destructors that ran while this thread had a heap; see brawn_thread_exit.
#if BRAWN_SHARED
__thread mi_heap_t *brawn_heap_local __attribute__((visibility("hidden"), used));
__thread int brawn_exit_rounds_local __attribute__((visibility("hidden"), used));
#define brawn_exit_rounds (*arch_local(int, brawn_exit_rounds_local))
#else
__thread mi_heap_t *brawn_heap __attribute__((tls_model(ARCH_TLS_MODEL), visibility("hidden")));
static __thread int brawn_exit_rounds __attribute__((tls_model(ARCH_TLS_MODEL)));
#endif

// Where pages_free_direct points while a size has no page: nothing free in it.
const mi_page_t _mi_page_empty;

// The engine compares addresses with it, and reads nothing of it: another place that no heap is at will do.
extern const mi_heap_t _mi_heap_empty __attribute__((alias("_mi_page_empty")));

static mi_subproc_t brawn_subproc;

// What wait.c goes by: whether something of the process's became free since the last turn, or that left something; and from when on it may go back.
enum { BRAWN_FREED = 1,
    BRAWN_LEFT = 2 };
static _Atomic(uintptr_t) brawn_freed_for_all;
static _Atomic(uintptr_t) brawn_turn_for_all;

#if BRAWN_CHECKED
// What is put out of reach while it is free: reach.c.
typedef enum {
    BRAWN_REACH_CLOSE,
    BRAWN_REACH_GUARD,
    BRAWN_REACH_PAGE,
    BRAWN_REACH_SPAN,
    BRAWN_REACH_KINDS,
} brawn_reach_t;
#endif

// Blocks of another thread on their way back: parcels.c.  Checked profiles have none.
#if BRAWN_CHECKED
static inline void brawn_parcels_collect(const mi_heap_t *heap) { MI_UNUSED(heap); }
static inline void brawn_parcels_release(void) {}
static inline void brawn_parcels_receive(size_t most) { MI_UNUSED(most); }
#else
static void brawn_parcels_collect(const mi_heap_t *heap);
static void brawn_parcels_release(void);
static inline void brawn_parcels_receive(size_t most);
enum {
    BRAWN_PARCEL = 7,
    BRAWN_PARCELS = 64,
};
typedef struct {
    void *blocks[BRAWN_PARCEL];
    uint32_t count;
    uint32_t inbox;  // the number of the inbox that they go to
} brawn_parcel_t;
#endif

typedef struct {
    mi_tld_t tld;  // heap->tld is its address
    mi_page_t *kept_spans[BRAWN_KEPT_SPANS];  // the last few spans that this thread freed: spans.c
    mi_page_t *spare_pages[BRAWN_SPARE_PAGES];  // the last few pages that became empty: spare.c
#if !BRAWN_CHECKED
    struct brawn_recent_s *recent[MI_BIN_HUGE];  // the last few blocks of full pages: recent.c
    brawn_parcel_t *parcels;  // of other threads' blocks, while they are not full; NULL: it collects none
    uint64_t parcels_begun;  // a bit for each that may have blocks
    uintptr_t chain;  // of its own blocks, which others freed, those that are not free yet
#endif
    brawn_growth_t growth;
    struct brawn_kept_large_s *own_slots;  // the first of its slots for large blocks; NULL: it has none, or was not asked yet: owned.c
    uint16_t page_slices[MI_BIN_HUGE];  // how many slices the pages of each size have, as far as it fits: pages.c
    int64_t turn;  // from when on it may give back what is free, before a wait (arch_clock): wait.c
    intptr_t slack, dirty;  // what brawn_slack and brawn_dirty do not know of yet: sums.c
    uint32_t large_live;  // how many large blocks it took and did not free, as far as it knows: large.c
    uint16_t large_shared;  // how many large blocks it gave to all threads: owned.c
    uint8_t own_large;  // which slots for large blocks are its own, from 1 on; 0: none yet: owned.c
    uint8_t spare_next;  // which of its spare pages came first: spare.c
    uint8_t foreign;  // how many blocks of others it freed before it collected any
    uint8_t freed;  // whether something became free since the last turn, or that left something: BRAWN_FREED, BRAWN_LEFT
#if BRAWN_CHECKED
    uint8_t reach_skips[BRAWN_REACH_KINDS];  // how many times it does not look at the clock: reach.c
#endif
#if BRAWN_LARGE_TIGHT
    uintptr_t peak_epoch;  // slack.c
#endif
} brawn_tld_t;

typedef struct brawn_thread_s {
    mi_heap_t heap;
    brawn_tld_t own;
    struct brawn_thread_s *next;  // in its list of brawn_threads
#if !BRAWN_CHECKED
    _Alignas(4096) brawn_parcel_t parcels[BRAWN_PARCELS];  // not touched by a thread that frees few blocks of others
#endif
} brawn_thread_t;
_Static_assert(BRAWN_CHECKED || BRAWN_TRACE || sizeof(brawn_thread_t) <= 2 * 4096, "a thread that allocates little touches one page for it");

// The calling thread's own data; NULL: it has no heap.
static inline INLINED brawn_tld_t *brawn_own_or_none(void) {
    if (brawn_heap == NULL) return NULL;
    brawn_tld_t *const own = (brawn_tld_t *)brawn_heap->tld;
    if (own == NULL) __builtin_unreachable();  // each heap has some: so who asks for NULL asks once
    return own;
}

// `slices` more are dirty, or less.
static void brawn_dirty_add(intptr_t slices) {
    brawn_tld_t *const own = brawn_own_or_none();
    if (own == NULL) brawn_sum_add(&brawn_dirty, slices);
    else if ((own->dirty += slices) >= BRAWN_DIRTY_STEP || own->dirty <= -BRAWN_DIRTY_STEP) brawn_sum_flush(&brawn_dirty, &own->dirty);
}

// There are `bytes` more of it, or less.  The process hears of it once all of it is known: what a block that grows in its mapping takes from one slack
// it leaves in the next one.
static NOINLINE void brawn_slack_add(intptr_t bytes) {
    brawn_tld_t *const own = brawn_own_or_none();
    if (own != NULL) own->slack += bytes;
    else brawn_sum_add(&brawn_slack, bytes);
}

// What the process does not know of the calling thread's.
static inline INLINED intptr_t brawn_slack_own(void) {
    const brawn_tld_t *const own = brawn_own_or_none();
    return own != NULL ? own->slack : 0;
}

// Adds it to the process's sum, if it is at least `step` bytes, or a program without threads has much of it.
static NOINLINE void brawn_slack_tell(intptr_t step) {
    const intptr_t own = brawn_slack_own(), most = mi_atomic_load_relaxed(&brawn_threads_count) == 0 ? BRAWN_SLACK_STEP_ALONE : step;
    if (mi_unlikely(own >= most || own <= -most)) brawn_sum_flush(&brawn_slack, &((brawn_tld_t *)brawn_heap->tld)->slack);
}

static inline size_t brawn_slack_now(void) { return brawn_sum_with(&brawn_slack, brawn_slack_own()); }

// The thread's heap ends: what it has not added yet.
static void brawn_sums_finish(mi_heap_t *heap) {
    brawn_tld_t *const own = (brawn_tld_t *)heap->tld;
    brawn_sum_flush(&brawn_dirty, &own->dirty);
    brawn_sum_flush(&brawn_slack, &own->slack);
}

static void brawn_note_freed(void) {
    brawn_tld_t *const own = brawn_own_or_none();
    if (own != NULL) own->freed = BRAWN_FREED;
}

// Notes that memory of the process became free, unless the calling thread is just giving such memory back.
static void brawn_note_freed_for_all(void) {
    if (mi_atomic_load_relaxed(&brawn_freed_for_all) == BRAWN_FREED || brawn_is_resting()) return;
    mi_atomic_store_relaxed(&brawn_freed_for_all, (uintptr_t)BRAWN_FREED);
}

// The main thread's, so that a program without threads maps nothing for it.  The engine names it.
mi_heap_t _mi_heap_main;
static brawn_tld_t brawn_main_tld;
#if !BRAWN_CHECKED
static brawn_parcel_t brawn_main_parcels[BRAWN_PARCELS] LATE;
#endif
static _Atomic(uintptr_t) brawn_main_taken;

static void brawn_own_large_leave(const brawn_tld_t *own);  // owned.c

// Of threads that have ended, for the next ones: one exchange each, as for kept segments.
enum { BRAWN_KEPT_THREADS = 32 };
static _Atomic(brawn_thread_t *) brawn_kept_threads[BRAWN_KEPT_THREADS] LATE;

static size_t brawn_thread_size(void) { return _mi_align_up(sizeof(brawn_thread_t), brawn_page_size); }

static brawn_thread_t *brawn_thread_take(void) {
    for (size_t i = 0; i < BRAWN_KEPT_THREADS; i++) {
        if (mi_atomic_load_relaxed(&brawn_kept_threads[i]) == NULL) continue;
        brawn_thread_t *const thread = mi_atomic_exchange_acq_rel(&brawn_kept_threads[i], NULL);
        if (thread != NULL) return thread;
    }
    brawn_thread_t *const mapped = brawn_map(NULL, brawn_thread_size(), PROT_RW_);
    if (mapped != NULL) return mapped;
    _mi_arenas_collect(true);
    return brawn_map(NULL, brawn_thread_size(), PROT_RW_);
}

static void brawn_thread_give(brawn_thread_t *thread) {
    brawn_own_large_leave(&thread->own);
    for (size_t i = 0; i < BRAWN_KEPT_THREADS; i++) {
        brawn_thread_t *empty = NULL;
        if (mi_atomic_load_relaxed(&brawn_kept_threads[i]) == NULL &&
            mi_atomic_cas_strong_acq_rel(&brawn_kept_threads[i], &empty, thread)) return;
    }
    brawn_unmap(thread, brawn_thread_size());
}

// A number of less than `count`, a power of two, for a thread pointer.  These are some pages apart, or some lines of the cache; the upper bits of a
// product depend on all of its factors'.
static inline INLINED uint32_t brawn_thread_number(uintptr_t pointer, uint32_t count) {
    return (uint32_t)(((pointer >> 6) * (uintptr_t)0x9e3779b97f4a7c15) >> 32) / (uint32_t)(((uintptr_t)1 << 32) / count);
}

// ---------------------------------------------------------------------------------------------
// Heaps that are in use, by thread pointer.  No two live threads have the same pointer.  So if a new thread finds a heap under its own
// pointer, the heap's thread has ended, and nothing returned the heap: it was made after our destructor ran in the last round, or there was no
// key.  The new thread goes on with the heap as it is: its segments name the same pointer as their owner.  New threads mostly get the pointers
// of ended ones.  (Where a program has all keys, and maps memory between its threads, they do not: then each leaves a heap.)
//
// The lock is the one that fork holds (brawn_abandoned_lock).

enum { BRAWN_THREAD_LISTS = 64 };
static brawn_thread_t *brawn_threads[BRAWN_THREAD_LISTS] LATE;
static _Atomic(uintptr_t) brawn_threads_count;  // changes under the lock

_Static_assert((BRAWN_THREAD_LISTS & (BRAWN_THREAD_LISTS - 1)) == 0, "as brawn_thread_number asks");
static inline brawn_thread_t **brawn_thread_list(uintptr_t pointer) { return &brawn_threads[brawn_thread_number(pointer, BRAWN_THREAD_LISTS)]; }

// Both under the lock.
static void brawn_thread_enlist(brawn_thread_t *thread) {
    brawn_thread_t **const list = brawn_thread_list(thread->heap.thread_id);
    thread->next = *list;
    *list = thread;
    mi_atomic_store_relaxed(&brawn_threads_count, mi_atomic_load_relaxed(&brawn_threads_count) + 1);
}

static void brawn_thread_delist(brawn_thread_t *thread) {
    brawn_thread_t **at = brawn_thread_list(thread->heap.thread_id);
    while (*at != thread) at = &(*at)->next;
    *at = thread->next;
    mi_atomic_store_relaxed(&brawn_threads_count, mi_atomic_load_relaxed(&brawn_threads_count) - 1);
}

// The heap that an ended thread left at the place of `own`; NULL: none.  Under the lock.
static brawn_thread_t *brawn_thread_left(uintptr_t own) {
    brawn_thread_t *thread = *brawn_thread_list(own);
    while (thread != NULL && thread->heap.thread_id != own) thread = thread->next;
    return thread;
}

// In the child of a fork: other threads' heaps may be in the middle of anything, and nobody goes on with them.
static void brawn_threads_forget(mi_heap_t *own) {
    for (size_t i = 0; i < BRAWN_THREAD_LISTS; i++) brawn_threads[i] = NULL;
    mi_atomic_store_relaxed(&brawn_threads_count, (uintptr_t)0);
    if (own == NULL || own == &_mi_heap_main) return;
    brawn_thread_t *const thread = (brawn_thread_t *)own;
    thread->next = NULL;
    *brawn_thread_list(own->thread_id) = thread;
    mi_atomic_store_relaxed(&brawn_threads_count, (uintptr_t)1);
}

// ---------------------------------------------------------------------------------------------
// Thread exit.  A pthread key's destructor returns the heap.  musl runs destructors in at most
// PTHREAD_DESTRUCTOR_ITERATIONS (4) rounds while values are set (src/thread/pthread_key_create.c).
// The program's destructors may allocate and free in every round, so ours waits for the third.  That is late enough
// for what programs do, and early enough for a thread that first allocates behind ours in round 1: it has rounds 2 to 4.

int pthread_key_create(unsigned *key, void (*destructor)(void *));
int pthread_setspecific(unsigned key, const void *value);

enum { BRAWN_LAST_ROUND = 3 };
enum { KEY_NONE,
    KEY_MADE,
    KEY_GONE };  // gone: the object that this code is in is unloaded
static unsigned brawn_key;
static _Atomic(uintptr_t) brawn_key_state;
static mi_lock_t brawn_key_lock = MI_LOCK_INITIALIZER;  // who has it makes the key

// Frees of this thread take the way of another thread's from here on.
static SELDOM void brawn_thread_without(mi_heap_t *heap) {
    brawn_sums_finish(heap);
    brawn_heap = NULL;
    if (heap == &_mi_heap_main) return;
    mi_lock(&brawn_abandoned_lock) { brawn_thread_delist((brawn_thread_t *)heap); }
    brawn_thread_give((brawn_thread_t *)heap);
}

static bool brawn_pool_give(mi_heap_t *heap);  // pool.c
static brawn_thread_t *brawn_thread_again(uintptr_t own);
static void brawn_pool_in_child(void);
static void brawn_own_large_in_child(void);
static void brawn_pool_trim(void);
static void brawn_heap_leave(mi_heap_t *heap);

// Gives the heap of this thread back.
static void brawn_thread_end(void) {
    mi_heap_t *const heap = brawn_heap;
    brawn_note_freed_for_all();
    if (!brawn_pool_give(heap)) {
        brawn_heap_leave(heap);
        // Segments that others left may be empty by now: more of them go than come.
        _mi_abandoned_collect(heap, false, &heap->tld->segments);
        brawn_thread_without(heap);
    }
    brawn_pool_trim();
}

static SELDOM void brawn_thread_exit(void *unused) {
    MI_UNUSED(unused);
    if (++brawn_exit_rounds < BRAWN_LAST_ROUND) {
        pthread_setspecific(brawn_key, &brawn_key);  // any value but NULL: come again
        return;
    }
    // An allocation from here on makes a new heap, which our next call returns; if it was behind ours in the
    // fourth round, the next thread at this place goes on with it.
    if (brawn_heap != NULL) brawn_thread_end();
}

// Whether there is a key: the first thread but the main one that allocates makes it.  libc may have that thread wait (musl's fork holds the
// lock of the keys), and a thread that waits may leave its heap to others (wait.c): so it must have none yet.
static bool brawn_has_key(void) {
    if (mi_likely(mi_atomic_load_acquire(&brawn_key_state) == KEY_MADE)) return true;
    mi_lock(&brawn_key_lock) {
        // Without a key (a program may use all 128) threads leave their heaps to the next ones at their places.
        if (mi_atomic_load_relaxed(&brawn_key_state) == KEY_NONE && pthread_key_create(&brawn_key, brawn_thread_exit) == 0)
            mi_atomic_store_release(&brawn_key_state, (uintptr_t)KEY_MADE);
    }
    return mi_atomic_load_relaxed(&brawn_key_state) == KEY_MADE;
}

// ---------------------------------------------------------------------------------------------
// Thread start

// Of segments that hold nothing.
static void brawn_segments_init(mi_segments_tld_t *segments) {
    // Queues of free spans by their number of slices: 1 to 7, then four steps between powers of two.
    static const uint16_t spans[MI_SEGMENT_BIN_MAX + 1] = {
        1, 1, 2, 3, 4, 5, 6, 7, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128,
        160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024};
    brawn_memset(segments, 0, sizeof(*segments));
    for (size_t i = 0; i <= MI_SEGMENT_BIN_MAX; i++) segments->spans[i].slice_count = spans[i];
    segments->subproc = &brawn_subproc;
}

// The engine's sizes by bin, in words: 1 to 8, then four steps between powers of two, and two special ones.
static void brawn_queues_init(mi_page_queue_t *queues) {
    size_t words = 0;
    for (size_t bin = 0; bin < MI_BIN_HUGE; bin++) {
        if (bin != 1) words += bin <= 8 ? 1 : (size_t)2 << (bin - 9) / 4;
        queues[bin].block_size = words * sizeof(uintptr_t);
    }
    queues[MI_BIN_HUGE].block_size = (MI_MEDIUM_OBJ_WSIZE_MAX + 1) * sizeof(uintptr_t);
    queues[MI_BIN_FULL].block_size = (MI_MEDIUM_OBJ_WSIZE_MAX + 2) * sizeof(uintptr_t);
}
_Static_assert(MI_BIN_HUGE == 8 + 8 * 4 + 1 && MI_BIN_FULL == MI_BIN_HUGE + 1, "there are 9 bins, 8 times 4, and two special ones");

static SELDOM void brawn_heap_init(mi_heap_t *heap, brawn_tld_t *own) {
    mi_tld_t *const tld = &own->tld;
    brawn_memset(own, 0, sizeof(*own));
    brawn_segments_init(&tld->segments);
    tld->heap_backing = heap;
    tld->heaps = heap;
    // The first heap's cookie is the process's, and others may be reading it.
    brawn_memset(heap, 0, offsetof(mi_heap_t, cookie));
    brawn_memset(heap->keys, 0, sizeof(*heap) - offsetof(mi_heap_t, keys));
    heap->page_retired_min = MI_BIN_FULL;
    brawn_queues_init(heap->pages);
    for (size_t i = 0; i < MI_PAGES_DIRECT; i++) heap->pages_free_direct[i] = (mi_page_t *)&_mi_page_empty;
    heap->tld = tld;
    heap->thread_id = _mi_prim_thread_id();
#if BRAWN_CHECKED
    _mi_random_init(&heap->random);
    heap->keys[0] = _mi_random_next(&heap->random);
    heap->keys[1] = _mi_random_next(&heap->random);
#endif
}

// Whether this code runs on the process's first stack.  The kernel puts the auxiliary vector's strings at its top, and keeps at least 128 MiB
// below free of mappings (mm/util.c, mmap_base); a thread's stack is a mapping.  A wrong "no" (a coroutine's stack) costs a pthread key, no more.
static bool brawn_on_first_stack(void) {
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return brawn_auxiliary(AUXV_RANDOM) - here < ((uintptr_t)128 << 20);
}

// Reads what the kernel and the environment say, once.  Every way to a first mapping comes through here.
static inline void brawn_configure(void) {
    static _Atomic(uintptr_t) configured;
    if (mi_likely(mi_atomic_load_acquire(&configured) != 0)) return;
    // Idempotent, so that threads which come here at once need not wait for each other.
    const size_t page = brawn_auxiliary(AUXV_PAGESZ);
    if (page != 0) brawn_page_size = page;
    brawn_options_read();
#if BRAWN_CHECKED
    brawn_secrets_make(&_mi_heap_main);
#endif
    mi_atomic_store_release(&configured, (uintptr_t)1);
}

// A page that the kernel clears in every child (MADV_WIPEONFORK).  Where the heap is told of the child, it sets the page again.  So the page stays
// clear in a child of which the heap is not told (_Fork, clone): a thread that does not exist there may have held a lock or a page's list.
// NULL: there is no page, since only the first thread had a heap, or the kernel is older than Linux 4.14.
static _Atomic(uintptr_t *) brawn_told;

static SELDOM void brawn_tell(void) {
    if (mi_atomic_load_relaxed(&brawn_told) != NULL) return;
    uintptr_t *const page = brawn_map(NULL, brawn_page_size, PROT_RW_);
    if (page == NULL) return;
    uintptr_t *none = NULL;
    *page = 1;
    if (brawn_failed(arch_syscall6(ARCH_SYS_madvise, (long)page, (long)brawn_page_size, MADV_WIPEONFORK_, 0, 0, 0)) ||
        !mi_atomic_cas_strong_acq_rel(&brawn_told, &none, page))
        brawn_unmap(page, brawn_page_size);
}

// The second word of this page: the number of this process, if trace.c has noted it there.  NULL: there is no such page.
static inline _Atomic(uintptr_t) *brawn_told_process(void) {
    uintptr_t *const page = mi_atomic_load_acquire(&brawn_told);
    return page != NULL ? (_Atomic(uintptr_t) *)(page + 1) : NULL;
}

static inline bool brawn_is_told(void) {
    const uintptr_t *const page = mi_atomic_load_acquire(&brawn_told);
    return page == NULL || *page != 0;
}

// Gives the calling thread its heap; NULL when the kernel has no memory for it.
static SELDOM NOINLINE mi_heap_t *brawn_thread_start(void) {
    mi_heap_t *heap = brawn_heap;
    if (heap != NULL) return heap;
    brawn_configure();
    if (brawn_on_first_stack() && mi_atomic_exchange_acq_rel(&brawn_main_taken, (uintptr_t)1) == 0) {
        brawn_heap_init(&_mi_heap_main, &brawn_main_tld);
        brawn_heap = &_mi_heap_main;
    } else {
        const bool has_key = brawn_has_key();
        brawn_thread_t *thread = brawn_thread_again(_mi_prim_thread_id());
        if (thread == NULL) {
            thread = brawn_thread_take();
            if (thread == NULL) return NULL;
            brawn_heap_init(&thread->heap, &thread->own);
            brawn_tell();
            mi_lock(&brawn_abandoned_lock) { brawn_thread_enlist(thread); }
        }
        brawn_heap = &thread->heap;
        thread->own.freed = BRAWN_FREED;  // its first wait is a turn: a thread of a pool that waits for work shares its pages
        if (has_key) pthread_setspecific(brawn_key, &brawn_key);
    }
    return brawn_heap;
}

// ---------------------------------------------------------------------------------------------
// What the engine asks of its init.c

void mi_thread_init(void) mi_attr_noexcept { brawn_thread_start(); }
mi_threadid_t _mi_thread_id(void) mi_attr_noexcept { return _mi_prim_thread_id(); }
bool _mi_is_main_thread(void) { return brawn_heap == &_mi_heap_main; }
size_t _mi_current_thread_count(void) { return 1; }
void _mi_thread_data_collect(void) {}
#if !BRAWN_CHECKED
uintptr_t _mi_random_next(mi_random_ctx_t *random) { return ++random->input[0]; }
void _mi_random_init(mi_random_ctx_t *random) { random->input[0] = 0; }
void _mi_random_split(mi_random_ctx_t *random, mi_random_ctx_t *fresh) { *fresh = *random; }
#endif
void _mi_heap_guarded_init(mi_heap_t *heap) { MI_UNUSED(heap); }

// ---------------------------------------------------------------------------------------------
// Fork.  What is called around it (surface.c, shared.c): who < 0 before, 0 in the parent, > 0 in the child.

static bool brawn_unstick(mi_heap_t *heap, mi_page_queue_t *queue, mi_page_t *page, void *a, void *b) {
    MI_UNUSED(heap);
    MI_UNUSED(queue);
    MI_UNUSED(a);
    MI_UNUSED(b);
    // A thread of the parent was between marking the page and handing its block over; it does not
    // exist here, and the engine would wait for it.  Its one block stays allocated.
    const mi_thread_free_t free = mi_atomic_load_relaxed(&page->xthread_free);
    if (mi_tf_delayed(free) == MI_DELAYED_FREEING)
        mi_atomic_store_release(&page->xthread_free, mi_tf_set_delayed(free, MI_USE_DELAYED_FREE));
    return true;
}

static NOINLINE void brawn_heap_in_child(mi_heap_t *heap) {
    mi_heap_visit_pages(heap, &brawn_unstick, true, NULL, NULL);
#if BRAWN_CHECKED
    // Parent and child draw other numbers from here on.
    _mi_random_init(&heap->random);
#endif
}

#if BRAWN_TRACE
static void brawn_trace_around_fork(int who);  // trace.c
#endif

static SELDOM void brawn_around_fork(int who) {
#if BRAWN_TRACE
    brawn_trace_around_fork(who);
#endif
    if (who < 0) {
        mi_lock_acquire(&brawn_abandoned_lock);
        brawn_mutex_forking = arch_thread_pointer();
        return;
    }
    if (who > 0) {
        uintptr_t *const told = mi_atomic_load_relaxed(&brawn_told);
        if (told != NULL) *told = 1;
        brawn_threads_forget(brawn_heap);
        brawn_pool_in_child();
        brawn_own_large_in_child();
    }
    brawn_mutex_forking = 0;
    mi_lock_release(&brawn_abandoned_lock);
    if (who > 0) {
        mi_atomic_store_relaxed(&brawn_resting, (uintptr_t)0);  // who did so is not here
        mi_atomic_store_relaxed(&brawn_waiting.bytes, (uintptr_t)0);  // what the parent needed again is no word about the child
        brawn_key_lock = (mi_lock_t)MI_LOCK_INITIALIZER;
        if (brawn_heap != NULL) brawn_heap_in_child(brawn_heap);
    }
}
