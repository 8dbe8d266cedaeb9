// The cache of large blocks: mappings whose block was freed wait here for the next block, which then needs no system call
// and no page fault.
//
// At most three times what is in use waits, and no less than BRAWN_KEPT_LARGE_MIN and the allowance (allowance.c).
//
// A mapping serves blocks of down to half its size.  It serves smaller ones, too, where the process would grow beyond its peak
// otherwise, again and again.  If its own size is needed then, the rest of the mapping is cut off (slack.c): no small block holds a large one's memory.

static brawn_kept_large_t brawn_kept_large[BRAWN_KEPT_LARGE] LATE;
static _Atomic(uintptr_t) brawn_kept_large_bytes;
static _Atomic(uintptr_t) brawn_purged_large_bytes;  // so many of them the kernel has back

// How many bytes wait in all.
static size_t brawn_large_waiting(void) { return mi_atomic_load_relaxed(&brawn_kept_large_bytes) + brawn_own_large_bytes(); }

static inline bool brawn_kept_large_is_shared(const brawn_kept_large_t *slot) {
    return slot >= brawn_kept_large && slot < brawn_kept_large + BRAWN_KEPT_LARGE;
}

static size_t brawn_large_most(void);

// How many bytes of a purged mapping the kernel has back.
static inline size_t brawn_purged_bytes(const mi_segment_t *segment) { return segment->segment_size - brawn_page_size; }

// How many bytes wait in the slots of all threads, without what the kernel has back.
static inline size_t brawn_kept_large_held(void) {
    const size_t all = mi_atomic_load_relaxed(&brawn_kept_large_bytes), purged = mi_atomic_load_relaxed(&brawn_purged_large_bytes);
    return all > purged ? all - purged : 0;  // other threads change them in between
}

static mi_segment_t *brawn_kept_large_empty(brawn_kept_large_t *slot) {
    mi_segment_t *const segment = mi_atomic_exchange_acq_rel(&slot->segment, NULL);
    if (segment != NULL && brawn_kept_large_is_shared(slot)) {
        mi_atomic_sub_relaxed(&brawn_kept_large_bytes, segment->segment_size);
        if (mi_unlikely(segment->large_purged)) mi_atomic_sub_relaxed(&brawn_purged_large_bytes, brawn_purged_bytes(segment));
    }
    return segment;
}

// A mapping that was in a slot, so that a block can be in it.  NULL: there was none, or a checked profile had closed it and the kernel does not open
// it again; then it is released.
static mi_segment_t *brawn_kept_large_open(mi_segment_t *segment) {
#if BRAWN_CHECKED
    if (segment != NULL && !brawn_large_open(segment)) {
        brawn_large_release(segment);
        return NULL;
    }
#endif
    return segment;
}

// false: no slot is empty.
static bool brawn_kept_large_fill(mi_segment_t *segment, uintptr_t now) {
    const size_t size = segment->segment_size;
    const bool purged = segment->large_purged;
    if (mi_unlikely(purged)) mi_atomic_add_relaxed(&brawn_purged_large_bytes, brawn_purged_bytes(segment));
    for (size_t i = 0; i < BRAWN_KEPT_LARGE; i++) {
        brawn_kept_large_t *const slot = &brawn_kept_large[i];
        mi_segment_t *empty = NULL;
        if (mi_atomic_load_relaxed(&slot->segment) != NULL) continue;
        mi_atomic_store_relaxed(&slot->size, size);
        mi_atomic_store_relaxed(&slot->since, now);
        mi_atomic_store_relaxed(&slot->purged, (uintptr_t)purged);
        mi_atomic_add_relaxed(&brawn_kept_large_bytes, size);
        if (mi_atomic_cas_strong_acq_rel(&slot->segment, &empty, segment)) return true;
        mi_atomic_sub_relaxed(&brawn_kept_large_bytes, size);
    }
    if (purged) mi_atomic_sub_relaxed(&brawn_purged_large_bytes, brawn_purged_bytes(segment));
    return false;
}

