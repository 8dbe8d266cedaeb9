//! The one pass over all code. It finds every place whose four bytes, taken as an operand, give an address in a small
//! set of ranges. Nothing is decoded here, and most of the places found turn out to be something else.

use crate::work::Ranges;
use std::ops::Range;

/// How many bytes are compared together.
const BLOCK: usize = 64;
/// If there are more ranges than this, neighbours are joined.
pub const CLUSTERS: usize = 4;
/// If another immediate operand follows an operand, its distance counts from the end of that, at most this many bytes
/// later.
const BEHIND: u64 = 4;

/// The ranges of addresses to search for.
#[derive(Debug)]
pub struct Wanted {
    /// Ascending, joined where they touch.
    ranges: Vec<Range<u64>>,
    /// Start and length of ranges that together contain all of `ranges`, in 32-bit arithmetic. A hit in one of them
    /// is checked again.
    clusters: [(u32, u32); CLUSTERS],
}

impl Wanted {
    /// A search for these ranges.
    pub fn new(ranges: Vec<Range<u64>>) -> Self {
        let Ranges(joined) = Ranges::new(ranges);
        let mut wide = joined.clone();
        while wide.len() > CLUSTERS {
            let gap = |n: &usize| wide[n + 1].start - wide[*n].end;
            let narrowest = (0..wide.len() - 1).min_by_key(gap).unwrap_or_default();
            wide[narrowest].end = wide.remove(narrowest + 1).end;
        }
        let mut clusters = [(0, 0); CLUSTERS];
        for (cluster, range) in clusters.iter_mut().zip(&wide) {
            let length = (range.end - range.start).saturating_add(BEHIND);
            *cluster = (
                range.start.wrapping_sub(BEHIND) as u32,
                u32::try_from(length).unwrap_or(u32::MAX),
            );
        }
        Self {
            ranges: joined,
            clusters,
        }
    }

    /// Start and length of ranges that together contain all that is searched for, in 32-bit arithmetic.
    pub fn clusters(&self) -> [(u32, u32); CLUSTERS] {
        self.clusters
    }

    /// Whether there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// From the first to the last address that is searched for.
    pub fn span(&self) -> Option<Range<u64>> {
        Some(self.ranges.first()?.start..self.ranges.last()?.end)
    }

    /// The first address in `range` that is searched for.
    pub fn first_in(&self, range: Range<u64>) -> Option<u64> {
        let next = self.ranges.partition_point(|r| r.end <= range.start);
        let first = self.ranges.get(next)?.start.max(range.start);
        (first < range.end).then_some(first)
    }

    /// Whether `address` is in one of the ranges.
    pub fn contains(&self, address: u64) -> bool {
        let behind = self.ranges.partition_point(|r| r.start <= address);
        behind > 0 && address < self.ranges[behind - 1].end
    }

    /// Calls `found` for every offset in `code` (at `address`) whose four bytes may be the distance from the next
    /// byte to one of the ranges.
    pub fn relative(&self, code: &[u8], address: u64, mut found: impl FnMut(usize)) {
        let clusters = self.clusters;
        let mut at = 0;
        while let Some(block) = code
            .get(at..)
            .and_then(|c| c.first_chunk::<{ BLOCK + 3 }>())
        {
            let next = (address as u32).wrapping_add(at as u32).wrapping_add(4);
            if is_near::<true>(block, next, &clusters) {
                for n in at..at + BLOCK {
                    self.check(code, address, n, &mut found);
                }
            }
            at += BLOCK;
        }
        for n in at..code.len().saturating_sub(3) {
            self.check(code, address, n, &mut found);
        }
    }

    fn check(&self, code: &[u8], address: u64, at: usize, found: &mut impl FnMut(usize)) {
        let Some(distance) = code[at..].first_chunk().map(|b| i32::from_le_bytes(*b)) else {
            return;
        };
        let target = (address + at as u64 + 4).wrapping_add_signed(distance.into());
        let is_in = |(start, length): &(u32, u32)| (target as u32).wrapping_sub(*start) < *length;
        if self.clusters.iter().any(is_in) && self.is_within(target) {
            found(at);
        }
    }

    /// Whether one of the ranges overlaps the addresses that `target` may mean.
    fn is_within(&self, target: u64) -> bool {
        let behind = self
            .ranges
            .partition_point(|r| r.start <= target.saturating_add(BEHIND));
        behind > 0 && target < self.ranges[behind - 1].end
    }

    /// The same for four bytes that are themselves an address in one of the ranges.
    pub fn absolute(&self, code: &[u8], mut found: impl FnMut(usize)) {
        // Operands have 32 bits: higher addresses are not searched for.
        if self
            .ranges
            .first()
            .is_none_or(|r| r.start > u32::MAX.into())
        {
            return;
        }
        let clusters = self.clusters;
        let mut at = 0;
        let mut check = |n: usize| {
            let value = code[n..].first_chunk().map(|b| u32::from_le_bytes(*b));
            if value.is_some_and(|v| self.contains(v.into())) {
                found(n);
            }
        };
        while let Some(block) = code
            .get(at..)
            .and_then(|c| c.first_chunk::<{ BLOCK + 3 }>())
        {
            if is_near::<false>(block, 0, &clusters) {
                (at..at + BLOCK).for_each(&mut check);
            }
            at += BLOCK;
        }
        (at..code.len().saturating_sub(3)).for_each(check);
    }

    /// Calls `found` for the offset of every aligned 64-bit word that is an address in one of the ranges; `data` is
    /// at `address`.
    pub fn words(&self, data: &[u8], address: u64, mut found: impl FnMut(usize, u64)) {
        let (Some(first), Some(last)) = (self.ranges.first(), self.ranges.last()) else {
            return;
        };
        let (start, length) = (first.start, last.end - first.start);
        let skip = (address.wrapping_neg() & 7) as usize;
        let (words, _) = data.get(skip..).unwrap_or_default().as_chunks::<8>();
        for (number, word) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            if word.wrapping_sub(start) < length && self.contains(word) {
                found(skip + 8 * number, word);
            }
        }
    }
}

/// Whether any four bytes of the block may mean a place in a cluster. The code is written so that compilers vectorize
/// it: each of the four alignments is a row of words.
fn is_near<const RELATIVE: bool>(
    block: &[u8; BLOCK + 3],
    next: u32,
    clusters: &[(u32, u32); CLUSTERS],
) -> bool {
    // Fewer clusters take less time; the used ones come first.
    match clusters {
        [one, (_, 0), ..] => is_in::<RELATIVE, 1>(block, next, &[*one]),
        [one, other, (_, 0), _] => is_in::<RELATIVE, 2>(block, next, &[*one, *other]),
        all => is_in::<RELATIVE, CLUSTERS>(block, next, all),
    }
}

#[inline]
fn is_in<const RELATIVE: bool, const N: usize>(
    block: &[u8; BLOCK + 3],
    next: u32,
    clusters: &[(u32, u32); N],
) -> bool {
    let mut any = false;
    for alignment in 0..4 {
        let (row, _) = block[alignment..alignment + BLOCK].as_chunks::<4>();
        for (n, word) in row.iter().enumerate() {
            let mut target = u32::from_le_bytes(*word);
            if RELATIVE {
                target = target.wrapping_add(next.wrapping_add((alignment + 4 * n) as u32));
            }
            for (start, length) in clusters {
                any |= target.wrapping_sub(*start) < *length;
            }
        }
    }
    any
}

#[cfg(test)]
mod tests;
