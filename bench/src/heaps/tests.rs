use super::*;
use crate::raw::Measurement;
use std::collections::BTreeMap;

#[test]
fn every_heap_stands_in_one_row_against_glibc_and_mimalloc_2() {
    let mut m = Measurement::empty("heaps-server");
    for (place, variant) in Variant::HEAPS.into_iter().enumerate() {
        let of = |value: f64| vec![Some(value)];
        let sample = [
            ("cpu_ns".to_owned(), of(1e6 * (place + 1) as f64)),
            ("operations".to_owned(), of(1e5)),
            ("hwm_kb".to_owned(), of(1024.0)),
        ];
        m.samples.insert(variant, BTreeMap::from(sample));
    }
    let results = Results::of("2025-01-01", [m]);
    let shown = times(&results).markdown();
    let row = shown.lines().last().unwrap_or_default();
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    assert_eq!(cells.len(), 1 + Variant::HEAPS.len() + 2, "{row}");
    assert_eq!(cells[1..4], ["10.0\u{a0}ns", "2.00x", "3.00x"], "{row}");
    assert!(cells[11].starts_with("3.00x"), "{row}");
    assert!(cells[12].starts_with("0.50x"), "{row}");
    assert_eq!(memory(&results).rows.len(), 1);
    assert!(
        said(&results).contains("mimalloc ?, "),
        "{}",
        said(&results)
    );
}
