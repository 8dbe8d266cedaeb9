// The libc surface: what the members of libc.a that brawn replaces defined, with musl's semantics,
// errno included.  musl's own calls of each other are kept, since programs replace single ones:
// calloc calls malloc, memalign and posix_memalign call aligned_alloc, reallocarray calls realloc,
// by their public names (musl src/malloc/*.c).
//
// Public names are weak: a program's own malloc takes their place.  __libc_* are strong.

#define EXPORT __attribute__((visibility("default")))
#define WEAK_ALIAS(of) EXPORT __attribute__((weak, alias(#of)))
#define STRONG_ALIAS(of) EXPORT __attribute__((alias(#of)))

int *__errno_location(void) __attribute__((const));

static NOINLINE void *brawn_fail(int error) {
  *__errno_location() = error;
  return NULL;
}

// The largest block of the engine's bins, and the bin of a size above MI_SMALL_SIZE_MAX
// (page-queue.c, mi_bin): four steps between powers of two.
static inline size_t brawn_bin(size_t size) {
  const size_t words = (size - 1) / sizeof(uintptr_t);
  const size_t top = (size_t)(63 - __builtin_clzl(words));
  return ((top << 2) + ((words >> (top - 2)) & 3)) - 3;
}

// ---------------------------------------------------------------------------------------------
// malloc

// A block with a span of its own costs the engine some hundred nanoseconds each way.  A thread keeps
// the last few that it freed, still allocated as far as the engine knows.
enum { BRAWN_KEPT_SPANS = 4 };
static __thread mi_page_t *brawn_kept_spans[BRAWN_KEPT_SPANS] __attribute__((tls_model("initial-exec")));

// A kept block of at least `size` bytes and at most a quarter more; NULL: none.
static void *brawn_span_take(size_t size) {
  for (size_t i = 0; i < BRAWN_KEPT_SPANS; i++) {
    mi_page_t *const page = brawn_kept_spans[i];
    if (page == NULL || page->block_size < size || page->block_size - size > size / 4) continue;
    brawn_kept_spans[i] = NULL;
    return page->page_start;
  }
  return NULL;
}

static void brawn_span_free(mi_page_t *page) {
  mi_free_generic_local(page, _mi_page_segment(page), page->page_start);
}

// A block of this thread in a page that was full: the page's only block, or one of several.
static NOINLINE void brawn_free_full(mi_page_t *page, mi_segment_t *segment, void *p) {
  if (page->block_size <= MI_MEDIUM_OBJ_SIZE_MAX) {
    mi_free_generic_local(page, segment, p);
    return;
  }
  size_t slot = 0;
  while (slot < BRAWN_KEPT_SPANS && brawn_kept_spans[slot] != NULL) slot++;
  if (slot == BRAWN_KEPT_SPANS) {
    // The first is the oldest: it goes, the others move up.
    brawn_span_free(brawn_kept_spans[0]);
    for (slot = 0; slot < BRAWN_KEPT_SPANS - 1; slot++) brawn_kept_spans[slot] = brawn_kept_spans[slot + 1];
  }
  brawn_kept_spans[slot] = page;
}

// Before a thread's heap ends, and when memory is short.
static void brawn_spans_release(void) {
  for (size_t i = 0; i < BRAWN_KEPT_SPANS; i++) {
    mi_page_t *const page = brawn_kept_spans[i];
    brawn_kept_spans[i] = NULL;
    if (page != NULL) brawn_span_free(page);
  }
}

static NOINLINE void *brawn_malloc_slow(size_t size) {
  mi_heap_t *heap = brawn_heap;
  if (mi_unlikely(heap == NULL)) {
    heap = brawn_thread_start();
    if (heap == NULL) return brawn_fail(ENOMEM);
  }
  if (size < MI_MAX_ALIGN_SIZE) size = MI_MAX_ALIGN_SIZE;
  void *p;
  if (mi_unlikely(size > BRAWN_SPAN_MAX)) p = brawn_large_alloc(size, MI_MAX_ALIGN_SIZE, false);
  else if (size > MI_MEDIUM_OBJ_SIZE_MAX && (p = brawn_span_take(size)) != NULL) return p;
  else p = _mi_malloc_generic(heap, size <= MI_SMALL_SIZE_MAX ? _mi_align_up(size, MI_MAX_ALIGN_SIZE) : size, false, 0, NULL);
  if (mi_unlikely(p == NULL)) return brawn_fail(ENOMEM);
  return p;
}

// The first free block of `page`, which has one.
static inline void *brawn_pop(mi_page_t *page, mi_block_t *block) {
  page->free = (mi_block_t *)block->next;
  page->used++;
  return block;
}

