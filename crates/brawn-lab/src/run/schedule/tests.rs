use super::*;
use std::collections::BTreeSet;

#[test]
fn every_round_has_every_candidate_and_every_second_one_goes_back() {
    let all = rounds(3, 100, 7);
    assert_eq!(all, rounds(3, 100, 7), "the same seed, the same order");
    assert_ne!(all, rounds(3, 100, 8));
    for pair in all.chunks(2) {
        let back: Vec<usize> = pair[1].iter().rev().copied().collect();
        assert_eq!(pair[0], back);
        let once: BTreeSet<usize> = pair[0].iter().copied().collect();
        assert_eq!(once.len(), 3);
    }
    let firsts: BTreeSet<usize> = all.iter().map(|round| round[0]).collect();
    assert_eq!(firsts.len(), 3, "every candidate comes first at times");
}
