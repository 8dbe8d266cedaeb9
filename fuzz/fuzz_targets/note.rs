//! Any bytes are notes, or an error with a place.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = brawn_core::note::read(bytes, 0) {
        assert!(error.offset().is_some());
    }
    let _ = brawn_core::note::read(bytes, u64::MAX);
});
