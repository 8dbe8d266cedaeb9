// Blocks of more than BRAWN_SPAN_MAX, or aligned to more than a slice: one mapping each, which realloc
// grows with mremap and any thread may free.  The mapping begins with a segment header, so that the engine's
// way from a pointer to its page holds for these blocks too.
//
//   segment                              block                              end of the mapping
//   | header | (address space only) ...  | requested bytes ... page-rounded |
//
// The block begins one slice behind the header's start, or `alignment` behind it, or a whole segment
// behind it: a pointer at a segment's boundary belongs to the segment before (internal.h,
// _mi_ptr_segment).

enum { MREMAP_MAYMOVE_FIXED_ = 3 };  // <linux/mman.h>, MREMAP_MAYMOVE | MREMAP_FIXED

// musl refuses larger alignments (mallocng/aligned_alloc.c, 2^31 units of 16 bytes).
#define BRAWN_ALIGNMENT_LIMIT ((size_t)1 << 35)

static _Atomic(mi_segment_t *) brawn_kept_large[BRAWN_KEPT_HUGE];
static _Atomic(uintptr_t) brawn_kept_large_bytes;

_Static_assert(offsetof(mi_segment_t, slices) + 2 * sizeof(mi_slice_t) <= MI_SEGMENT_SLICE_SIZE,
               "what a large block uses of its header lies before the block");

// The header's claims about a block at `offset` in a mapping of `size` bytes.
static void brawn_large_describe(mi_segment_t *segment, size_t size, size_t offset) {
  const size_t index = offset >> MI_SEGMENT_SLICE_SHIFT;
  mi_page_t *const page = &segment->slices[1];
  segment->slices[index].slice_offset = (uint32_t)((index - 1) * sizeof(mi_slice_t));
  page->page_start = (uint8_t *)segment + offset;
  page->block_size = size - offset;
  segment->segment_size = size;
  segment->kind = MI_SEGMENT_HUGE;
  mi_atomic_store_release(&segment->thread_id, (uintptr_t)0);
}

static inline mi_page_t *brawn_large_page(mi_segment_t *segment) { return &segment->slices[1]; }

static void brawn_large_release(mi_segment_t *segment) { brawn_unmap(segment, segment->segment_size); }

// A kept block of at least `size` bytes of mapping and at most a quarter more.
static mi_segment_t *brawn_kept_large_take(size_t size) {
  if (mi_atomic_load_relaxed(&brawn_kept_large_bytes) < size) return NULL;
  for (size_t i = 0; i < BRAWN_KEPT_HUGE; i++) {
    if (mi_atomic_load_relaxed(&brawn_kept_large[i]) == NULL) continue;
    mi_segment_t *const segment = mi_atomic_exchange_acq_rel(&brawn_kept_large[i], NULL);
    if (segment == NULL) continue;
    mi_atomic_sub_relaxed(&brawn_kept_large_bytes, segment->segment_size);
    if (segment->segment_size >= size && segment->segment_size - size <= size / 4) return segment;
    mi_segment_t *empty = NULL;
    mi_atomic_add_relaxed(&brawn_kept_large_bytes, segment->segment_size);
    if (!mi_atomic_cas_strong_acq_rel(&brawn_kept_large[i], &empty, segment)) {
      mi_atomic_sub_relaxed(&brawn_kept_large_bytes, segment->segment_size);
      brawn_large_release(segment);
    }
  }
  return NULL;
}

static bool brawn_kept_large_give(mi_segment_t *segment) {
  const size_t size = segment->segment_size;
  if (mi_atomic_add_relaxed(&brawn_kept_large_bytes, size) + size <= BRAWN_KEPT_HUGE_BYTES) {
    for (size_t i = 0; i < BRAWN_KEPT_HUGE; i++) {
      mi_segment_t *empty = NULL;
      if (mi_atomic_load_relaxed(&brawn_kept_large[i]) == NULL &&
          mi_atomic_cas_strong_acq_rel(&brawn_kept_large[i], &empty, segment)) return true;
    }
  }
  mi_atomic_sub_relaxed(&brawn_kept_large_bytes, size);
  return false;
}