// Gives a mapping that was in a slot back to the kernel, but for its first page and its place, and keeps the place: where all mappings take no more
// than the most that was in use.  So a block of which little is written to comes and goes without a page fault.
// false: it is to be released.
static SELDOM bool brawn_kept_large_purge(mi_segment_t *segment, uintptr_t since) {
    const size_t size = segment->segment_size;
    if (segment->large_purged || mi_atomic_load_relaxed(&brawn_large_bytes) > brawn_large_most()) return false;
    if (size > brawn_page_size && !brawn_discard((uint8_t *)segment + brawn_page_size, size - brawn_page_size)) return false;  // its pages are locked
    segment->large_purged = true;
    return brawn_kept_large_fill(segment, since);
}

// The next slot with a mapping, from `slot` on; NULL: there is none.  `left` bytes of mappings were not seen yet: most programs keep few, in the
// first slots, and the others are not looked at.
static brawn_kept_large_t *brawn_kept_large_next(brawn_kept_large_t *slot, size_t *left) {
    for (; *left > 0 && slot < brawn_kept_large + BRAWN_KEPT_LARGE; slot++) {
        if (mi_atomic_load_relaxed(&slot->segment) == NULL) continue;
        const size_t size = mi_atomic_load_relaxed(&slot->size);
        *left -= size < *left ? size : *left;
        return slot;
    }
    return NULL;
}
#define BRAWN_EACH_KEPT_LARGE(slot)                                \
    size_t left = mi_atomic_load_relaxed(&brawn_kept_large_bytes); \
    for (brawn_kept_large_t *slot = brawn_kept_large_next(brawn_kept_large, &left); slot != NULL; slot = brawn_kept_large_next(slot + 1, &left))

// How long a slot's mapping waits, in units of arch_clock.
static size_t brawn_kept_large_age(brawn_kept_large_t *slot, uintptr_t now) {
    const uintptr_t since = mi_atomic_load_relaxed(&slot->since);
    if (since == 0) mi_atomic_store_relaxed(&slot->since, now);
    return since == 0 || since > now ? 0 : now - since;
}

static brawn_kept_large_t *brawn_kept_large_older(brawn_kept_large_t *a, brawn_kept_large_t *b, uintptr_t now) {
    return a == NULL || brawn_kept_large_age(b, now) > brawn_kept_large_age(a, now) ? b : a;
}

// The slot whose mapping waits longest, threads' own ones included or not, and purged ones; NULL: all are empty.
static SELDOM brawn_kept_large_t *brawn_kept_large_oldest(uintptr_t now, bool owned, bool purged) {
    brawn_kept_large_t *oldest = NULL;
    BRAWN_EACH_KEPT_LARGE(slot)
    if (purged || mi_atomic_load_relaxed(&slot->purged) == 0) oldest = brawn_kept_large_older(oldest, slot, now);
    if (!owned) return oldest;
    BRAWN_EACH_OWN_LARGE(slot)
    oldest = brawn_kept_large_older(oldest, slot, now);
    return oldest;
}

// The slot with the smaller mapping, or the larger one, of those in bounds.
static inline brawn_kept_large_t *brawn_kept_large_better(brawn_kept_large_t *best, brawn_kept_large_t *slot, size_t least, size_t most, bool largest) {
    const size_t kept = mi_atomic_load_relaxed(&slot->size);
    if (kept < least || kept > most || !brawn_kept_large_may(mi_atomic_load_relaxed(&slot->segment))) return best;
    if (best == NULL) return slot;
    const size_t has = mi_atomic_load_relaxed(&best->size);
    return (largest ? kept > has : kept < has) ? slot : best;
}

// ---------------------------------------------------------------------------------------------
// What is in use, and how much may wait

// How many bytes of all mappings are in use if `unused` bytes are not.  The two sums are read one after the other, and
// other threads change them in between: so the second may be larger than the first.
static inline size_t brawn_large_used(size_t unused) {
    const size_t all = mi_atomic_load_relaxed(&brawn_large_bytes);
    return all > unused ? all - unused : 0;
}

// How much is in use now: all but what is kept and, where it is counted, slack.
static inline size_t brawn_large_used_now(void) {
    return brawn_large_used(brawn_large_waiting() + brawn_slack_now());
}

// The most that was in use at once, in bytes, as far as it was seen: before more is mapped, and before something is freed.
static _Atomic(uintptr_t) brawn_large_peak;

