use super::*;
use std::collections::BTreeMap;

#[test]
fn a_sample_costs_what_the_operations_took_longer() {
    let of = |values: &[(&str, f64)]| {
        let values = values.iter();
        let values = values.map(|(name, value)| ((*name).to_owned(), vec![Some(*value)]));
        values.collect::<BTreeMap<_, _>>()
    };
    let mut m = Measurement::empty("traced-threads-1");
    m.samples
        .insert(Brawn, of(&[("cpu_ns", 7e6), ("operations", 1e6)]));
    m.samples
        .insert(Trace, of(&[("cpu_ns", 7e6), ("operations", 1e6)]));
    let recording = [("cpu_ns", 9e6), ("operations", 1e6), ("samples", 400.0)];
    m.samples.insert(Recording, of(&recording));
    assert_eq!(of_a_sample(&m), [5000.0]);
    let results = Results::of("2025-01-01", [m]);
    let said = said(&results);
    assert!(said.contains("becomes 1.0 % slower"), "{said}");
    assert!(said.contains("is met in 0 of the 1 rows"), "{said}");
    assert_eq!(times(&results).rows.len(), 1);
}
