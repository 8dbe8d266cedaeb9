// Blocks of at most MI_SMALL_SIZE_MAX that a thread frees, and that belong to another thread.
//
// In the engine such a block goes onto a list of its page.  There the thread that frees it waits for three lines of the processor's cache that the
// owner wrote last: the page's list, what else the page's description has, and the block, whose first word becomes a link.  The owner then
// waits for the same lines again.
//
// Here a thread collects the addresses, and hands them over seven at a time, as one line of the cache.  The block is not written to, nor is its
// page read: that it is small, its segment says.
//
// An inbox has a fixed number of parcels.  Who hands one over takes an empty one (a bit of `taken`), fills it, and says so (the same bit of
// `ready`).  Who empties the inbox takes all that are ready by an exchange.  So nobody waits, and a fork at any instant leaves nothing
// locked.  If all are full, blocks go the engine's way; in the child of a fork those stay taken that somebody was just filling or emptying.
//
// Inboxes belong to thread pointers, not to heaps: a few threads of many share one, and an inbox outlives its threads.  What an inbox has for
// another thread than the one that empties it goes the engine's way, too.

enum {
    BRAWN_INBOXES = 1024,
    BRAWN_INBOX_WORDS = 4,
    BRAWN_INBOX_EACH = 8 * sizeof(uintptr_t),
};

typedef struct brawn_inbox_s {
    _Alignas(64) _Atomic(uintptr_t) taken[BRAWN_INBOX_WORDS];
    _Atomic(uintptr_t) ready[BRAWN_INBOX_WORDS];
    _Alignas(64) struct brawn_inbox_s *next;  // in the list of all
    _Alignas(64) brawn_parcel_t parcels[BRAWN_INBOX_WORDS][BRAWN_INBOX_EACH];
} brawn_inbox_t;
_Static_assert(sizeof(brawn_parcel_t) == 64 && offsetof(brawn_inbox_t, parcels) == 128, "what threads share is in lines of its own");

// By number.  Each is mapped when something is handed over first; NULL: not yet.
static _Atomic(brawn_inbox_t *) brawn_inboxes[BRAWN_INBOXES] LATE;
// The one that was made last; NULL: none, as in programs without threads.
static _Atomic(brawn_inbox_t *) brawn_inboxes_last;

// The number of a thread's inbox.
static inline uint32_t brawn_inbox_of(uintptr_t thread) { return brawn_thread_number(thread, BRAWN_INBOXES); }
_Static_assert((BRAWN_INBOXES & (BRAWN_INBOXES - 1)) == 0, "as brawn_thread_number asks");

static size_t brawn_inbox_size(void) { return _mi_align_up(sizeof(brawn_inbox_t), brawn_page_size); }

// NULL: no memory.
static SELDOM NOINLINE brawn_inbox_t *brawn_inbox_make(uint32_t number) {
    brawn_inbox_t *made = brawn_map(NULL, brawn_inbox_size(), PROT_RW_), *none = NULL;
    if (made == NULL) return NULL;
    if (!mi_atomic_cas_strong_acq_rel(&brawn_inboxes[number], &none, made)) {
        brawn_unmap(made, brawn_inbox_size());
        return none;
    }
    brawn_inbox_t *last = mi_atomic_load_relaxed(&brawn_inboxes_last);
    do made->next = last;
    while (!mi_atomic_cas_weak_acq_rel(&brawn_inboxes_last, &last, made));
    return made;
}

// Frees a block of another thread, or of an ended one, as the engine does.
static NOINLINE void brawn_free_by_engine(void *p) {
    mi_segment_t *const segment = brawn_segment(p);
    brawn_engine_free_remote(_mi_segment_page_of(segment, p), segment, p);
}

// Hands over what is in `parcel`, which is empty after that.
static SELDOM NOINLINE void brawn_parcel_send(brawn_parcel_t *parcel) {
    brawn_inbox_t *inbox = mi_atomic_load_acquire(&brawn_inboxes[parcel->inbox]);
    if (mi_unlikely(inbox == NULL)) inbox = brawn_inbox_make(parcel->inbox);
    for (size_t word = 0; inbox != NULL && word < BRAWN_INBOX_WORDS; word++) {
        uintptr_t taken = mi_atomic_load_relaxed(&inbox->taken[word]);
        while (taken != UINTPTR_MAX) {
            const uintptr_t place = ~taken & (taken + 1);
            if (!mi_atomic_cas_weak_acq_rel(&inbox->taken[word], &taken, taken | place)) continue;
            inbox->parcels[word][mi_ctz(place)] = *parcel;
            mi_atomic_or_acq_rel(&inbox->ready[word], place);
            parcel->count = 0;
            return;
        }
    }
    while (parcel->count > 0) brawn_free_by_engine(parcel->blocks[--parcel->count]);
}

// Where the calling thread collects; NULL: it does not.  A thread begins once it has freed some blocks of others, and gets a heap for it if it has none:
// many threads free one, which their function came in, and nothing else.
static SELDOM NOINLINE brawn_parcel_t *brawn_parcels_begin(void) {
    if (brawn_heap == NULL) {
#if BRAWN_SHARED
        return NULL;
#else
        static __thread uint8_t freed __attribute__((tls_model(ARCH_TLS_MODEL)));
        if (brawn_exit_rounds != 0 || ++freed < BRAWN_PARCELS_LEAST || brawn_thread_start() == NULL) return NULL;
#endif
    }
    brawn_tld_t *const own = (brawn_tld_t *)brawn_heap->tld;
    if (++own->foreign < BRAWN_PARCELS_LEAST) return NULL;
    return own->parcels = brawn_heap == &_mi_heap_main ? brawn_main_parcels : ((brawn_thread_t *)brawn_heap)->parcels;
}

