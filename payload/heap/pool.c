// Heaps that go, as they are, from a thread that ends to the next thread.  To take a heap apart and to build one is half of
// what a thread costs that lives for one request.
//
// The `thread_id` of a segment is the thread pointer of its owner.  While a heap waits, it is the heap's own address plus one, which is no
// thread's pointer.  The ended thread's pointer must not stay there: a new thread may have the same pointer, and would free such blocks as its
// own before it has a heap.  (Nor may it be 0, which says that pages are nobody's.)  The thread that takes the heap writes its own pointer.
//
// Why other threads may free blocks of such a heap at any time:
//   - They only compare that word with their own pointer.  A thread writes its pointer there when it takes the heap, and another value when
//     it gives the heap away.  So it always sees whether its own pointer is there.  Other threads may see an older or a newer value, but
//     neither is their pointer.  A later thread with the same pointer began after the heap was given away, and sees that value or a later one.
//   - Then they use the page's list or, by the page's pointer, the heap's.  These stay where they are, and are atomic.
// What only the owner changes passes from thread to thread by the lock that guards the list of such heaps.  Fork holds this lock, so that a
// child finds whole heaps in the list.
//
// These heaps are given up like others when memory is short, when a thread waits (wait.c), and before the process would grow, if no thread has taken
// one for a while.

static brawn_thread_t *brawn_pool;  // the last one first: its memory may still be in a cache
static _Atomic(uintptr_t) brawn_pool_weight;  // of all in the list; changes under the lock
static _Atomic(uintptr_t) brawn_pool_serves;  // whether a thread took one since brawn_pool_before_more last asked

// A heap weighs its segments and one.  While it waits they stay what they are.
static size_t brawn_pool_weighs(const mi_heap_t *heap) { return heap->tld->segments.count + 1; }

typedef struct {
    uintptr_t id;
    size_t segments;  // that still have another
} brawn_owner_t;

static bool brawn_page_owned(mi_heap_t *heap, mi_page_queue_t *queue, mi_page_t *page, void *a, void *b) {
    MI_UNUSED(heap);
    MI_UNUSED(queue);
    MI_UNUSED(b);
    brawn_owner_t *const owner = a;
    mi_segment_t *const segment = _mi_page_segment(page);
    if (mi_atomic_load_relaxed(&segment->thread_id) == owner->id) return true;
    mi_atomic_store_relaxed(&segment->thread_id, owner->id);
    return --owner->segments > 0;
}

// Makes `id` the owner of a heap's segments.  Each of them has a page, since a segment without pages is given up.
static NOINLINE void brawn_heap_owned(mi_heap_t *heap, uintptr_t id) {
    brawn_owner_t owner = {id, heap->tld->segments.count};
    mi_heap_visit_pages(heap, &brawn_page_owned, true, &owner, NULL);
}

typedef struct {
    size_t blocks, bytes;
} brawn_in_use_t;

// Counts what is in use, until it is too much.
static bool brawn_page_counted(mi_heap_t *heap, mi_page_queue_t *queue, mi_page_t *page, void *a, void *b) {
    MI_UNUSED(heap);
    MI_UNUSED(queue);
    MI_UNUSED(b);
    brawn_in_use_t *const used = a;
    used->blocks += page->used;
    used->bytes += page->used * page->block_size;
    return used->blocks <= BRAWN_POOL_BLOCKS;
}

// Whether the next thread shall have the heap as it is: if it has few blocks in use, or many that fill half of its segments.  Then a table that goes
// to the next thread stays in one heap, and not much that is free waits with it.
static bool brawn_pool_suits(mi_heap_t *heap) {
    brawn_in_use_t used = {0, 0};
    if (!mi_heap_visit_pages(heap, &brawn_page_counted, true, &used, NULL)) return false;
    return used.blocks <= BRAWN_POOL_FEW || used.bytes >= heap->tld->segments.count * (MI_SEGMENT_SIZE / 2);
}

// How much all heaps that wait may weigh together: at least two for each thread that has a heap now.  So a server with many requests at once
// does not take apart and build a heap for each request.
static size_t brawn_pool_room(void) {
    const size_t threads = mi_atomic_load_relaxed(&brawn_threads_count);
    return 2 * threads > BRAWN_POOL ? 2 * threads : BRAWN_POOL;
}

