use super::*;

#[test]
fn a_sample_stands_for_what_was_not_recorded() {
    let small = Amount::of(16, 512 << 10);
    assert!(
        (small.bytes - f64::from(512 << 10)).abs() < 16.0,
        "{small:?}"
    );
    let large = Amount::of(64 << 20, 512 << 10);
    assert!((large.blocks - 1.0).abs() < 1e-9, "{large:?}");
    assert!(Amount::of(0, 0).bytes.is_finite());
}

#[test]
fn a_large_block_is_known_for_certain_and_a_small_one_is_not() {
    let [small, large] = [16, 64 << 20].map(|size| Amount::of(size, 512 << 10).variance());
    assert!(
        (small.sqrt() - f64::from(512 << 10)).abs() < 32.0,
        "{small}"
    );
    assert!(large < 1.0, "{large}");
}

/// A thread's block counts as its own until it ends, and the parts are together what is in use.
#[test]
fn threads_have_curves_of_their_own() {
    let event = |block| Event {
        time: 0,
        process: 1,
        thread: 0,
        image: 0,
        block,
        taken: None,
    };
    let stacks = [7, 8, 7, 9, 10].map(|thread| (Vec::new(), thread));
    let mut threads = Threads::new(&stacks);
    let mut live = Live::new(stacks.len());
    for (stack, bytes) in [(0, 10.0), (1, 4.0), (2, 5.0), (3, 3.0), (4, 1.0)] {
        let amount = Amount { blocks: 1.0, bytes };
        live.apply(&event(stack as u64), Some(Begin { stack, amount }));
    }
    threads.look(&live, live.now);
    live.apply(&event(0), None);
    threads.look(&live, live.now);
    assert!((live.now - 13.0).abs() < 1e-9);
    let told = threads.highest();
    let told: Vec<_> = told.iter().map(|c| (c.thread, c.bytes.clone())).collect();
    let expected = [
        (7, vec![15.0, 5.0]),
        (8, vec![4.0, 4.0]),
        (9, vec![3.0, 3.0]),
    ];
    assert_eq!(told, expected);
}
