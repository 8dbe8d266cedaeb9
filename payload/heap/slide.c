// Grows a block where there is no address space for it twice (RLIMIT_AS): room is mapped just below,
// and the block copied down to its start.  NULL: no room there, and the block is as it was.
static NOINLINE void *brawn_large_slide(mi_segment_t *segment, size_t size) {
    brawn_slack_forget(segment);
    const size_t used = segment->segment_size;
    const size_t mapping = brawn_large_mapping(segment, size);
    if (mapping <= used || mapping > (uintptr_t)segment) return NULL;
    const size_t guard = brawn_large_guard(segment);
    const size_t more = _mi_align_up(mapping - used, MI_SEGMENT_ALIGN);
    mi_segment_t *const below = (mi_segment_t *)((uint8_t *)segment - more);
    // At a hint that is taken the kernel maps elsewhere.
    void *const mapped = brawn_map(below, more, PROT_RW_);
    if (mapped != below) {
        if (mapped != NULL) brawn_unmap(mapped, more);
        return NULL;
    }
    mi_atomic_store_relaxed(&brawn_hint, (uintptr_t)below);
    arch_copy((uint8_t *)below + MI_SEGMENT_SLICE_SIZE, (uint8_t *)segment + MI_SEGMENT_SLICE_SIZE,
        used - MI_SEGMENT_SLICE_SIZE);  // first byte first, and the target is below: it may overlap
    // What is left over above has the guard at its end; it goes to the new end.
    const size_t left = more + used - mapping;
    if (guard > 0 && left > 0) {
        brawn_protect((uint8_t *)below + mapping, guard, PROT_NONE_);
        brawn_discard((uint8_t *)below + mapping, guard);
    }
    brawn_unmap((uint8_t *)below + mapping + guard, left);
    brawn_keep_small_pages(below, mapping);
    mi_atomic_add_relaxed(&brawn_large_bytes, mapping - used);
    brawn_large_describe(below, mapping, MI_SEGMENT_SLICE_SIZE, guard);
    return brawn_large_give_out(below, size);
}
