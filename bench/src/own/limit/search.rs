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
mod tests;
