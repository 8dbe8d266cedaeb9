use super::*;
use crate::raw::Measurement;
use std::collections::BTreeMap;

fn results(id: &str, metric: &str, figures: &[(Variant, &[Option<f64>])]) -> Results {
    let samples = figures
        .iter()
        .map(|(v, s)| (*v, BTreeMap::from([(metric.to_owned(), s.to_vec())])));
    let measurement = Measurement {
        samples: samples.collect(),
        ..Measurement::empty(id)
    };
    Results::of("", [measurement])
}

fn cells(table: &Table, row: usize) -> Vec<&str> {
    match &table.rows[row] {
        Row::Cells(cells) => cells.iter().map(|c| c.text.as_str()).collect(),
        Row::Heading(_) => Vec::new(),
    }
}

#[test]
fn ratios_are_taken_round_by_round() {
    // The machine was ten times slower in the last round: the ratio stays.
    let r = results(
        "threads-1",
        "ns",
        &[
            (Variant::Glibc, &[Some(10.0), Some(10.0), Some(100.0)]),
            (Variant::Brawn, &[Some(8.0), Some(8.0), Some(80.0)]),
            (Variant::Stock, &[Some(200.0), None, Some(2000.0)]),
        ],
    );
    let expected = [
        bars("libcs")[0].measure,
        "20.0x",
        "–",
        "–",
        "10.0 ns",
        "0.80x",
        "≤ 1.00x: met",
    ];
    assert_eq!(cells(&table(&r, "libcs"), 0), expected);
}

#[test]
fn the_worst_block_size_decides() {
    let bars = bars("libcs");
    let row = bars.iter().position(|b| b.ids.len() == 5).expect("a bar");
    let ids = &bars[row].ids;
    let mut r = results(
        ids[0],
        "held_bytes",
        &[
            (Variant::Stock, &[Some(100.0)]),
            (Variant::Brawn, &[Some(99.0)]),
        ],
    );
    assert_eq!(
        cells(&table(&r, "libcs"), row)[6],
        "≥ 99.0 % of stock musl's: not measured",
        "four sizes are missing"
    );
    for id in &ids[1..] {
        let one = results(
            id,
            "held_bytes",
            &[
                (Variant::Stock, &[Some(100.0)]),
                (Variant::Brawn, &[Some(89.0)]),
            ],
        );
        r.measurements.extend(one.measurements);
    }
    assert_eq!(cells(&table(&r, "libcs"), row)[5], "89.0 %");
    assert_eq!(
        cells(&table(&r, "libcs"), row)[6],
        "≥ 99.0 % of stock musl's: not met"
    );
}

#[test]
fn every_bar_names_measurements_of_the_catalogue() {
    for table in ["libcs", "profiles", "rust", "linked"] {
        let bars = bars(table);
        assert!(!bars.is_empty(), "{table}");
        for id in bars.iter().flat_map(|b| &b.ids) {
            assert!(crate::catalogue::entry(id).is_some(), "{id}");
        }
    }
}