static inline void *brawn_malloc_inline(size_t size) {
  mi_heap_t *const heap = brawn_heap;
  if (mi_likely(heap != NULL)) {
    mi_page_t *page = NULL;
    if (mi_likely(size <= MI_SMALL_SIZE_MAX)) {
      // One entry a word of size; blocks are multiples of 16 bytes, so entries are 16 bytes apart.
      const size_t rounded = (size + MI_MAX_ALIGN_SIZE - 1) & ~(size_t)(MI_MAX_ALIGN_SIZE - 1);
      page = heap->pages_free_direct[rounded / sizeof(uintptr_t)];
    }
    else if (mi_likely(size <= MI_MEDIUM_OBJ_SIZE_MAX)) {
      page = heap->pages[brawn_bin(size)].first;
      if (mi_unlikely(page == NULL)) return brawn_malloc_slow(size);
    }
    else return brawn_malloc_slow(size);
    mi_block_t *const block = page->free;
    if (mi_likely(block != NULL)) return brawn_pop(page, block);
  }
  return brawn_malloc_slow(size);
}

EXPORT void *__libc_malloc_impl(size_t size) { return brawn_malloc_inline(size); }
void *__libc_malloc(size_t size) STRONG_ALIAS(__libc_malloc_impl);
void *malloc(size_t size) WEAK_ALIAS(__libc_malloc_impl);

// ---------------------------------------------------------------------------------------------
// free

// The segment of a block; not for NULL.  A pointer at a segment's boundary belongs to the one before.
static inline mi_segment_t *brawn_segment(const void *p) {
  return (mi_segment_t *)(((uintptr_t)p - 1) & ~MI_SEGMENT_MASK);
}

// A block of another thread, of an ended one, or one with a mapping of its own.
static NOINLINE void brawn_free_remote(mi_segment_t *segment, mi_page_t *page, void *p) {
  if (segment->kind == MI_SEGMENT_HUGE) brawn_large_free(segment);
  else mi_free_block_mt(page, segment, (mi_block_t *)p, p, false);
}

EXPORT void __libc_free(void *p) {
  if (mi_unlikely(p == NULL)) return;
  mi_segment_t *const segment = brawn_segment(p);
  mi_page_t *const page = _mi_segment_page_of(segment, p);
  if (mi_unlikely(mi_atomic_load_relaxed(&segment->thread_id) != _mi_prim_thread_id())) {
    brawn_free_remote(segment, page, p);
    return;
  }
  if (mi_unlikely(page->flags.full_aligned != 0)) {
    brawn_free_full(page, segment, p);
    return;
  }
  // Straight onto the list that malloc takes from: the block that is still in the cache is the next
  // one out.  (The engine itself keeps a second list, which makes a thread walk through the page.)
  // Pages of one block never get here, they are in the full queue: see brawn_zalloc.
  mi_block_t *const block = p;
  block->next = (mi_encoded_t)page->free;
  page->free = block;
  if (mi_unlikely(--page->used == 0)) {
    // An empty page is retired, that is returned some cycles later.  A thread that frees its only
    // block of a size over and over finds it retired already, and starts the cycles anew.  (Only the
    // one page of a size: cycles are counted on the first page of a queue, others would stay.)
    if (mi_likely(page->retire_expire != 0 && page->next == NULL && page->prev == NULL)) page->retire_expire = MI_RETIRE_CYCLES;
    else _mi_page_retire(page);
  }
}
void free(void *p) WEAK_ALIAS(__libc_free);

// ---------------------------------------------------------------------------------------------
// calloc

static inline bool brawn_multiply(size_t count, size_t size, size_t *total) {
  return !__builtin_mul_overflow(count, size, total) && *total <= PTRDIFF_MAX;
}

// Fills 16 bytes at a time; `size` is the block's own, a multiple of 16.
static inline void brawn_zero_block(void *p, size_t size) {
  if (size > 512) { brawn_memset(p, 0, size); return; }
  typedef long long pair __attribute__((vector_size(16), may_alias));
  for (pair *at = p, *end = (pair *)((char *)p + size); at < end; at++) *at = (pair){ 0, 0 };
}

static void *brawn_zalloc(size_t total) {
  if (mi_likely(total <= MI_MEDIUM_OBJ_SIZE_MAX)) {
    void *const p = brawn_malloc_inline(total);
    if (mi_likely(p != NULL)) brawn_zero_block(p, _mi_align_up(total, MI_MAX_ALIGN_SIZE));
    return p;
  }
  // Larger blocks have a page each, whose memory may be known to be zero.
  mi_heap_t *heap = brawn_heap;
  if (mi_unlikely(heap == NULL)) {
    heap = brawn_thread_start();
    if (heap == NULL) return brawn_fail(ENOMEM);
  }
  if (total <= BRAWN_SPAN_MAX) {
    void *const kept = brawn_span_take(total);
    if (kept != NULL) return brawn_memset(kept, 0, total);
  }
  void *const p = total > BRAWN_SPAN_MAX ? brawn_large_alloc(total, MI_MAX_ALIGN_SIZE, true)
                                                : _mi_malloc_generic(heap, total, true, 0, NULL);
  return mi_likely(p != NULL) ? p : brawn_fail(ENOMEM);
}

