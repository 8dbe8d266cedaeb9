// The surface of the variant for shared objects, which serves the Rust code of the one object that it is
// linked into (crates/brawn-rt): hidden names, no libc function is replaced, and C keeps the process's heap.
// What differs from surface.c is how fork and the end of the code reach the heap.

HIDDEN void *brawn_rt_malloc(size_t size) { return brawn_malloc(size); }

HIDDEN void *brawn_rt_zalloc(size_t size) {
    return mi_likely(size <= PTRDIFF_MAX) ? brawn_zalloc(size) : brawn_fail(ENOMEM);
}

// `alignment` is a power of two.
HIDDEN void *brawn_rt_aligned(size_t alignment, size_t size) {
    if (mi_unlikely(size > PTRDIFF_MAX || alignment >= BRAWN_ALIGNMENT_LIMIT)) return brawn_fail(ENOMEM);
    return alignment <= MI_MAX_ALIGN_SIZE ? brawn_malloc(size) : brawn_aligned(alignment, size);
}

HIDDEN void *brawn_rt_realloc(void *p, size_t size) { return brawn_realloc(p, size); }

HIDDEN void brawn_rt_free(void *p) { brawn_free(p); }

// ---------------------------------------------------------------------------------------------
// Load and unload: the object's .init_array and .fini_array call these.

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int pthread_key_delete(unsigned key);

static SELDOM void brawn_before_fork(void) { brawn_around_fork(-1); }
static SELDOM void brawn_in_parent(void) { brawn_around_fork(0); }
static SELDOM void brawn_in_child(void) { brawn_around_fork(1); }

// glibc drops the handlers with the object that registered them; musl never unloads one.
HIDDEN void brawn_rt_load(void) { pthread_atfork(brawn_before_fork, brawn_in_parent, brawn_in_child); }

// After dlclose the destructor of threads' heaps is no longer there: no thread may come to it.  Heaps of
// threads that live on are lost, and what is free goes back to the kernel.  The same at exit, where other
// threads and other destructors may still allocate: they can.
HIDDEN void brawn_rt_unload(void) {
    const uintptr_t was = mi_atomic_exchange_acq_rel(&brawn_key_state, (uintptr_t)KEY_GONE);
    if (was == KEY_MADE) pthread_key_delete(brawn_key);
    brawn_pool_release();
    if (brawn_heap != NULL) {
        brawn_collect(brawn_heap, true);
        brawn_thread_end();
    }
    for (size_t i = 0; i < BRAWN_KEPT_THREADS; i++) {
        brawn_thread_t *const thread = mi_atomic_exchange_acq_rel(&brawn_kept_threads[i], NULL);
        if (thread != NULL) brawn_unmap(thread, brawn_thread_size());
    }
    _mi_arenas_collect(true);
}