// Looks at what is in use now, where it may be more than `before`.  With threads, what waits in their own slots counts as in use: to look at other
// threads' slots takes longer than all the rest.
static NOINLINE size_t brawn_large_most_seen(uintptr_t before) {
    const bool alone = mi_atomic_load_relaxed(&brawn_threads_count) == 0;
    const size_t used = alone ? brawn_large_used_now()
                              : brawn_large_used(mi_atomic_load_relaxed(&brawn_kept_large_bytes) + brawn_slack_now());
    if (used <= before) return before;
    mi_atomic_store_relaxed(&brawn_large_peak, used);
    return used;
}

static size_t brawn_large_most(void) {
    const size_t before = mi_atomic_load_relaxed(&brawn_large_peak);
    return mi_likely(mi_atomic_load_relaxed(&brawn_large_bytes) <= before) ? before : brawn_large_most_seen(before);
}

// The same before `segment` is freed.  It need not be looked at if that is the only large block in use, and more was in use before.
static inline INLINED void brawn_large_most_with(const mi_segment_t *segment) {
    const size_t before = mi_atomic_load_relaxed(&brawn_large_peak);
    if (mi_likely(mi_atomic_load_relaxed(&brawn_large_bytes) <= before)) return;
    const brawn_tld_t *const own = brawn_own_or_none();
    const bool alone = own != NULL && own->large_live == 1 && mi_atomic_load_relaxed(&brawn_threads_count) == 0;
    if (!alone || segment->segment_size > before) brawn_large_most_seen(before);
}

// How much blocks in use and kept ones may take together, for BRAWN_KEPT_LARGE_ROOM: what was in use at most, and a part more.  `size`
// bytes are no longer in use.  What was long ago is forgotten slowly.
static size_t brawn_large_room(size_t size) {
    static _Atomic(uintptr_t) most;
    const size_t used = brawn_large_used_now() + size;
    const size_t before = mi_atomic_load_relaxed(&most);
    const size_t now = used > before ? used : before - before / 65536;
    mi_atomic_store_relaxed(&most, now);
    return now + now / (BRAWN_KEPT_LARGE_ROOM > 0 ? BRAWN_KEPT_LARGE_ROOM : 1);
}

// At least so much may be kept.
static inline size_t brawn_kept_large_least(void) { return BRAWN_KEPT_LARGE_MIN + brawn_allowance(); }

// How much may be kept after a block of `size` bytes was freed.  The block itself counts as in use, up to BRAWN_KEPT_LARGE_ONE: a program may
// take and free the same one over and over.
static size_t brawn_kept_large_bound(size_t size) {
    const size_t again = size <= BRAWN_KEPT_LARGE_ONE ? size : 0;
    const size_t used = brawn_large_used_now();
    size_t bound = (used + again) / 2 * BRAWN_KEPT_LARGE_HALVES;
    if (BRAWN_KEPT_LARGE_ROOM > 0) {
        const size_t room = brawn_large_room(size);
        if (room < used + bound) bound = room > used ? room - used : 0;
    }
    const size_t least = brawn_kept_large_least();
    return bound > least ? bound : least;
}

// Takes what `free` gives.  Where all slots are full, one of the others goes, in turn: the program may be done with those, and works with this one.
static void brawn_kept_large_put(mi_segment_t *segment, uintptr_t now) {
    static _Atomic(uintptr_t) turn;
    if (mi_likely(brawn_kept_large_fill(segment, now))) return;
    mi_segment_t *const other = brawn_kept_large_empty(&brawn_kept_large[mi_atomic_increment_relaxed(&turn) % BRAWN_KEPT_LARGE]);
    if (other == NULL || !brawn_kept_large_fill(segment, now)) brawn_large_release(segment);
    if (other != NULL) brawn_large_release(other);
}

