//! Any bytes are members within the limits, or an error that says what was found.

use brawn_core::report::package::{Limits, look, may_have};

const LIMITS: Limits = Limits {
    member: 1 << 16,
    total: 1 << 18,
    members: 64,
    header: 1 << 12,
    ratio: (64, 1 << 14),
};

pub fn run(bytes: &[u8]) {
    let (mut taken, mut size) = (0, 0);
    let result = look(bytes, LIMITS, &mut |_, member| match member {
        Ok(member) => {
            assert!(member.len() as u64 <= LIMITS.member);
            taken += 1;
            size += member.len() as u64;
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    });
    // What looks like data from its beginning has nothing to look at.
    if !may_have(bytes) {
        assert!(taken == 0 && !matches!(result, Ok(n) if n != 1));
    }
    assert!(taken <= LIMITS.members && size <= LIMITS.total);
    if let Err(error) = result {
        assert!(!error.to_string().is_empty());
    }
}
