//! Any bytes are a recording of a heap, or an error; what is told of a recording has sums that are numbers.

use brawn_sample::heap::{Recording, profile};

pub fn run(bytes: &[u8]) {
    let Ok(recording) = Recording::parse(bytes.to_vec()) else {
        return;
    };
    let profile = profile(&recording);
    assert!(profile.asked().bytes.is_finite());
    assert!(profile.over_time.len() <= 401);
    for curve in &profile.threads_over_time {
        assert_eq!(curve.bytes.len(), profile.over_time.len());
    }
    for stack in &profile.stacks {
        assert!(
            stack
                .frames
                .iter()
                .all(|frame| *frame < profile.frames.len())
        );
    }
}
