use super::*;
use std::collections::BTreeMap;

fn raw(after: &[(&str, f64, f64)]) -> Raw {
    let sample = |first: f64, last: f64| {
        let figures = [
            ("rss_1s_kb", first),
            ("pss_1s_kb", first - 8.0),
            ("rss_10s_kb", last),
            ("pss_10s_kb", last - 900.0),
        ];
        Sample::from(figures.map(|(name, value)| (name.to_owned(), value)))
    };
    let round = after
        .iter()
        .map(|(heap, first, last)| (name("hour", heap), sample(*first, *last)));
    let mut raw = Raw::new("test", std::path::Path::new("brawn"));
    raw.rounds = vec![round.collect::<BTreeMap<_, _>>()];
    raw
}

#[test]
fn differences_after_ten_seconds_are_named() {
    let same = raw(&[("glibc", 4000.0, 4000.0), ("brawn", 4000.0, 4030.0)]);
    assert!(later(&same).contains("in all 2 pairs"), "{}", later(&same));
    let other = raw(&[("glibc", 4000.0, 4000.0), ("brawn", 4000.0, 2000.0)]);
    let text = later(&other);
    assert!(text.contains("in 1 of 2 pairs"), "{text}");
    assert!(
        text.contains("others: 0.50x in `hour` with brawn."),
        "{text}"
    );
    assert!(later(&raw(&[])).starts_with("No load"));
}

#[test]
fn what_is_shared_is_told_apart_for_glibc() {
    let text = pss(&raw(&[("glibc", 4000.0, 4000.0)]));
    assert!(
        text.contains("at most 900 KiB less in programs with glibc"),
        "{text}"
    );
    assert!(text.contains("at most 0 KiB less in the static"), "{text}");
}

#[test]
fn heaps_that_have_no_column_are_named() {
    assert_eq!(left_out(&raw(&[("glibc", 1.0, 1.0)]), "x.json"), "");
    let text = left_out(&raw(&[("mimalloc3", 1.0, 1.0)]), "x.json");
    assert!(
        text.contains("also has mimalloc3: `brawn-bench rss --from x.json`"),
        "{text}"
    );
}
