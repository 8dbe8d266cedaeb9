//! Any bytes are a report that is true to itself and can be printed, or an error that says what was
//! found.
#![no_main]

use brawn_core::inspect::{Verdict, inspect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match inspect(bytes) {
        Ok(report) => {
            let is_several = report.heaps.len() > 1;
            assert!(report.verdict != Verdict::Mixed || is_several);
            assert_eq!(report.heap.contains(" + "), is_several);
            assert!(!report.why.is_empty());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
