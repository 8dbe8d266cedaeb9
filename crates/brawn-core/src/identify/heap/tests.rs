use super::*;

#[test]
fn names_know_their_owners() {
    for (name, heap) in [
        (&b"__malloc_context"[..], Heap::MuslMallocng),
        (b"__bin_chunk", Heap::MuslOldmalloc),
        (b"_rjem_mallctl", Heap::Jemalloc),
        (b"mallctl", Heap::Jemalloc),
        (b"runtime.mallocgc", Heap::Go),
        (b"_ZN8snmalloc5AllocE", Heap::Snmalloc),
    ] {
        assert_eq!(by_symbol(name), Some(heap));
    }
    // Names of no particular heap: every heap has these.
    for name in [&b"malloc"[..], b"__libc_malloc", b"mi_page_queue_push", b""] {
        assert_eq!(by_symbol(name), None);
    }
}

#[test]
fn tables_are_whole() {
    assert_eq!(&SIZE_CLASSES_LITTLE[20..24], [12, 0, 15, 0]);
    assert_eq!(&SIZE_CLASSES_BIG[20..24], [0, 12, 0, 15]);
    // From bin 40 on, each bin has the width of its group.
    for (bin, count) in [(32, 1), (36, 2), (40, 4), (44, 8), (47, 8)] {
        assert_eq!(BINS.iter().filter(|b| **b == bin).count(), count);
    }
}
