// How a heap gives up its empty pages.
//
// Which pages are empty is known without a look at each of them, which takes long where there are many: for each one the processor waits for memory.
// A page whose last block its own thread frees waits in few places (_mi_page_retire, spare.c).  And of what other threads free in a page, one
// block is on the heap's own list (free.c of the engine, mi_free_block_delayed_mt): when that is freed, the page's others are, too.

// By force: nothing that is free waits any longer.
static NOINLINE void brawn_heap_collect(mi_heap_t *heap, bool force) {
    if (force) brawn_parcels_collect(heap);
    _mi_heap_delayed_free_partial(heap);
    if (force) brawn_spans_release();
    _mi_heap_collect_retired(heap, force);
}

// All pages become nobody's, with what is in use in them.
static NOINLINE void brawn_heap_abandon(mi_heap_t *heap) {
    mi_collect_t abandon = MI_ABANDON;
    mi_heap_visit_pages(heap, &mi_heap_page_never_delayed_free, true, NULL, NULL);
    _mi_heap_delayed_free_all(heap);
    _mi_heap_collect_retired(heap, true);
    mi_heap_visit_pages(heap, &mi_heap_page_collect, true, &abandon, NULL);
}

// The engine's mi_heap_collect: now and then, and by force when a mapping failed.  Then segments that ended threads left go to the
// first thread, too.
static void brawn_collect(mi_heap_t *heap, bool force) {
    if (force && heap == &_mi_heap_main) _mi_abandoned_reclaim_all(heap, &heap->tld->segments);
    brawn_heap_collect(heap, force);
    _mi_abandoned_collect(heap, force, &heap->tld->segments);
    _mi_arenas_collect(force);
}
