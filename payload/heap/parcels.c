// Blocks of at most MI_SMALL_SIZE_MAX that a thread frees, and that belong to another thread.
//
// In the engine such a block goes onto a list of its page.  There the thread that frees it waits for three lines of the processor's cache that the
// owner wrote last: the page's list, what else the page's description has, and the block, whose first word becomes a link.  The owner then
// waits for the same lines again, one after the other.
//
// Here a thread collects the addresses, and hands them over seven at a time.  One of the seven blocks carries the addresses of the others: its
// first word is the carrier that was handed over before, with the number of addresses that follow in its low bits.  (A block of 16 bytes carries one
// address, so there it takes four of them.)  The other blocks are not written to, nor is their page read: that they are small, their segment says.
//
// An inbox is the first word of such a chain.  Who hands something over exchanges it, if nobody else did meanwhile; who empties it takes all.  So
// nobody waits, a chain has room for any number of blocks, and a fork at any instant leaves nothing locked and nothing lost.
//
// Inboxes belong to thread pointers, not to heaps: a few threads of many share one, and an inbox outlives its threads.  What an inbox has for
// another thread than the one that empties it goes the engine's way.

enum {
    BRAWN_INBOXES = 1024,
    BRAWN_CARRIED = MI_MAX_ALIGN_SIZE - 1,  // of a word of a chain: how many addresses follow
    BRAWN_CHAIN_EACH = 1024,  // that many blocks are freed before malloc goes on
};
_Static_assert(BRAWN_PARCEL - 1 <= BRAWN_CARRIED && BRAWN_PARCEL * sizeof(uintptr_t) <= 64, "their number fits, and a block of a line carries a parcel");

// By number; four to a line of the cache, which few threads of many share.
typedef struct {
    _Alignas(16) _Atomic(uintptr_t) chain;
} brawn_inbox_t;
static brawn_inbox_t brawn_inboxes[BRAWN_INBOXES] LATE;
// Whether anything was ever handed over.
static _Atomic(uintptr_t) brawn_parcels_sent;

// The number of a thread's inbox.
static inline uint32_t brawn_inbox_of(uintptr_t thread) { return brawn_thread_number(thread, BRAWN_INBOXES); }
_Static_assert((BRAWN_INBOXES & (BRAWN_INBOXES - 1)) == 0, "as brawn_thread_number asks");

// Frees a block of another thread, or of an ended one, as the engine does.
static NOINLINE void brawn_free_by_engine(void *p) {
    mi_segment_t *const segment = brawn_segment(p);
    brawn_engine_free_remote(_mi_segment_page_of(segment, p), segment, p);
}

// Hands over what is in `parcel`, which is empty after that.
static SELDOM NOINLINE void brawn_parcel_send(brawn_parcel_t *parcel) {
    _Atomic(uintptr_t) *const chain = &brawn_inboxes[parcel->inbox].chain;
    uintptr_t first = 0, *last = NULL;
    while (parcel->count > 0) {
        uintptr_t *const carrier = parcel->blocks[--parcel->count];
        const size_t room = brawn_carries(brawn_segment(carrier), carrier);
        const size_t count = parcel->count < room ? parcel->count : room;
        for (size_t i = 0; i < count; i++) carrier[1 + i] = (uintptr_t)parcel->blocks[--parcel->count];
        carrier[0] = first;
        if (last == NULL) last = carrier;
        first = (uintptr_t)carrier | count;
    }
    uintptr_t before = mi_atomic_load_relaxed(chain);
    do *last = before;
    while (!mi_atomic_cas_weak_acq_rel(chain, &before, first));
    if (mi_unlikely(mi_atomic_load_relaxed(&brawn_parcels_sent) == 0)) mi_atomic_store_relaxed(&brawn_parcels_sent, (uintptr_t)1);
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

// Frees what a chain has, until it was `most` blocks; returns what is left of it.
static SELDOM NOINLINE uintptr_t brawn_chain_empty(uintptr_t chain, size_t most) {
    const uintptr_t self = _mi_prim_thread_id();
    while (chain != 0 && most > 0) {
        uintptr_t *const carrier = (uintptr_t *)(chain & ~(uintptr_t)BRAWN_CARRIED);
        const size_t count = (chain & BRAWN_CARRIED) + 1;
        void *blocks[BRAWN_PARCEL];
        chain = carrier[0];
        // Another processor read these blocks: their lines come at once instead of one after the other.
        arch_prefetch_write((void *)chain);
        blocks[0] = carrier;
        for (size_t i = 1; i < count; i++) arch_prefetch_write(blocks[i] = (void *)carrier[i]);
        for (size_t i = 0; i < count; i++) {
            mi_segment_t *const segment = brawn_segment(blocks[i]);
            if (mi_likely(mi_atomic_load_relaxed(&segment->thread_id) == self)) brawn_free_own(segment, blocks[i]);
            else brawn_free_by_engine(blocks[i]);
        }
        most = most > count ? most - count : 0;
    }
    return chain;
}

// The chain of an inbox; 0: it has none.
static inline uintptr_t brawn_inbox_take(brawn_inbox_t *inbox) {
    return mi_atomic_load_relaxed(&inbox->chain) == 0 ? 0 : mi_atomic_exchange_acq_rel(&inbox->chain, (uintptr_t)0);
}

// What others freed of the calling thread's blocks comes back: what was left the last time, or else what came since.
static NOINLINE void brawn_parcels_look(size_t most) {
    brawn_tld_t *const own = (brawn_tld_t *)brawn_heap->tld;
    if (own->chain == 0) own->chain = brawn_inbox_take(&brawn_inboxes[brawn_inbox_of(_mi_prim_thread_id())]);
    if (own->chain != 0) own->chain = brawn_chain_empty(own->chain, most);
}
static inline void brawn_parcels_receive(size_t most) {
    if (mi_unlikely(mi_atomic_load_relaxed(&brawn_parcels_sent) != 0)) brawn_parcels_look(most);
}

// Before a heap's pages are looked through, or it goes to another thread: nothing is left in its parcels, or on its way to its thread.  (Not so for
// a heap that an ended thread left, pool.c: what comes back to the calling thread would wait in that heap's lists, and be lost with them.)
static SELDOM void brawn_parcels_collect(const mi_heap_t *heap) {
    brawn_tld_t *const own = (brawn_tld_t *)heap->tld;
    for (; own->parcels_begun != 0; own->parcels_begun &= own->parcels_begun - 1) {
        brawn_parcel_t *const parcel = &own->parcels[mi_ctz(own->parcels_begun)];
        if (parcel->count > 0) brawn_parcel_send(parcel);
    }
    if (mi_atomic_load_relaxed(&brawn_parcels_sent) == 0 || heap->thread_id != _mi_prim_thread_id()) return;
    brawn_parcels_look(SIZE_MAX);
    brawn_parcels_look(SIZE_MAX);  // what came since
}

// What is in all inboxes, also in those of threads that have ended.
static SELDOM void brawn_parcels_release(void) {
    if (mi_atomic_load_relaxed(&brawn_parcels_sent) == 0) return;
    for (size_t i = 0; i < BRAWN_INBOXES; i++) brawn_chain_empty(brawn_inbox_take(&brawn_inboxes[i]), SIZE_MAX);
}