// Gives the calling thread's heap to the next thread; false: enough wait already, or too much in it is in use.
static bool brawn_pool_give(mi_heap_t *heap) {
    // Several threads may come here at once: so many more may then wait.
    if (mi_atomic_load_relaxed(&brawn_pool_weight) + brawn_pool_weighs(heap) > brawn_pool_room()) return false;
    if (heap == &_mi_heap_main || brawn_options.keep_free == 0) return false;
    if (mi_atomic_load_relaxed(&brawn_key_state) == KEY_GONE) return false;  // no thread comes any more
    brawn_parcels_collect(heap);
    if (!brawn_pool_suits(heap)) return false;
    const uintptr_t id = (uintptr_t)heap | 1;
    brawn_sums_finish(heap);
    brawn_heap = NULL;  // before another thread may have it: a signal handler that allocates now makes a heap of its own
    brawn_heap_owned(heap, id);
    brawn_thread_t *const thread = (brawn_thread_t *)heap;
    mi_lock(&brawn_abandoned_lock) {
        brawn_thread_delist(thread);
        heap->thread_id = id;
        thread->next = brawn_pool;
        brawn_pool = thread;
        mi_atomic_store_relaxed(&brawn_pool_weight, mi_atomic_load_relaxed(&brawn_pool_weight) + brawn_pool_weighs(heap));
    }
    return true;
}

// Under the lock.
static brawn_thread_t *brawn_pool_pop(void) {
    brawn_thread_t *const thread = brawn_pool;
    if (thread == NULL) return NULL;
    brawn_pool = thread->next;
    mi_atomic_store_relaxed(&brawn_pool_weight, mi_atomic_load_relaxed(&brawn_pool_weight) - brawn_pool_weighs(&thread->heap));
    return thread;
}

// A heap for the calling thread: one that an ended thread with the same pointer left, or else one that was handed on; NULL: there is none.
static brawn_thread_t *brawn_thread_again(uintptr_t own) {
    brawn_thread_t *thread;
    bool is_handed = false;
    mi_lock(&brawn_abandoned_lock) {
        thread = brawn_thread_left(own);
        if (thread == NULL) {
            thread = brawn_pool_pop();
            is_handed = thread != NULL;
        }
        if (is_handed) {
            mi_atomic_store_relaxed(&brawn_pool_serves, (uintptr_t)1);
            thread->heap.thread_id = own;
            brawn_thread_enlist(thread);
        }
    }
    if (is_handed) brawn_heap_owned(&thread->heap, own);
    return thread;
}

// A thread gives its heap up: what is in use becomes nobody's.
static NOINLINE void brawn_heap_leave(mi_heap_t *heap) {
    brawn_parcels_collect(heap);  // first: of full pages, these blocks go to the lists that are released next
    brawn_spans_release();
    brawn_heap_abandon(heap);
}

// Gives up heaps that wait until the others weigh at most `room`.  Their blocks in use become nobody's; their free memory is given back.
static SELDOM NOINLINE void brawn_pool_leave(size_t room) {
    mi_heap_t *const own = brawn_heap;
    while (mi_atomic_load_relaxed(&brawn_pool_weight) > room) {
        brawn_thread_t *thread;
        mi_lock(&brawn_abandoned_lock) { thread = brawn_pool_pop(); }
        if (thread == NULL) break;
        brawn_heap = &thread->heap;
        brawn_heap_leave(&thread->heap);
        brawn_sums_finish(&thread->heap);
        brawn_heap = own;
        brawn_thread_give(thread);
    }
}

static void brawn_pool_release(void) { brawn_pool_leave(0); }

// The process is about to have more segments than ever.  Where no new threads take what waits, others have it now.
static void brawn_pool_before_more(void) {
    if (mi_atomic_exchange_relaxed(&brawn_pool_serves, (uintptr_t)0) == 0) brawn_pool_release();
}

// Fewer threads go on than before: fewer heaps wait for others.
static void brawn_pool_trim(void) {
    const size_t room = brawn_pool_room();
    if (mi_unlikely(mi_atomic_load_relaxed(&brawn_pool_weight) > room)) brawn_pool_leave(room);
}

// In the child of a fork, under the lock.
static void brawn_pool_in_child(void) {
    for (brawn_thread_t *thread = brawn_pool; thread != NULL; thread = thread->next) brawn_heap_in_child(&thread->heap);
}
