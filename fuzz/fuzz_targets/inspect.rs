//! Any bytes are a report of `inspect`, and one of `verify`, that is true to itself and can be
//! printed, or an error that says what was found.

use brawn_core::report::inspect::{Verdict, inspect};
use brawn_core::report::verify::Verdict::Replaced;
use brawn_core::report::verify::{Function, Provider, verify};

pub fn run(bytes: &[u8]) {
    match inspect(bytes) {
        Ok(report) => {
            let is_several = report.heaps.len() > 1;
            assert!(report.verdict != Verdict::Mixed || is_several);
            assert_eq!(report.heap.contains(" + "), is_several);
            assert!(!report.why.is_empty());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    // What is replaced only where something is brawn's, by its note or by its code.
    if let Ok(report) = verify(bytes, brawn_payload::payloads()) {
        let is_brawns = |f: &Function| f.provider == Provider::Brawn;
        let is_there = report.note.is_some() || report.functions.iter().any(is_brawns);
        assert!(report.verdict != Replaced || is_there);
        assert!(!report.why.is_empty());
    }
}
