// A heap looks through all of its pages: what other threads freed comes back, and empty pages go to their segments.

// MI_NORMAL: full pages stay as they are.  MI_FORCE: all are looked at, and no empty one stays.  MI_ABANDON: and the others
// become nobody's, with what is in use in them.
static NOINLINE void brawn_heap_collect(mi_heap_t *heap, mi_collect_t collect) {
    if (collect == MI_FORCE) brawn_parcels_collect(heap);
    if (collect == MI_ABANDON) {
        mi_heap_visit_pages(heap, &mi_heap_page_never_delayed_free, true, NULL, NULL);
        _mi_heap_delayed_free_all(heap);
    } else {
        _mi_heap_delayed_free_partial(heap);
    }
    _mi_heap_collect_retired(heap, collect != MI_NORMAL);
    mi_heap_visit_pages(heap, &mi_heap_page_collect, collect != MI_NORMAL, &collect, NULL);
}

// The engine's mi_heap_collect: now and then, and by force when a mapping failed.  Then segments that ended threads left go to the
// first thread, too.
static void brawn_collect(mi_heap_t *heap, bool force) {
    if (force && heap == &_mi_heap_main) _mi_abandoned_reclaim_all(heap, &heap->tld->segments);
    brawn_heap_collect(heap, force ? MI_FORCE : MI_NORMAL);
    _mi_abandoned_collect(heap, force, &heap->tld->segments);
    _mi_arenas_collect(force);
}
