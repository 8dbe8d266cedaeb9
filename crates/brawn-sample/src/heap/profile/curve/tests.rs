use super::*;

fn estimate(seconds: u32, bytes: f64, error: f64) -> Estimate {
    let seconds = f64::from(seconds);
    Estimate {
        seconds,
        bytes,
        error,
    }
}

#[test]
fn a_curve_of_many_points_keeps_its_peak_and_its_end() {
    let mut curve: Vec<Estimate> = (0..100_000).map(|n| estimate(n, 1.0, 0.0)).collect();
    curve[77_777].bytes = 9.0;
    assert_eq!(peak(&curve), Some(77_777));
    let points = shown(&curve, peak(&curve));
    assert!(points.len() <= MOST_POINTS + 1);
    assert!(points.contains(&(77_777, 9.0)));
    assert_eq!(points.last(), Some(&(99_999, 1.0)));
    assert!(shown(&[], None).is_empty());
    assert_eq!(peak(&[]), None);
}

/// First many samples, then one that stands for a hundred times as much.
#[test]
fn a_single_sample_is_no_peak() {
    let mut curve: Vec<Estimate> = (0..1000)
        .map(|n| estimate(n, 5.0 + f64::from(n % 2), 1.0))
        .collect();
    for n in 1000..9000 {
        // In use one time in a hundred.
        let bytes = if n % 100 == 0 { 500.0 } else { 0.0 };
        curve.push(estimate(n, bytes, bytes));
    }
    assert_eq!(peak(&curve), Some(1));
    let points = shown(&curve, peak(&curve));
    assert!(points.iter().all(|(_, bytes)| *bytes <= 6.0), "{points:?}");
    let late: Vec<f64> = points
        .iter()
        .filter(|(number, _)| (1000..8900).contains(number))
        .map(|(_, bytes)| *bytes)
        .collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((0.5..=6.0).contains(&mean), "{mean}");
}

#[test]
fn where_nothing_is_certain_most_samples_count() {
    let curve = [(3.0, 3.0), (7.0, 4.0), (900.0, 900.0), (2.0, 2.0)];
    let curve = curve.map(|(bytes, error)| estimate(0, bytes, error));
    assert_eq!(peak(&curve), Some(1));
}

/// A leak at the end of a long run: few samples, each of them of a gigabyte, and none that ends.
#[test]
fn a_late_leak_is_the_peak() {
    let early = (0..1000).map(|n| estimate(n, 10.0, 2.3));
    let late =
        (1..=12).map(|n: u32| estimate(1000 + n, 1e3 * f64::from(n), 1e3 * f64::from(n).sqrt()));
    let curve: Vec<Estimate> = early.chain(late).collect();
    assert_eq!(peak(&curve), Some(1011));
    assert_eq!(shown(&curve, peak(&curve)).last(), Some(&(1011, 12e3)));
}
