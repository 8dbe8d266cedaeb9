//! Finds the smallest limit under which a program finishes.

use crate::Result;

/// The kernel counts whole pages of this size.
const PAGE: u64 = 4096;
/// The kernel hands out charges in portions of some tens of pages, so that nothing smaller can be told apart.
const FINEST: u64 = 64 << 10;
/// How often a limit that is too small is raised by a quarter.
const RAISES: usize = 32;

/// The smallest limit in bytes under which the program `finishes`, to a hundredth. It is taken to be more than `low`; `high` is where
/// the search begins.
pub fn smallest(low: u64, high: u64, mut finishes: impl FnMut(u64) -> Result<bool>) -> Result<u64> {
    let whole = |bytes: u64| bytes.next_multiple_of(PAGE);
    let (mut low, mut high) = (whole(low), whole(high.max(low + FINEST)));
    let mut raises = 0;
    while !finishes(high)? {
        raises += 1;
        if raises > RAISES {
            return Err(format!("it does not even finish with {high} bytes"));
        }
        (low, high) = (high, whole(high + high / 4));
    }
    while high - low > (high / 100).max(FINEST) {
        let middle = whole(low + (high - low) / 2);
        match finishes(middle)? {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn found(low: u64, high: u64, needed: u64) -> (u64, u32) {
        let mut runs = 0;
        let finishes = |limit| {
            runs += 1;
            Ok(limit >= needed)
        };
        let found = smallest(low, high, finishes).expect("found");
        (found, runs)
    }

    #[test]
    fn a_limit_is_found_to_a_hundredth() {
        for needed in [11 * MIB, 37 * MIB + 12345, 100 * MIB, 399 * MIB] {
            let (found, runs) = found(10 * MIB, 100 * MIB, needed);
            let most = needed + (needed / 99).max(FINEST) + PAGE;
            assert!((needed..=most).contains(&found), "{needed}: {found}");
            assert!(runs < 25, "{needed}: {runs}");
        }
    }

    #[test]
    fn little_memory_is_told_apart_by_portions() {
        let (found, _) = found(0, MIB, 300_000);
        assert!(
            (300_000..=300_000 + FINEST + PAGE).contains(&found),
            "{found}"
        );
    }

    #[test]
    fn a_program_that_never_finishes_is_an_error() {
        let error = smallest(MIB, 2 * MIB, |_| Ok(false)).expect_err("never");
        assert!(error.contains("does not even finish"), "{error}");
        assert_eq!(
            smallest(0, MIB, |_| Err("broken".to_owned())),
            Err("broken".to_owned())
        );
    }
}
