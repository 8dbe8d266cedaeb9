use super::*;
use std::collections::BTreeMap;
use std::path::Path;

fn sample(cpu: f64, rss: f64) -> Sample {
    let figures = [
        ("cpu_ns", cpu),
        ("requests", 10.0),
        ("faults", 5.0),
        ("hwm_kb", 2.0 * rss),
        ("rss_kb", rss),
    ];
    figures.map(|(name, value)| (name.to_owned(), value)).into()
}

#[test]
fn brawn_is_held_against_glibc_of_the_same_round() {
    let mut raw = Raw::new("test", Path::new("brawn"));
    for scale in [1.0, 3.0] {
        let run = |heap| key("axum/10K-1", heap);
        raw.rounds.push(BTreeMap::from([
            (run(GLIBC), sample(2e7 * scale, 8192.0)),
            (run(BRAWN), sample(1e7 * scale, 6144.0)),
        ]));
    }
    let times = times(&raw).markdown();
    assert!(times.contains("| 4.00\u{a0}ms | – | 0.50x<br>"), "{times}");
    assert_eq!(times.lines().count(), 4, "{times}");
    let memory = memory(&raw).markdown();
    assert!(memory.contains("0.75x"), "{memory}");
    assert_eq!(missed(&raw, false).0, 0);
    let (above, all, worst) = missed(&raw, true);
    assert_eq!((above, all), (1, 1));
    assert_eq!(worst.map(|w| w.1), Some(0.75));
}