// Takes what `free` gives.  Then what waits longest is released, until no more than the bound waits, and nothing too long.
static void brawn_kept_large_give(mi_segment_t *segment) {
    const uintptr_t now = (uintptr_t)arch_clock();
    const size_t size = segment->segment_size;
    brawn_note_freed_for_all();
    brawn_allowance_age(now);
    brawn_kept_large_put(segment, now);
    static _Atomic(uintptr_t) looked;  // for what waits too long
    const bool looks = now - mi_atomic_load_relaxed(&looked) >= BRAWN_KEPT_LARGE_TIME / 16;
    if (looks) mi_atomic_store_relaxed(&looked, now);
    else if (brawn_kept_large_held() <= brawn_kept_large_least()) return;
    const size_t bound = brawn_kept_large_bound(size);
    for (;;) {
        const bool over = brawn_kept_large_held() > bound;
        brawn_kept_large_t *const oldest = looks || over ? brawn_kept_large_oldest(now, looks, !over) : NULL;
        if (oldest == NULL) break;
        const uintptr_t since = mi_atomic_load_relaxed(&oldest->since);
        const bool stale = brawn_kept_large_age(oldest, now) > BRAWN_KEPT_LARGE_TIME;
        if (!stale && !over) break;
        mi_segment_t *const old = brawn_kept_large_empty(oldest);
        if (old == NULL) continue;
        if (!stale) brawn_allowance_release(old->segment_size);
        if (stale || !brawn_kept_large_purge(old, since)) brawn_large_release(old);
    }
}

// Before a thread waits: releases those that have waited longest, until at most `bound` bytes wait, and none that came just now, which may be
// what other threads work with.  Returns how many bytes that were.
static SELDOM size_t brawn_kept_large_trim(size_t bound) {
    size_t released = 0;
    const uintptr_t now = (uintptr_t)arch_clock();
    while (brawn_large_waiting() > bound) {
        brawn_kept_large_t *const oldest = brawn_kept_large_oldest(now, true, true);
        if (oldest == NULL || brawn_kept_large_age(oldest, now) < BRAWN_REST_AGE) break;
        mi_segment_t *const old = brawn_kept_large_empty(oldest);
        if (old == NULL) break;
        released += old->large_purged ? brawn_page_size : old->segment_size;
        brawn_large_release(old);
    }
    return released;
}

// The same for slack of blocks in use, the largest first: a small block that got a large mapping does not hold its memory while the program waits.
static SELDOM size_t brawn_slack_trim(size_t bound) {
    size_t cut, released = 0;
    while (brawn_slack_listed() > bound && (cut = brawn_slack_cut()) > 0) {
        mi_atomic_sub_relaxed(&brawn_large_bytes, cut);
        released += cut;
    }
    return released;
}

static SELDOM void brawn_kept_large_drain(void) {
    BRAWN_EACH_OWN_LARGE(slot) {
        mi_segment_t *const segment = brawn_kept_large_empty(slot);
        if (segment != NULL) brawn_large_release(segment);
    }
    for (size_t i = 0; i < BRAWN_KEPT_LARGE; i++) {
        mi_segment_t *const segment = brawn_kept_large_empty(&brawn_kept_large[i]);
        if (segment != NULL) brawn_large_release(segment);
    }
}

// ---------------------------------------------------------------------------------------------
// The process's peak: before more is mapped than ever, what waits goes first

// Gives `over` bytes of a kept mapping, or all of it, back to the kernel.  A larger one loses its end only: what stays serves as
// well, and need not be made again.
static SELDOM void brawn_kept_large_shorten(brawn_kept_large_t *slot, size_t over) {
    const uintptr_t since = mi_atomic_load_relaxed(&slot->since);
    mi_segment_t *const segment = brawn_kept_large_empty(slot);
    if (segment == NULL) return;
    const size_t size = segment->segment_size;
    if (over > size / 2 || size - over < BRAWN_KEPT_LARGE_PART || brawn_large_guard(segment) > 0) {
        // A mapping with a guard goes as a whole, even where a page would do: so all of it counts as room that was made.
        if (BRAWN_CHECKED && size > over) mi_atomic_add_relaxed(&brawn_made_room, size - over);
        brawn_large_release(segment);
        return;
    }
    const size_t left = _mi_align_down(size - over, brawn_page_size);
    segment->large_purged = false;  // counts as there again
    brawn_unmap((char *)segment + left, size - left);
    mi_atomic_sub_relaxed(&brawn_large_bytes, size - left);
    brawn_large_describe(segment, left, brawn_large_start(segment), 0);
    if (!brawn_kept_large_fill(segment, since)) brawn_large_release(segment);
}

