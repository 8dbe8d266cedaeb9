use super::*;

fn exactly(value: f64) -> Estimate {
    Estimate {
        median: value,
        low: value,
        high: value,
        samples: 1,
    }
}

/// brawn's time against glibc's and against mimalloc 2's, and its peak against glibc's.
fn judged(glibc: f64, mimalloc: f64, peak: f64) -> Vec<&'static str> {
    let time = |heap| match heap {
        Glibc => Some(exactly(glibc)),
        Variant::Mimalloc2 => Some(exactly(mimalloc)),
        _ => Some(exactly(0.5)),
    };
    let row = Judged::new("row", time, |_| Some(exactly(peak))).expect("all were measured");
    let fastest = if mimalloc > glibc {
        Variant::Mimalloc2
    } else {
        Glibc
    };
    assert_eq!(row.fastest.0, fastest);
    row.broken()
}

#[test]
fn time_may_be_longer_than_the_fastest_heaps_where_the_memory_is_used() {
    assert_eq!(judged(0.9, 1.05, 0.5), [""; 0]);
    assert_eq!(judged(0.9, 1.5, 1.05), [""; 0]);
    assert_eq!(judged(0.9, 1.5, 0.99), ["fastest"]);
    assert_eq!(judged(0.9, 1.5, 1.2), ["fastest", "peak"]);
    assert_eq!(judged(1.01, 0.8, 0.5), ["time"]);
}

#[test]
fn glibc_is_beaten_unless_the_whole_interval_is_above_it() {
    let noisy = Estimate {
        low: 0.98,
        ..exactly(1.05)
    };
    let row = Judged::new("row", |_| Some(noisy), |_| Some(exactly(0.5)));
    assert_eq!(row.expect("measured").broken(), [""; 0]);
}

#[test]
fn a_row_without_every_heap_is_none() {
    let time = |heap| (heap != Variant::Rpmalloc).then_some(exactly(1.0));
    assert!(Judged::new("row", time, |_| Some(exactly(1.0))).is_none());
}
