//! Passes over the code in which no instruction refers to what is searched for: nearly all of it. Nothing is decoded here.

use super::super::scan::{CLUSTERS, Wanted};
use std::ops::Range;

/// How many instructions are compared together.
const BLOCK: usize = 16;
/// How far instructions other than `b`, `bl` and `adrp` reach, in bytes, from any instruction of a block.
const REACH: u32 = (1 << 20) + 4 * BLOCK as u32;

/// What is searched for, in 32-bit arithmetic: whatever differs only above is found, too, and checked again.
pub struct Near {
    /// Start and length of ranges to which branches lead.
    clusters: [(u32, u32); CLUSTERS],
    /// The first page, and the distance of the last byte from it.
    pages: (u32, u32),
}

impl Near {
    /// For instructions that refer to `wanted`, or to a page that begins in `pages`.
    pub fn new(wanted: &Wanted, pages: Range<u64>) -> Self {
        let last = pages.end.saturating_sub(pages.start + 1);
        Self {
            clusters: wanted.clusters(),
            pages: (pages.start as u32, u32::try_from(last).unwrap_or(u32::MAX)),
        }
    }

    /// Calls `found` for the instructions of the code at `address` that may be such, and others near them, each with its
    /// number.
    pub fn each(&self, code: &[u8], address: u64, mut found: impl FnMut(usize, u32)) {
        let (blocks, rest) = code.as_chunks::<4>().0.as_chunks::<BLOCK>();
        let mut tell = |first: usize, block: &[[u8; 4]]| {
            for (n, word) in block.iter().enumerate() {
                found(first + n, u32::from_le_bytes(*word));
            }
        };
        for (n, block) in blocks.iter().enumerate() {
            let first = n * BLOCK;
            let at = (address as u32).wrapping_add(4 * first as u32);
            if self.is_near(at) || self.refers(block, at) {
                tell(first, block);
            }
        }
        tell(blocks.len() * BLOCK, rest);
    }

    /// Whether any instruction may refer from `at` to what is searched for.
    fn is_near(&self, at: u32) -> bool {
        self.clusters.iter().any(|(start, length)| {
            let first = start.wrapping_sub(REACH);
            *length > 0 && at.wrapping_sub(first) <= length.saturating_add(2 * REACH)
        })
    }

    /// Whether a `b`, `bl` or `adrp` of the block does. The code is written so that compilers vectorize it.
    fn refers(&self, block: &[[u8; 4]; BLOCK], at: u32) -> bool {
        let mut any = false;
        for (n, word) in block.iter().enumerate() {
            let word = u32::from_le_bytes(*word);
            let at = at.wrapping_add(4 * n as u32);
            let target = at.wrapping_add(((word << 6).cast_signed() >> 4).cast_unsigned());
            let mut is_led_to = false;
            for (start, length) in self.clusters {
                is_led_to |= target.wrapping_sub(start) < length;
            }
            let pages = word >> 3 & 0x1f_fffc | word >> 29 & 3;
            let page = (at & !0xfff).wrapping_add(pages << 12);
            let is_there = page.wrapping_sub(self.pages.0) <= self.pages.1;
            any |= (word & 0x7c00_0000 == 0x1400_0000) & is_led_to;
            any |= (word & 0x9f00_0000 == 0x9000_0000) & is_there;
        }
        any
    }
}

#[cfg(test)]
mod tests;
