//! Any bytes are notes, or an error with a place.

pub fn run(bytes: &[u8]) {
    if let Err(error) = brawn_core::note::read(bytes, 0) {
        assert!(error.offset().is_some());
    }
    let _ = brawn_core::note::read(bytes, u64::MAX);
}
