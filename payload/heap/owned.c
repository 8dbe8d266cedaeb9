// Slots for mappings of large blocks that were freed, and those of each thread: the mappings that it freed last wait there for its next blocks
// (cache.c has those of all threads).

// A slot is empty, or holds a mapping and a copy of its size, which another thread may read while it changes: a hint, checked by who takes it.
// Taking and giving is one exchange, so that a fork at any instant leaves nothing locked.
struct brawn_kept_large_s {
    _Alignas(32) _Atomic(mi_segment_t *) segment;
    _Atomic(uintptr_t) size;
    _Atomic(uintptr_t) since;  // arch_clock, when it was given; 0: it is for who looks first to say
    _Atomic(uintptr_t) purged;  // whether it is, as the segment says
};

// Each thread's own slots, for mappings that it freed, in a line of the processor's cache of its own.  Nothing that threads share changes
// when a thread takes and frees one block over and over.  So brawn_kept_large_bytes does not count these.  Only the thread itself fills its slots,
// which takes no more than a store.  Other threads may empty them.
enum {
    BRAWN_OWN_LARGE_EACH = 2,
    BRAWN_OWN_LARGE_NONE = 255,
};
static brawn_kept_large_t brawn_own_large[BRAWN_OWN_LARGE * BRAWN_OWN_LARGE_EACH] LATE __attribute__((aligned(64)));
static _Atomic(uintptr_t) brawn_own_large_claimed;  // a bit for each thread that has slots
static _Atomic(uintptr_t) brawn_own_large_count;  // so many slots from the first one on were ever a thread's
_Static_assert(BRAWN_OWN_LARGE_EACH * sizeof(brawn_kept_large_t) == 64 && BRAWN_OWN_LARGE < 8 * sizeof(uintptr_t), "a line and a bit each");

// The next number that no thread has, from 1 on.
static SELDOM NOINLINE uint8_t brawn_own_large_claim(void) {
    uintptr_t claimed = mi_atomic_load_relaxed(&brawn_own_large_claimed);
    size_t number;
    do {
        number = mi_ctz(~claimed);
        if (number >= BRAWN_OWN_LARGE) return BRAWN_OWN_LARGE_NONE;
    } while (!mi_atomic_cas_weak_acq_rel(&brawn_own_large_claimed, &claimed, claimed | (uintptr_t)1 << number));
    uintptr_t count = mi_atomic_load_relaxed(&brawn_own_large_count);
    const uintptr_t least = (number + 1) * BRAWN_OWN_LARGE_EACH;
    while (count < least && !mi_atomic_cas_weak_acq_rel(&brawn_own_large_count, &count, least)) continue;
    return (uint8_t)(number + 1);
}

// The bit of a thread's slots; 0: it has none.
static uintptr_t brawn_own_large_bit(const brawn_tld_t *own) {
    return own->own_large == 0 || own->own_large == BRAWN_OWN_LARGE_NONE ? 0 : (uintptr_t)1 << (own->own_large - 1);
}

// The thread's heap ends.  What is in its slots waits there for whoever has them next, or looks for such a mapping.
static void brawn_own_large_leave(const brawn_tld_t *own) {
    mi_atomic_and_acq_rel(&brawn_own_large_claimed, ~brawn_own_large_bit(own));
}

// In the child of a fork, under the lock: other threads are not here, but heaps that wait for a thread are.
static SELDOM void brawn_own_large_in_child(void) {
    const brawn_tld_t *const own = brawn_own_or_none();
    uintptr_t claimed = own != NULL ? brawn_own_large_bit(own) : 0;
    for (const brawn_thread_t *thread = brawn_pool; thread != NULL; thread = thread->next) claimed |= brawn_own_large_bit(&thread->own);
    mi_atomic_store_relaxed(&brawn_own_large_claimed, claimed);
}

// The number of the calling thread; 0: it has no slots.
static inline INLINED size_t brawn_own_large_number(void) {
    brawn_tld_t *const own = brawn_own_or_none();
    if (own == NULL) return 0;
    if (mi_unlikely(own->own_large == 0)) own->own_large = brawn_own_large_claim();
    return own->own_large == BRAWN_OWN_LARGE_NONE ? 0 : own->own_large;
}

// The first one of the thread's slots, when it is asked for first; NULL: it has none.
static SELDOM NOINLINE brawn_kept_large_t *brawn_own_large_first(void) {
    const size_t number = brawn_own_large_number();
    if (number == 0) return NULL;
    return brawn_own_or_none()->own_slots = &brawn_own_large[(number - 1) * BRAWN_OWN_LARGE_EACH];
}

// The first one of the thread's slots; NULL: it has none.
static inline INLINED brawn_kept_large_t *brawn_own_large_slots(void) {
    const brawn_tld_t *const own = brawn_own_or_none();
    return mi_likely(own != NULL && own->own_slots != NULL) ? own->own_slots : brawn_own_large_first();
}