// Collects a block of the thread with this pointer.  false: it is to go another way.
static inline bool brawn_parcel_add(uintptr_t owner, void *p) {
    // Nobody's, or in a heap that waits for its next thread (pool.c).
    if (owner == 0 || (owner & 1) != 0) return false;
    brawn_tld_t *own = brawn_own_or_none();
    if (mi_unlikely(own == NULL || own->parcels == NULL)) {
        if (brawn_parcels_begin() == NULL) return false;
        own = brawn_own_or_none();
    }
    const uint32_t inbox = brawn_inbox_of(owner), place = inbox % BRAWN_PARCELS;  // (a few of the owners share one)
    brawn_parcel_t *const parcel = &own->parcels[place];
    if (mi_unlikely(parcel->inbox != inbox && parcel->count > 0)) brawn_parcel_send(parcel);
    if (parcel->count == 0) {
        parcel->inbox = inbox;
        own->parcels_begun |= (uint64_t)1 << place;
        own->freed = BRAWN_FREED;  // the turn before a wait is to send it
    }
    parcel->blocks[parcel->count++] = p;
    if (mi_unlikely(parcel->count == BRAWN_PARCEL)) brawn_parcel_send(parcel);
    return true;
}

// Frees what is in a parcel.
static void brawn_parcel_empty(const brawn_parcel_t *parcel, uintptr_t self) {
    // Another processor read these blocks: their lines come at once instead of one after the other.
    for (uint32_t i = 0; i < parcel->count; i++) arch_prefetch_write(parcel->blocks[i]);
    for (uint32_t i = 0; i < parcel->count; i++) {
        void *const p = parcel->blocks[i];
        mi_segment_t *const segment = brawn_segment(p);
        if (mi_likely(mi_atomic_load_relaxed(&segment->thread_id) == self)) brawn_free_own(segment, p);
        else brawn_free_by_engine(p);
    }
}

// Frees what is in an inbox.  (For few bytes: so are the others here, and it takes no more time.)
static SELDOM NOINLINE void brawn_inbox_empty(brawn_inbox_t *inbox) {
    for (size_t word = 0; word < BRAWN_INBOX_WORDS; word++) {
        if (mi_atomic_load_relaxed(&inbox->ready[word]) == 0) continue;
        const uintptr_t all = mi_atomic_exchange_acq_rel(&inbox->ready[word], (uintptr_t)0);
        for (uintptr_t ready = all; ready != 0; ready &= ready - 1)
            brawn_parcel_empty(&inbox->parcels[word][mi_ctz(ready)], _mi_prim_thread_id());
        mi_atomic_and_acq_rel(&inbox->taken[word], ~all);
    }
}

// What others freed of the calling thread's blocks comes back.
static NOINLINE void brawn_parcels_look(void) {
    brawn_inbox_t *const inbox = mi_atomic_load_acquire(&brawn_inboxes[brawn_inbox_of(_mi_prim_thread_id())]);
    // (The first word is filled first.)
    if (inbox != NULL && mi_atomic_load_relaxed(&inbox->ready[0]) != 0) brawn_inbox_empty(inbox);
}
static inline void brawn_parcels_receive(void) {
    if (mi_unlikely(mi_atomic_load_relaxed(&brawn_inboxes_last) != NULL)) brawn_parcels_look();
}

// Before a heap's pages are looked through, or it goes to another thread: nothing is left in its parcels, or on its way to the calling thread.
static SELDOM void brawn_parcels_collect(const mi_heap_t *heap) {
    brawn_tld_t *const own = (brawn_tld_t *)heap->tld;
    for (; own->parcels_begun != 0; own->parcels_begun &= own->parcels_begun - 1) {
        brawn_parcel_t *const parcel = &own->parcels[mi_ctz(own->parcels_begun)];
        if (parcel->count > 0) brawn_parcel_send(parcel);
    }
    brawn_parcels_receive();
}

// What is in all inboxes, also in those of threads that have ended.
static SELDOM void brawn_parcels_release(void) {
    for (brawn_inbox_t *inbox = mi_atomic_load_acquire(&brawn_inboxes_last); inbox != NULL; inbox = inbox->next) brawn_inbox_empty(inbox);
}

#if BRAWN_SHARED
// The object is unloaded: inboxes go back to the kernel.  Where threads still have heaps, at exit, they may be using them.
static SELDOM void brawn_parcels_unload(void) {
    if (mi_atomic_load_relaxed(&brawn_threads_count) != 0) return;
    brawn_inbox_t *inbox = mi_atomic_exchange_acq_rel(&brawn_inboxes_last, NULL);
    for (size_t i = 0; inbox != NULL && i < BRAWN_INBOXES; i++) mi_atomic_store_relaxed(&brawn_inboxes[i], NULL);
    while (inbox != NULL) {
        brawn_inbox_t *const next = inbox->next;
        brawn_unmap(inbox, brawn_inbox_size());
        inbox = next;
    }
}
#endif
