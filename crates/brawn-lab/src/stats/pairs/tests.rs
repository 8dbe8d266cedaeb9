use super::*;

/// Two-sided 1 % and 5 % points of the signed-rank statistic, from the published tables: the largest value that is
/// still significant.
#[test]
fn cuts_agree_with_the_published_table() {
    for (n, five, one) in [
        (6, Some(0), None),
        (8, Some(3), Some(0)),
        (10, Some(8), Some(3)),
        (15, Some(25), Some(15)),
        (20, Some(52), Some(37)),
        (30, Some(137), Some(109)),
        (50, Some(434), Some(373)),
    ] {
        let cut = |alpha| outside(n, alpha).map(|k| k - 1);
        assert_eq!(cut(0.05), five, "{n} pairs");
        assert_eq!(cut(0.01), one, "{n} pairs");
    }
    // Where the normal distribution takes over, there is no step.
    let (exact, near) = (outside(100, 0.01), outside(101, 0.01));
    let step = near.unwrap_or_default() - exact.unwrap_or_default();
    assert!((20..50).contains(&step), "{exact:?} {near:?}");
}

#[test]
fn an_outlier_moves_little_and_too_few_are_said_to_be() {
    let mut pairs = vec![(1.1, 1.0); 12];
    pairs[3] = (11.0, 1.0);
    let found = ratio(&pairs).expect("pairs");
    assert!((found.ratio - 1.1).abs() < 1e-9 && found.is_certain);
    assert!(!ratio(&pairs[..4]).expect("pairs").is_certain);
    assert_eq!(ratio(&[]), None);
    assert_eq!(ratio(&[(0.0, 1.0), (1.0, 0.0)]), None);
    let many = ratio(&vec![(2.0, 1.0); 5000]).expect("pairs");
    assert!((many.ratio - 2.0).abs() < 1e-9 && many.pairs == 5000);
}
