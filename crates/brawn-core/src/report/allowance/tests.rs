use super::*;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn no_more_is_taken_than_there_is() {
    let allowance = Allowance::new(100);
    let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for size in [40, 1, 100, 60, 0] {
                    let taken = allowance.take(size);
                    let sum = now.fetch_add(size, Ordering::SeqCst) + size;
                    most.fetch_max(sum, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(size, Ordering::SeqCst);
                    drop(taken);
                }
            });
        }
    });
    assert!(most.into_inner() <= 100);
    // A size above the limit must have the allowance alone.
    drop(allowance.take(1000));
    assert_eq!(*allowance.used(), 0);
}
