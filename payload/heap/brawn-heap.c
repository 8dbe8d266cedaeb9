// The payload's heap as one translation unit: the engine (mimalloc 2, from the libmimalloc-sys2
// crate) with our platform layer below it and the libc surface above it.
//
//   surface.c   malloc, free, ... as musl has them; shared.c in the variant that serves one shared
//               object's Rust code
//   blocks.c    their paths; checked.c has those of profiles whose blocks carry a seal
//   links.c     the words of the heap's own among sealed blocks
//   order.c     in which order sealed blocks are given out
//   away.c      what is put out of reach while it is free
//   spans.c     what both share
//   trace.c     what profile `trace` records; traced.c has its paths, around those of blocks.c
//   purge.c     which free memory goes back to the kernel
//   wait.c      what goes back before a thread waits
//   slack.c     what large blocks have too much, and what goes back near the peak, where every byte counts
//   large.c     blocks of more than 96 KiB: one mapping each, grown by mremap
//   cache.c     which freed mappings of large blocks wait for the next ones
//   slide.c     how one grows without address space for it twice
//   threads.c   how a thread's heap begins and ends; fork
//   collect.c   a heap looks through its pages
//   handed.c    heaps that go from a thread that ends to the next one
//   engine      sizes, pages, segments, frees from other threads (engine's files, unchanged)
//   pages.c     how large a page is
//   allowance.c how much free memory the process keeps
//   platform.c  memory from the kernel, kept segments, abandoned segments
//   options.c   BRAWN_OPTIONS, and the engine's options as constants
//
// Everything but the surface becomes a local symbol, and what the surface does not reach is dropped,
// when brawn-payload's build script finishes the object.

#include "arch.h"
#include "profile.h"
#include "tuning.h"

#define MI_DEBUG 0
#define MI_STAT 0
#define MI_MAX_ALIGN_SIZE 16

#include "mimalloc.h"
#if BRAWN_CHECKED
// A page's fields get the size of two cache lines: free then needs no product to find them.  (The macro is the name of the last
// field, and puts two words more in front of it.)
#define padding      \
    brawn_unused[2]; \
    void *padding
#include "mimalloc/types.h"
#undef padding
#endif
#include "mimalloc/internal.h"
#include "mimalloc/prim.h"

#include <errno.h>
#include <limits.h>

// The engine's counters and messages vanish: see mimalloc-stats.h.
#define _mi_stat_increase(stat, amount) ((void)0)
#define _mi_stat_decrease(stat, amount) ((void)0)
#define _mi_stat_counter_increase(stat, amount) ((void)0)
#if BRAWN_CHECKED
// The engine reports errors by their number.  Damage in its own data means that the program misused the heap, so the
// program ends.  Out of memory, or a size that is too large, is no misuse: the caller gets NULL.
#define _mi_error_message(error, ...) ((error) == ENOMEM || (error) == EOVERFLOW ? (void)0 : brawn_trap_corrupted())
#else
#define _mi_error_message(error, ...) ((void)0)
#endif
#define _mi_warning_message(...) ((void)0)
#define _mi_verbose_message(...) ((void)0)
#define mi_stats_reset() ((void)0)
#define _mi_stats_done(stats) ((void)0)
#define _mi_stats_merge_thread(tld) ((void)0)
// Where the engine's list of segments would change, which is not compiled, platform.c notes what of a kept one was written to.
#define _mi_segment_map_allocated_at(segment) brawn_segment_comes(segment)
#define _mi_segment_map_freed_at(segment) brawn_segment_goes(segment)
static inline void brawn_segment_comes(mi_segment_t *segment);  // platform.c
static inline void brawn_segment_goes(mi_segment_t *segment);

#define NOINLINE __attribute__((noinline))
#define HIDDEN __attribute__((visibility("hidden")))
// A function that runs seldom, and takes fewer bytes if no loop of it is unrolled.
#ifdef __clang__
#define SELDOM __attribute__((minsize))
#else
#define SELDOM
#endif
// Zeros that a small program never touches: behind all others' (build/finish.rs).
#define LATE __attribute__((section(".bss.late")))

_Static_assert(sizeof(mi_page_t) == (BRAWN_CHECKED ? 128 : 96), "free indexes slices by this size");

// Blocks of a page lie at multiples of their size from a page's start, which is aligned to a slice:
// that is all the alignment aligned_alloc counts on.  The engine would skip up to one block more.
#undef MI_MAX_ALIGN_GUARANTEE
#define MI_MAX_ALIGN_GUARANTEE 0

// The engine's builtin could become a call of the compiler's own library, which no program has to link.
static inline size_t brawn_popcount(size_t x) {
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
}
#define mi_popcount brawn_popcount

// Memory of the first segment becomes accessible in pieces of BRAWN_COMMIT.  In the others a slice that is taken is that slice: the
// engine forgets of all that it rounds up to that it was to go back to the kernel.
#define BRAWN_COMMIT (64 * MI_KiB)
#undef MI_MINIMAL_COMMIT_SIZE
#define MI_MINIMAL_COMMIT_SIZE (mi_commit_mask_is_full(&segment->commit_mask) ? (size_t)MI_COMMIT_SIZE : BRAWN_COMMIT)

