// How large a page is.  The engine knows two sizes; here it follows from the blocks, so that little
// of it is left over at the end, and a size of which a program has few blocks takes little.

static size_t brawn_page_bytes(size_t block_size) {
  if (block_size > MI_MEDIUM_OBJ_SIZE_MAX) return block_size;  // one block
  const size_t bytes = block_size * BRAWN_PAGE_BLOCKS;
  return bytes < BRAWN_PAGE_MIN ? BRAWN_PAGE_MIN : bytes;
}

mi_page_t *_mi_segment_page_alloc(mi_heap_t *heap, size_t block_size, size_t page_alignment, mi_segments_tld_t *tld) {
  MI_UNUSED(page_alignment);
  const mi_page_kind_t kind = block_size <= MI_MEDIUM_OBJ_SIZE_MAX ? MI_PAGE_MEDIUM : MI_PAGE_LARGE;
  return mi_segments_page_alloc(heap, kind, brawn_page_bytes(block_size), block_size, tld);
}