EXPORT void *__libc_calloc(size_t count, size_t size) {
  size_t total;
  if (mi_unlikely(!brawn_multiply(count, size, &total))) return brawn_fail(ENOMEM);
  return brawn_zalloc(total);
}

EXPORT __attribute__((weak)) void *calloc(size_t count, size_t size) {
  if (mi_likely(malloc == __libc_malloc_impl)) return __libc_calloc(count, size);
  // The program has its own malloc and not its own calloc: as musl does, its malloc and zeros.
  size_t total;
  if (!brawn_multiply(count, size, &total)) return brawn_fail(ENOMEM);
  void *const p = malloc(total);
  if (p != NULL) brawn_memset(p, 0, total);
  return p;
}

// ---------------------------------------------------------------------------------------------
// realloc, malloc_usable_size

EXPORT void *__libc_realloc(void *p, size_t size) {
  if (p == NULL) return brawn_malloc_inline(size);
  if (mi_unlikely(size > PTRDIFF_MAX)) return brawn_fail(ENOMEM);
  mi_segment_t *const segment = brawn_segment(p);
  mi_page_t *const page = _mi_segment_page_of(segment, p);
  const size_t usable = page->block_size;
  // In place while it fits and no more than half would be idle.
  if (size <= usable && size >= usable / 2) return p;
  if (segment->kind == MI_SEGMENT_HUGE && size > BRAWN_SPAN_MAX) {
    void *const resized = brawn_large_resize(segment, size);
    if (resized != NULL) return resized;
  }
  void *const moved = brawn_malloc_inline(size);
  if (mi_unlikely(moved == NULL)) {
    if (size <= usable) return p;
    return segment->kind == MI_SEGMENT_HUGE ? brawn_large_slide(segment, size) : NULL;
  }
  const size_t copied = size < usable ? size : usable;
  if (copied <= 256) {
    // Blocks are aligned to 16 and whole multiples of it up to this size: copy whole units.
    typedef long long pair __attribute__((vector_size(16), may_alias));
    const pair *from = p;
    for (pair *to = moved, *end = (pair *)((char *)moved + copied); to < end; to++) *to = *from++;
  }
  else brawn_memcpy(moved, p, copied);
  __libc_free(p);
  return moved;
}
void *realloc(void *p, size_t size) WEAK_ALIAS(__libc_realloc);

EXPORT __attribute__((weak)) void *reallocarray(void *p, size_t count, size_t size) {
  size_t total;
  if (mi_unlikely(__builtin_mul_overflow(count, size, &total))) return brawn_fail(ENOMEM);
  return realloc(p, total);
}

EXPORT __attribute__((weak)) size_t malloc_usable_size(void *p) {
  if (p == NULL) return 0;
  mi_segment_t *const segment = brawn_segment(p);
  return _mi_segment_page_of(segment, p)->block_size;
}

// ---------------------------------------------------------------------------------------------
// Aligned allocation

EXPORT __attribute__((weak)) void *aligned_alloc(size_t alignment, size_t size) {
  if (mi_unlikely((alignment & (alignment - 1)) != 0 && alignment != 0)) return brawn_fail(EINVAL);
  if (mi_unlikely(size > PTRDIFF_MAX || alignment >= BRAWN_ALIGNMENT_LIMIT)) return brawn_fail(ENOMEM);
  if (alignment <= MI_MAX_ALIGN_SIZE) return brawn_malloc_inline(size);
  if (mi_likely(alignment <= MI_SEGMENT_SLICE_SIZE && size <= BRAWN_SPAN_MAX - MI_SEGMENT_SLICE_SIZE)) {
    // Pages begin at a slice, and a multiple of the alignment is in a bin of multiples of it (bins
    // are four to a power of two), or has a span of slices: the block is aligned as it comes.
    return brawn_malloc_inline(size == 0 ? alignment : _mi_align_up(size, alignment));
  }
  void *const p = brawn_large_alloc(size, alignment, false);
  return mi_likely(p != NULL) ? p : brawn_fail(ENOMEM);
}

EXPORT __attribute__((weak)) void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

EXPORT __attribute__((weak)) void *valloc(size_t size) {
  return memalign(getauxval(AUXV_PAGESZ), size);
}

EXPORT __attribute__((weak)) int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *)) return EINVAL;
  void *const p = aligned_alloc(alignment, size);
  if (p == NULL) return *__errno_location();
  *result = p;
  return 0;
}

// ---------------------------------------------------------------------------------------------
// What musl itself calls

// The dynamic linker gives slack of its mappings to mallocng; a static program has none.
EXPORT void __malloc_donate(char *start, char *end) {
  MI_UNUSED(start);
  MI_UNUSED(end);
}

// Whether a fresh block is known to be zero, which our calloc does not ask.
EXPORT int __malloc_allzerop(void *p) {
  MI_UNUSED(p);
  return 0;
}