// Whether making room goes on and on: twice the peak, which is `most` bytes, went for it within the last second.  Not where there are many
// blocks: those that come would have to be cut off those that are there.
static bool brawn_large_takes_turns(size_t most) {
    return mi_atomic_load_relaxed(&brawn_large_count) <= BRAWN_LARGE_FEW && mi_atomic_load_relaxed(&brawn_made_room) >= 2 * most;
}

// How much used and kept blocks may take together if `used` bytes are in use.  Kept segments take the place of the reserve.  With
// BRAWN_LARGE_TIGHT the limit is lower: it leaves room for what is free in threads' segments, up to half of each.
static size_t brawn_large_limit(size_t used) {
    const size_t most = brawn_large_most();
    if (!BRAWN_LARGE_TIGHT) {
        // (Vectors that grow by copies make room a few times, and what is kept beside their peak never serves again.)
        const bool goes_on = mi_atomic_load_relaxed(&brawn_made_room) >= most;
        // A checked profile has no slack to cut off.  Where few blocks take turns there, half of the peak more saves the page faults of each turn.
        const size_t part = BRAWN_CHECKED && brawn_large_takes_turns(most) ? 2 : goes_on ? BRAWN_LARGE_MORE
                                                                                         : BRAWN_LARGE_MORE_FIRST;
        const size_t needed = used > most ? used : most;
        const size_t limit = needed + needed / part;
        const size_t reserve = !BRAWN_CHECKED && brawn_keeps_segments() ? 0 : BRAWN_LARGE_RESERVE;
        // Slack that cannot be cut off stays what it is: where there is much of it, mappings would be released that make no difference.
        const size_t fixed = brawn_slack_now(), listed = brawn_slack_listed();
        const size_t least = used + (fixed > listed ? fixed - listed : 0);
        return (limit > least ? limit : least) + reserve;
    }
    size_t beside = mi_atomic_load_relaxed(&brawn_segments_held) * (MI_SEGMENT_SIZE / 2);
    if (beside > most / 8) beside = most / 8;
    if (beside > BRAWN_LARGE_TIGHT) beside = BRAWN_LARGE_TIGHT;
    // (Where blocks take turns, the time for the page faults is worth half of the peak more.)
    const size_t limit = brawn_large_takes_turns(most) ? most + most / 2 : most + most / BRAWN_LARGE_MORE - beside;
    return used < limit ? limit : used;
}

// How many bytes of all mappings will be above that if `more` are mapped.
static size_t brawn_large_over(size_t more) {
    const size_t all = mi_atomic_load_relaxed(&brawn_large_bytes) + more, limit = brawn_large_limit(brawn_large_used_now() + more);
    return all > limit ? all - limit : 0;
}

// Called before `more` bytes of blocks are mapped.  The program needs the most that was in use at once anyway.  Beyond that, kept mappings
// would make its peak grow, so they go first, from the oldest on, and slack with them.  At any other time keeping them costs nothing.
static SELDOM void brawn_large_before_growth(size_t more) {
    brawn_allowance_learn(more);
    const size_t limit = brawn_large_limit(brawn_large_used_now() + more);
    if (BRAWN_LARGE_TIGHT && limit <= brawn_large_used_now() + more) brawn_near_peak();
    for (bool first = true;; first = false) {
        const size_t all = mi_atomic_load_relaxed(&brawn_large_bytes) + more;
        if (all <= limit) return;
        if (first) mi_atomic_add_relaxed(&brawn_made_room, all - limit);
        brawn_kept_large_t *const oldest = BRAWN_LARGE_TIGHT ? NULL : brawn_kept_large_oldest((uintptr_t)arch_clock(), true, true);
        if (oldest != NULL) {
            brawn_kept_large_shorten(oldest, all - limit);
            continue;
        }
        const size_t cut = brawn_slack_cut();
        mi_atomic_sub_relaxed(&brawn_large_bytes, cut);
        if (cut > 0) continue;
        brawn_kept_large_t *const kept = BRAWN_LARGE_TIGHT ? brawn_kept_large_oldest((uintptr_t)arch_clock(), true, true) : NULL;
        if (kept == NULL) return;
        brawn_kept_large_shorten(kept, all - limit);
    }
}

// ---------------------------------------------------------------------------------------------
// Taking

