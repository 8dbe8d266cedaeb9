// What the engine may ask of the platform, in the place of its mimalloc/prim.h (payload/engine/platform.patch): the thread's
// identity and its default heap.  Pages, clock and locks go to `platform.c`.
#ifndef BRAWN_PLATFORM_H
#define BRAWN_PLATFORM_H

#include "mimalloc/internal.h"
#include "arch.h"

// The thread's heap, NULL before its first allocation.  All thread-locals of the payload are zero at
// start, so that a TLS image need not grow.
#if BRAWN_SHARED
// In an object that dlopen brings: arch_local asks the dynamic linker, by TLS descriptor, where they are.
extern __thread mi_heap_t *brawn_heap_local __attribute__((visibility("hidden")));
#define brawn_heap (*arch_local(mi_heap_t *, brawn_heap_local))
#else
// Initial-exec: linkers turn it into one access relative to the thread pointer in executables, and it
// still links into shared objects.
extern __thread mi_heap_t *brawn_heap __attribute__((tls_model(ARCH_TLS_MODEL), visibility("hidden")));
#endif

static inline mi_threadid_t _mi_prim_thread_id(void) mi_attr_noexcept {
    return arch_thread_pointer();
}

static inline mi_heap_t *mi_prim_get_default_heap(void) {
    mi_heap_t *heap = brawn_heap;
    return mi_likely(heap != NULL) ? heap : (mi_heap_t *)&_mi_heap_empty;
}

#endif
