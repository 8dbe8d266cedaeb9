use super::*;

#[test]
fn medians_of_odd_and_even_counts() {
    assert_eq!(estimate(&[3.0, 1.0, 2.0]).map(|e| e.median), Some(2.0));
    assert_eq!(estimate(&[4.0, 1.0, 2.0, 3.0]).map(|e| e.median), Some(2.5));
    assert_eq!(estimate(&[7.0]).map(|e| (e.low, e.high)), Some((7.0, 7.0)));
    assert_eq!(estimate(&[]), None);
}

/// The published table of the sign test (95 %): n, and the index of the sample, counted from one, at the lower
/// end of the interval.
#[test]
fn intervals_agree_with_the_published_table() {
    for (n, rank) in [
        (5, 1),
        (6, 1),
        (8, 1),
        (9, 2),
        (11, 2),
        (12, 3),
        (15, 4),
        (20, 6),
        (25, 8),
        (100, 40),
    ] {
        assert_eq!(outside(n) + 1, rank, "{n} samples");
    }
}

#[test]
fn samples_that_are_missing_do_not_count() {
    let e = estimate(&[f64::NAN, 1.0, f64::INFINITY, 3.0]).expect("two samples");
    assert_eq!((e.median, e.samples), (2.0, 2));
}