// Each slot with a mapping that was ever a thread's.
static brawn_kept_large_t *brawn_own_large_next(brawn_kept_large_t *slot) {
    brawn_kept_large_t *const end = brawn_own_large + mi_atomic_load_relaxed(&brawn_own_large_count);
    while (slot < end && mi_atomic_load_relaxed(&slot->segment) == NULL) slot++;
    return slot < end ? slot : NULL;
}
#define BRAWN_EACH_OWN_LARGE(slot) for (brawn_kept_large_t *slot = brawn_own_large_next(brawn_own_large); slot != NULL; slot = brawn_own_large_next(slot + 1))

// How many bytes wait in them.
static size_t brawn_own_large_bytes(void) {
    size_t bytes = 0;
    BRAWN_EACH_OWN_LARGE(slot)
    bytes += mi_atomic_load_relaxed(&slot->size);
    return bytes;
}

static mi_segment_t *brawn_kept_large_empty(brawn_kept_large_t *slot);  // cache.c

// One of the thread's own slots, if it is empty and for such a mapping; else NULL.  With threads, a larger one than BRAWN_OWN_LARGE_MOST is
// shared at first: to have its memory made for each of them takes longer than to wait for another one's line of the processor's cache.  A
// thread that has waited as often as the mapping has pages has paid as much, and goes on with its own.  What only the first slot takes comes there
// also if a smaller mapping is in it, which moves to the second one.
static inline INLINED brawn_kept_large_t *brawn_own_large_for(const mi_segment_t *segment) {
    const size_t size = segment->segment_size;
    brawn_kept_large_t *const own = size <= BRAWN_KEPT_LARGE_ONE ? brawn_own_large_slots() : NULL;
    if (own == NULL) return NULL;
    const mi_segment_t *const first_has = mi_atomic_load_relaxed(&own->segment), *const second_has = mi_atomic_load_relaxed(&own[1].segment);
    if (mi_unlikely(first_has == segment || second_has == segment)) __builtin_trap();  // freed twice: two blocks would be in one place
    const bool unshared = size <= BRAWN_OWN_LARGE_MOST || mi_atomic_load_relaxed(&brawn_threads_count) == 0;
    return mi_likely(first_has == NULL && unshared) ? own : brawn_own_large_other(own, size, unshared);
}

// The same where the first slot has a mapping, or the mapping is shared at first.
static SELDOM NOINLINE brawn_kept_large_t *brawn_own_large_other(brawn_kept_large_t *own, size_t size, bool unshared) {
    const bool first = mi_atomic_load_relaxed(&own->segment) == NULL, second = mi_atomic_load_relaxed(&own[1].segment) == NULL;
    if (first) {
        uint16_t *const shared = &brawn_own_or_none()->large_shared;
        if (*shared >= size / MI_SEGMENT_SLICE_SIZE) return own;
        ++*shared;
        return NULL;
    }
    if (!second) return NULL;
    if (size <= BRAWN_OWN_LARGE_SECOND) return own + 1;
    if (!unshared || mi_atomic_load_relaxed(&own->size) > BRAWN_OWN_LARGE_SECOND) return NULL;
    mi_segment_t *const smaller = brawn_kept_large_empty(own);
    if (smaller != NULL) brawn_own_large_give(own + 1, smaller);
    return own;
}

// Takes what `free` gives, into that slot.
static inline INLINED void brawn_own_large_give(brawn_kept_large_t *slot, mi_segment_t *segment) {
    if (mi_unlikely(mi_atomic_load_relaxed(&brawn_freed_for_all) != BRAWN_FREED)) brawn_note_freed_for_all();
    mi_atomic_store_relaxed(&slot->size, segment->segment_size);
    mi_atomic_store_relaxed(&slot->since, (uintptr_t)0);
    mi_atomic_store_release(&slot->segment, segment);
}

// Whether this mapping, which waits, may serve a block: in a checked profile not the one that was freed last, since somebody may still use that.
static inline bool brawn_kept_large_may(const mi_segment_t *segment) {
#if BRAWN_CHECKED
    return segment != mi_atomic_load_relaxed(&brawn_large_last);
#else
    MI_UNUSED(segment);
    return true;
#endif
}

// How many bytes the mapping in a slot has that may be taken; 0: none.
static inline size_t brawn_kept_large_has(const brawn_kept_large_t *slot) {
    const mi_segment_t *const segment = mi_atomic_load_relaxed(&slot->segment);
    return segment != NULL && brawn_kept_large_may(segment) ? mi_atomic_load_relaxed(&slot->size) : 0;
}

// The smaller mapping in the thread's own slots, of those that have `least` to `most` bytes.
static NOINLINE mi_segment_t *brawn_own_large_take(size_t least, size_t most) {
    const brawn_tld_t *const own = brawn_own_or_none();
    brawn_kept_large_t *const slots = own != NULL ? own->own_slots : NULL;
    if (slots == NULL) return NULL;
    const size_t first = brawn_kept_large_has(slots), second = brawn_kept_large_has(slots + 1), range = most - least;
    const bool fits = first - least <= range, other = second - least <= range && (!fits || second < first);
    if (!fits && !other) return NULL;
    return mi_atomic_exchange_acq_rel(&slots[other].segment, NULL);  // which brawn_kept_large_bytes does not count
}
