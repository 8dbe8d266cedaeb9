use super::*;

fn raw(values: &[f64]) -> Raw {
    let round = |value: &f64| {
        let sample = Sample::from([("wall_ns".to_owned(), *value)]);
        BTreeMap::from([("run".to_owned(), sample)])
    };
    Raw {
        rounds: values.iter().map(round).collect(),
        ..Raw::new("test", Path::new("brawn"))
    }
}

#[test]
fn medians_and_peaks_are_of_all_rounds() {
    let raw = raw(&[3.0, 1.0, 2.0]);
    assert_eq!(raw.median("run", "wall_ns"), 2.0);
    assert_eq!(raw.most("run", "wall_ns"), 3.0);
}

#[test]
fn what_was_not_measured_meets_no_bar() {
    let raw = raw(&[]);
    let median = raw.median("run", "wall_ns");
    assert!(median.is_nan());
    let bar = Some(("≤ 1", median <= 1.0));
    let table = table([line("it", String::new(), bar)]);
    assert!(table.markdown().contains("not met"), "{}", table.markdown());
}
