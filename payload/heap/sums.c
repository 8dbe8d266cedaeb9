// What all threads count together and each of them changes often: a thread adds its changes up in its heap first, and to the sum in
// steps.  So who takes and frees one block over and over changes nothing that threads share.
//
// Threads add at different times, so a sum may seem to be less than none.

typedef _Atomic(uintptr_t) brawn_sum_t;

static brawn_sum_t brawn_dirty;  // free slices that were written to, of all segments with an owner and of abandoned ones: purge.c
static brawn_sum_t brawn_slack;  // bytes that mappings in use have behind their block: slack.c; checked profiles count none

enum {
    BRAWN_DIRTY_STEP = 32,
    BRAWN_SLACK_STEP = 512 << 10,
    BRAWN_SLACK_STEP_FREED = 2 << 20,  // the next block may leave as much
    BRAWN_SLACK_STEP_ALONE = 16 << 20,  // of a process's only thread, which knows what it did not add
};

// The sum, with what the calling thread has not added yet, which is `own`; and without.
static inline size_t brawn_sum_with(const brawn_sum_t *sum, intptr_t own) {
    const intptr_t now = (intptr_t)mi_atomic_load_relaxed(sum) + own;
    return now > 0 ? (size_t)now : 0;
}
static inline size_t brawn_sum(const brawn_sum_t *sum) { return brawn_sum_with(sum, 0); }

// What a thread has not added yet is in `own`.
static inline void brawn_sum_add(brawn_sum_t *sum, intptr_t change) { mi_atomic_add_relaxed(sum, (uintptr_t)change); }
static inline void brawn_sum_flush(brawn_sum_t *sum, intptr_t *own) {
    if (*own != 0) brawn_sum_add(sum, *own);
    *own = 0;
}
