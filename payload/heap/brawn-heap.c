// The payload's heap as one translation unit: the engine (mimalloc 2, from the libmimalloc-sys2 crate, with the patches of
// payload/engine/) with our platform layer below it and the libc surface above it.
//
//   surface.c   malloc, free, ... as musl has them; shared.c in the variant that serves one shared
//               object's Rust code
//   blocks.c    their paths; checked.c has those of profiles whose blocks carry a seal
//   links.c     the words of the heap's own among sealed blocks
//   quarantine.c in which order sealed blocks are given out
//   decommit.c  what is put out of reach while it is free
//   spans.c     what both share
//   growth.c    blocks that grow by realloc: what a thread learns from one for the next
//   spare.c     empty pages that wait for the next blocks of their size
//   recent.c    blocks of full pages that a thread freed last
//   parcels.c   small blocks that a thread freed, on their way to the thread that they belong to
//   trace.c     what profile `trace` records; traced.c has its paths, around those of blocks.c
//   purge.c     which free memory goes back to the kernel
//   wait.c      what goes back before a thread waits
//   slack.c     what large blocks have too much, and what goes back near the peak, where every byte counts
//   large.c     blocks of more than 96 KiB: one mapping each, grown by mremap
//   owned.c     those that wait for the thread that freed them
//   cache.c     which freed mappings of large blocks wait for the next ones
//   sums.c      what all threads count together
//   threads.c   how a thread's heap begins and ends; fork
//   collect.c   a heap looks through its pages
//   pool.c      heaps that go from a thread that ends to the next one
//   engine      sizes, pages, segments, frees from other threads; include/hooks.h has what it asks of the files here
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
#include "mimalloc/internal.h"
#include "platform.h"

#include <errno.h>
#include <limits.h>

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

// On the way where a page becomes full, which is seldom: not a copy of its loops in each of the four functions that change a queue.
static inline SELDOM NOINLINE void mi_heap_queue_first_update(mi_heap_t *heap, const mi_page_queue_t *queue);

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
static inline INLINED bool mi_page_extend_free(mi_heap_t *heap, mi_page_t *page, mi_tld_t *tld);
// And these are on the ways where a segment or a thread begins or ends.
static SELDOM NOINLINE mi_segment_t *mi_segment_alloc(size_t required, size_t page_alignment, mi_arena_id_t arena, mi_segments_tld_t *tld, mi_page_t **huge_page);
static SELDOM NOINLINE mi_segment_t *mi_segment_try_reclaim(mi_heap_t *heap, size_t needed_slices, size_t block_size, bool *reclaimed, mi_segments_tld_t *tld);
static SELDOM mi_segment_t *mi_segment_reclaim(mi_segment_t *segment, mi_heap_t *heap, size_t requested_block_size, bool *right_page_reclaimed, mi_segments_tld_t *tld);
static SELDOM void mi_segment_abandon(mi_segment_t *segment, mi_segments_tld_t *tld);
static SELDOM bool mi_segment_check_free(mi_segment_t *segment, size_t slices_needed, size_t block_size, mi_segments_tld_t *tld);
static SELDOM void mi_segment_try_purge(mi_segment_t *segment, bool force);
static SELDOM void mi_segment_free(mi_segment_t *segment, bool force, mi_segments_tld_t *tld);
#else
#define INLINED
#endif

#include "memory.c"
#include "options.c"
#if BRAWN_CHECKED
#include "traps.c"
#include "links.c"
#endif

#include "alloc.c"
#include "heap.c"
#include "page.c"
#include "segment.c"

#include "allowance.c"
#include "sums.c"
#include "platform.c"
#include "growth.h"
#include "threads.c"
#include "collect.c"
#include "pool.c"
#if BRAWN_CHECKED
#include "reach.c"
#endif
#include "slack.c"
#if BRAWN_CHECKED
#include "decommit.c"
#endif
#include "spare.c"
#include "pages.c"
#include "large.c"
#include "owned.c"
#include "cache.c"
#include "spans.c"
#include "growth.c"
#include "purge.c"
#include "wait.c"
#if BRAWN_TRACE
#include "trace.c"
#endif
#if BRAWN_CHECKED
#include "quarantine.c"
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