// Compiled for few bytes (build/recipe.rs), clang inlines less than it would; other compilers have no such limit.  These are short, and on
// the ways of `malloc` and `free` that are taken often behind the first ones: where a page becomes full, or a span free.
#ifdef __clang__
#define INLINED __attribute__((always_inline))
INLINED size_t _mi_bin(size_t size);
INLINED void _mi_page_free_collect(mi_page_t *page, bool force);
static NOINLINE void _mi_page_thread_free_collect(mi_page_t *page);
static inline INLINED size_t mi_page_bin(const mi_page_t *page);
static inline INLINED mi_page_queue_t *mi_heap_page_queue_of(mi_heap_t *heap, const mi_page_t *page);
static inline INLINED mi_span_queue_t *mi_span_queue_for(size_t slice_count, mi_segments_tld_t *tld);
static inline INLINED void mi_span_queue_delete(mi_span_queue_t *queue, mi_slice_t *slice);
static inline INLINED void brawn_note_freed(void);
static inline INLINED void mi_commit_mask_create(size_t bitidx, size_t bitcount, mi_commit_mask_t *cm);
static inline INLINED mi_slice_t *mi_segment_page_clear(mi_page_t *page, mi_segments_tld_t *tld);
static inline INLINED void mi_segment_span_remove_from_queue(mi_slice_t *slice, mi_segments_tld_t *tld);
static inline INLINED bool mi_page_extend_free(mi_heap_t *heap, mi_page_t *page, mi_tld_t *tld);
#endif

#include "memory.c"
#include "options.c"
#if BRAWN_CHECKED
#include "traps.c"
#include "links.c"
#endif

#include "alloc.c"
#include "heap.c"
// The engine's one call of this function, in mi_page_extend_free, gets our count of blocks, and comes to our function; its
// definition stays as it is.  The words that the parameters begin with tell them apart.
static size_t brawn_first_blocks(const mi_page_t *page, size_t extend);  // pages.c
static void brawn_list_extend(mi_page_t *page, size_t size, size_t count, mi_stats_t *stats);
#define mi_page_free_list_extend(page, size, extend, stats) BRAWN_NAME_##page, size, BRAWN_COUNT_##extend, stats)
#define BRAWN_NAME_mi_page_t mi_page_free_list_extend(mi_page_t
#define BRAWN_NAME_page brawn_list_extend(page
#define BRAWN_COUNT_const const
#if BRAWN_CHECKED
#define BRAWN_COUNT_extend extend = brawn_seal_fresh(page, brawn_first_blocks(page, extend))
#else
#define BRAWN_COUNT_extend extend = brawn_first_blocks(page, extend)
#endif
#define mi_heap_collect brawn_collect
static void brawn_collect(mi_heap_t *heap, bool force);  // collect.c
#include "page.c"
#undef mi_heap_collect
#undef mi_page_free_list_extend
// Nor does a page of ours begin behind its first slice's beginning (pages.c): the engine's one use of this size in this file.
#undef MI_INTPTR_SIZE
#define MI_INTPTR_SIZE (BRAWN_CHECKED ? sizeof(uintptr_t) : SIZE_MAX)
#define _mi_segment_page_alloc brawn_engine_page_alloc  // pages.c has ours
// So does the engine's one call of its search for free slices; the definition stays as it is.
static mi_page_t *brawn_find_slices(size_t count, mi_arena_id_t arena, mi_segments_tld_t *segments);  // pages.c
#define mi_segments_page_find_and_allocate(count, arena, tld) BRAWN_FIND_##count, arena, tld)
#define BRAWN_FIND_size_t mi_segments_page_find_and_allocate(size_t
#define BRAWN_FIND_slices_needed brawn_find_slices(slices_needed
// And its call where a page's slices become free.
static mi_slice_t *brawn_slices_freed(mi_slice_t *slice, mi_segments_tld_t *segments);  // purge.c
#define mi_segment_span_free_coalesce(slice, tld) BRAWN_FREED_##slice, tld)
#define BRAWN_FREED_slice mi_segment_span_free_coalesce(slice
#define BRAWN_FREED_mi_slice_t mi_segment_span_free_coalesce(mi_slice_t
#define BRAWN_FREED_mi_page_to_slice(page) brawn_slices_freed(mi_page_to_slice(page)
#if BRAWN_CHECKED
#define _mi_segment_page_start brawn_engine_page_start  // the same
#endif
#include "segment.c"
#undef _mi_segment_page_alloc
#undef mi_segments_page_find_and_allocate
#undef mi_segment_span_free_coalesce
#if BRAWN_CHECKED
#undef _mi_segment_page_start
#endif
#undef MI_INTPTR_SIZE
#define MI_INTPTR_SIZE (1 << MI_INTPTR_SHIFT)

#include "allowance.c"
#include "platform.c"
#include "threads.c"
#include "collect.c"
#include "handed.c"
#include "slack.c"
#if BRAWN_CHECKED
#include "away.c"
#endif
#include "pages.c"
#include "large.c"
#include "cache.c"
#include "slide.c"
#include "spans.c"
#include "purge.c"
#include "wait.c"
#if BRAWN_TRACE
#include "trace.c"
#endif
#if BRAWN_CHECKED
#include "order.c"
#include "checked.c"
#else
#include "blocks.c"
#endif
#if BRAWN_TRACE
#include "traced.c"
#endif
#if BRAWN_SHARED
#include "shared.c"
#else
#include "surface.c"
#endif
#include "note.c"