// The smallest kept mapping of at least `least` and at most `most` bytes; or the largest; NULL: none.  `owned`: of those in threads' own slots, too.
static mi_segment_t *brawn_kept_large_find(size_t least, size_t most, bool largest, bool owned) {
    brawn_kept_large_t *best = NULL;
    if (owned) {
        BRAWN_EACH_OWN_LARGE(slot)
        best = brawn_kept_large_better(best, slot, least, most, largest);
    }
    BRAWN_EACH_KEPT_LARGE(slot) {
        best = brawn_kept_large_better(best, slot, least, most, largest);
        if (best == slot && mi_atomic_load_relaxed(&slot->size) == least) break;  // none is better
    }
    mi_segment_t *const found = best == NULL ? NULL : brawn_kept_large_empty(best);
    if (found != NULL && mi_unlikely(found->large_purged)) {
        brawn_allowance_learn(brawn_purged_bytes(found));
        found->large_purged = false;
    }
    return found;
}

// Whether `more` bytes would make the peak grow, and making room for it would go on and on.
static bool brawn_large_is_short(size_t more) { return brawn_large_takes_turns(brawn_large_most()) && brawn_large_over(more) > 0; }

// How many bytes the thread's own mapping has at most to serve a block that needs `mapping` bytes.  Where sizes differ, the smallest of all that are
// kept leaves less of a mapping idle: so the thread's own one must not be much larger.  Where the thread has one block at a time, its own one serves
// for whatever size comes next, down to one BRAWN_ONLY_TIMES smaller; or smaller, if the last one grew.
static inline INLINED size_t brawn_own_large_most(size_t mapping) {
    if (mapping > BRAWN_KEPT_LARGE_ONE || !brawn_large_is_first()) return mapping + mapping / 16;
    return (brawn_own_or_none()->growth.large != NULL ? BRAWN_GROWN_TIMES : BRAWN_ONLY_TIMES) * mapping;
}

// A kept mapping for a block that needs `mapping` bytes; NULL: none.
//
// A block that grows by realloc gets any larger one, since it is likely to go on growing, but none of another thread's own: its bytes are copied
// there, and what another processor wrote last comes one line of its cache after the other.  (In a checked profile it gets the largest.  The
// smallest one would serve until the next growth, and be copied again.)
//
// Any other one gets one of at most twice its size; or, if the thread has no other large block, of more, as from its own slots: but
// then one that leaves so much slack that it can be cut off.  The last choice is a smaller one of no less than a quarter, which is to be grown.
static mi_segment_t *brawn_kept_large_take(size_t mapping, bool grows) {
    mi_segment_t *taken = brawn_own_large_take(mapping, grows ? SIZE_MAX : brawn_own_large_most(mapping));
    if (grows) {
        if (taken == NULL) taken = brawn_kept_large_find(mapping, SIZE_MAX, BRAWN_CHECKED, false);
        return brawn_kept_large_open(taken);
    }
    if (taken == NULL) taken = brawn_kept_large_find(mapping, 2 * mapping, false, true);
    if (taken == NULL && mapping <= BRAWN_KEPT_LARGE_ONE && brawn_large_is_first())
        taken = brawn_kept_large_find(mapping + BRAWN_SLACK_LEAST, BRAWN_ONLY_TIMES * mapping, false, true);
    if (taken == NULL && brawn_large_is_short(mapping)) taken = brawn_kept_large_find(mapping, SIZE_MAX, false, true);
    if (taken == NULL) taken = brawn_kept_large_find(mapping / 4, mapping, true, true);
    return brawn_kept_large_open(taken);
}

#if !BRAWN_CHECKED
// A new block of more than BRAWN_SPAN_MAX in a mapping of the thread's own: nothing else is to be done for a block that comes and goes.
// NULL: there is no such mapping.
static inline INLINED void *brawn_large_again(size_t size) {
    if (size > BRAWN_KEPT_LARGE_ONE || brawn_heap == NULL) return NULL;
    const size_t mapping = _mi_align_up(BRAWN_LARGE_START_MOST + size, brawn_page_size);
    mi_segment_t *const segment = brawn_own_large_take(mapping, brawn_own_large_most(mapping));
    if (segment == NULL) return NULL;
    brawn_large_note_taken();
    return brawn_large_give_out(segment, size);
}
#endif
