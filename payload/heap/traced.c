// The paths of profile `trace` (trace.c), around those of blocks.c: surface.c calls these.
//
// Each ends with a jump to a function that is not inlined where a sample is due, so that this one has the caller of
// malloc as its own.

static NOINLINE void *brawn_trace_sample(size_t size, size_t alignment, bool zero, const brawn_caller_t *caller) {
    void *const p = brawn_large_alloc(size, alignment, zero, false);
    if (mi_unlikely(p == NULL)) return brawn_fail(ENOMEM);
    brawn_trace_taken(brawn_segment(p), p, size, caller);
    return p;
}

static NOINLINE void *brawn_trace_malloc(size_t size) {
    const brawn_caller_t caller = BRAWN_CALLER();
    return brawn_trace_due(size) ? brawn_trace_sample(size, MI_MAX_ALIGN_SIZE, false, &caller) : brawn_malloc(size);
}

static NOINLINE void *brawn_trace_zalloc(size_t size) {
    const brawn_caller_t caller = BRAWN_CALLER();
    return brawn_trace_due(size) ? brawn_trace_sample(size, MI_MAX_ALIGN_SIZE, true, &caller) : brawn_zalloc(size);
}

static NOINLINE void *brawn_trace_aligned(size_t alignment, size_t size) {
    const brawn_caller_t caller = BRAWN_CALLER();
    return brawn_trace_due(size) ? brawn_trace_sample(size, alignment, false, &caller) : brawn_aligned(alignment, size);
}

// A block that is recorded, or is to be.  What it was ends, and what it becomes is a request like any other.
static NOINLINE void *brawn_trace_realloc(void *p, size_t size) {
    const brawn_caller_t caller = BRAWN_CALLER();
    bool due = size < brawn_trace_left ? (brawn_trace_left -= size, false) : brawn_trace_due(size);
    if (p == NULL) return due ? brawn_trace_sample(size, MI_MAX_ALIGN_SIZE, false, &caller) : brawn_malloc(size);
    const size_t usable = brawn_usable(p);
    mi_segment_t *const segment = brawn_segment(p);
    const bool was = segment->kind == MI_SEGMENT_HUGE && brawn_trace_given(segment, p);
    if (due && segment->kind != MI_SEGMENT_HUGE) {
        void *const moved = brawn_trace_sample(size, MI_MAX_ALIGN_SIZE, false, &caller);
        if (moved == NULL) return NULL;
        brawn_memcpy(moved, p, size < usable ? size : usable);
        brawn_free(p);
        return moved;
    }
    void *const moved = brawn_realloc(p, size);
    void *const now = moved != NULL ? moved : p;
    mi_segment_t *const after = brawn_segment(now);
    if (after->kind == MI_SEGMENT_HUGE && (due || (was && moved == NULL)))
        brawn_trace_taken(after, now, moved != NULL ? size : usable, &caller);
    return moved;
}

static inline void *brawn_traced_malloc(size_t size) {
    if (mi_unlikely(size >= brawn_trace_left)) return brawn_trace_malloc(size);
    brawn_trace_left -= size;
    return brawn_malloc(size);
}

static inline void *brawn_traced_zalloc(size_t size) {
    if (mi_unlikely(size >= brawn_trace_left)) return brawn_trace_zalloc(size);
    brawn_trace_left -= size;
    return brawn_zalloc(size);
}

static inline void *brawn_traced_aligned(size_t alignment, size_t size) {
    if (mi_unlikely(size >= brawn_trace_left)) return brawn_trace_aligned(alignment, size);
    brawn_trace_left -= size;
    return brawn_aligned(alignment, size);
}

static inline void *brawn_traced_realloc(void *p, size_t size) {
    const bool alone = p != NULL && brawn_segment(p)->kind == MI_SEGMENT_HUGE;
    if (mi_unlikely(alone || size >= brawn_trace_left)) return brawn_trace_realloc(p, size);
    brawn_trace_left -= size;
    return brawn_realloc(p, size);
}

#define brawn_malloc(size) brawn_traced_malloc(size)
#define brawn_zalloc(size) brawn_traced_zalloc(size)
#define brawn_aligned(alignment, size) brawn_traced_aligned(alignment, size)
#define brawn_realloc(p, size) brawn_traced_realloc(p, size)