static void brawn_kept_large_drain(void) {
  for (size_t i = 0; i < BRAWN_KEPT_HUGE; i++) {
    mi_segment_t *const segment = mi_atomic_exchange_acq_rel(&brawn_kept_large[i], NULL);
    if (segment == NULL) continue;
    mi_atomic_sub_relaxed(&brawn_kept_large_bytes, segment->segment_size);
    brawn_large_release(segment);
  }
}

// All that is kept goes back to the kernel: a mapping failed.
static void brawn_release_all(void) {
  brawn_kept_release();
  brawn_kept_large_drain();
  mi_heap_t *const heap = brawn_heap;
  if (heap != NULL) mi_heap_collect(heap, true);
}

// `alignment` is a power of two of at least 16.  NULL: no memory.
static NOINLINE void *brawn_large_alloc(size_t size, size_t alignment, bool zero) {
  if (size > PTRDIFF_MAX - BRAWN_ALIGNMENT_LIMIT || alignment >= BRAWN_ALIGNMENT_LIMIT) return NULL;
  const size_t offset = alignment <= MI_SEGMENT_SLICE_SIZE ? MI_SEGMENT_SLICE_SIZE
                      : alignment < MI_SEGMENT_SIZE ? alignment : MI_SEGMENT_SIZE;
  const size_t mapping = offset + _mi_align_up(size, brawn_page_size);
  const bool wide = alignment > MI_SEGMENT_SIZE;
  if (offset == MI_SEGMENT_SLICE_SIZE) {
    mi_segment_t *const kept = brawn_kept_large_take(mapping);
    if (kept != NULL) {
      void *const p = brawn_large_page(kept)->page_start;
      if (zero) brawn_memset(p, 0, size);
      return p;
    }
  }
  mi_segment_t *segment = NULL;
  for (int attempt = 0; segment == NULL && attempt < 2; attempt++) {
    if (attempt > 0) brawn_release_all();
    segment = brawn_map_aligned(mapping, wide ? alignment : MI_SEGMENT_ALIGN, wide ? MI_SEGMENT_SIZE : 0, PROT_RW_);
  }
  if (segment == NULL) return NULL;
  brawn_large_describe(segment, mapping, offset);
  return (char *)segment + offset;
}

static NOINLINE void brawn_large_free(mi_segment_t *segment) {
  const bool plain = brawn_large_page(segment)->page_start == (uint8_t *)segment + MI_SEGMENT_SLICE_SIZE;
  if (plain && brawn_kept_large_give(segment)) return;
  brawn_large_release(segment);
}

// Grows or shrinks the mapping; the block moves with its pages when it cannot grow where it is.
// NULL: no memory, and the block is as it was.  Only for blocks of ordinary alignment.
static NOINLINE void *brawn_large_resize(mi_segment_t *segment, size_t size) {
  const size_t offset = MI_SEGMENT_SLICE_SIZE;
  if (brawn_large_page(segment)->page_start != (uint8_t *)segment + offset) return NULL;
  if (size > PTRDIFF_MAX - BRAWN_ALIGNMENT_LIMIT) return NULL;
  const size_t old_mapping = segment->segment_size;
  const size_t mapping = offset + _mi_align_up(size, brawn_page_size);
  if (mapping == old_mapping) return (char *)segment + offset;
  const long result = arch_syscall6(ARCH_SYS_mremap, (long)segment, (long)old_mapping, (long)mapping, 0, 0, 0);
  if (brawn_failed(result)) {
    // The kernel maps the target away itself; reserving it first finds an aligned place.
    void *const target = brawn_map_aligned(mapping, MI_SEGMENT_ALIGN, 0, PROT_NONE_);
    if (target == NULL) return NULL;
    const long moved = arch_syscall6(ARCH_SYS_mremap, (long)segment, (long)old_mapping, (long)mapping,
                                     MREMAP_MAYMOVE_FIXED_, (long)target, 0);
    if (brawn_failed(moved)) {
      brawn_unmap(target, mapping);
      return NULL;
    }
    segment = target;
  }
  brawn_large_describe(segment, mapping, offset);
  return (char *)segment + offset;
}
