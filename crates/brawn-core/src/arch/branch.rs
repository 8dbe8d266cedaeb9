//! Calls and jumps to fixed places, read from their bytes.

use super::{Isa, words};

/// A call or jump in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    /// The address that it goes to.
    pub target: u64,
    /// Whether it leaves a return address.
    pub is_call: bool,
    /// How many bytes it has.
    pub length: u64,
}

impl Branch {
    /// The most bytes that one has.
    pub const LONGEST: u64 = 12;
}

impl Isa {
    /// The branch that `code`, which is at address `at`, begins with.
    pub(crate) fn branch(self, code: &[u8], at: u64) -> Option<Branch> {
        match self {
            Self::X86_64 => x86_64(code, at),
            Self::Aarch64 => aarch64(code, at),
        }
    }

    /// Where a function at `address` goes, if it begins with a jump. A landing pad may stand before it.
    pub(crate) fn begins_with_jump(self, code: &[u8], address: u64) -> Option<u64> {
        let jump = match code.strip_prefix(self.facts().landing_pad) {
            Some(behind) => self.branch(behind, address.wrapping_add(4)),
            None => self.branch(code, address),
        };
        jump.filter(|jump| !jump.is_call).map(|jump| jump.target)
    }

    /// Calls and jumps with relative targets, of one instruction: the address of each and its target.
    pub(crate) fn branches(
        self,
        code: &[u8],
        address: u64,
    ) -> Box<dyn Iterator<Item = (u64, u64)> + '_> {
        match self {
            // Bytes inside other instructions may look like these too. The chance that such a target is one certain
            // address is one in 2^32 each time.
            Self::X86_64 => Box::new(memchr::memchr2_iter(0xe8, 0xe9, code).filter_map(
                move |at| {
                    let site = address.wrapping_add(at as u64);
                    Some((site, x86_64(&code[at..], site)?.target))
                },
            )),
            Self::Aarch64 => {
                let sites = (0..).map(move |n: u64| address.wrapping_add(4 * n));
                let branches = sites.zip(words(code));
                Box::new(branches.filter_map(|(site, word)| Some((site, b_or_bl(word, site)?))))
            }
        }
    }
}

fn x86_64(code: &[u8], at: u64) -> Option<Branch> {
    let (operation, rest) = code.split_first()?;
    let distance = i32::from_le_bytes(*rest.first_chunk()?);
    let next = at.wrapping_add(5);
    matches!(operation, 0xe8 | 0xe9).then(|| Branch {
        target: next.wrapping_add_signed(distance.into()),
        is_call: *operation == 0xe8,
        length: 5,
    })
}

fn aarch64(code: &[u8], at: u64) -> Option<Branch> {
    let mut words = words(code);
    let first = words.next()?;
    if let Some(target) = b_or_bl(first, at) {
        return Some(Branch {
            target,
            is_call: first >> 31 == 1,
            length: 4,
        });
    }
    // `adrp x16`, `add x16, x16, …`, `br x16`
    let (second, third) = (words.next()?, words.next()?);
    let is_far = first & 0x9f00_001f == 0x9000_0010
        && second & 0xffc0_03ff == 0x9100_0210
        && third == 0xd61f_0200;
    let (high, low) = (first >> 5 & 0x7_ffff, first >> 29 & 3);
    // 21 bits with a sign.
    let pages = (((high << 2 | low) << 11) as i32 >> 11) as i64;
    let page = (at & !0xfff).wrapping_add_signed(pages * 4096);
    is_far.then(|| Branch {
        target: page.wrapping_add(u64::from(second >> 10 & 0xfff)),
        is_call: false,
        length: 12,
    })
}

/// The target of the `b` or `bl` of aarch64 at `at`.
pub(crate) fn b_or_bl(word: u32, at: u64) -> Option<u64> {
    // Bits 0 to 25 are the distance in instructions; moved to the top they keep their sign.
    (word & 0x7c00_0000 == 0x1400_0000).then(|| {
        let distance = i64::from((word << 6) as i32 >> 4);
        at.wrapping_add_signed(distance)
    })
}

#[cfg(test)]
mod tests;
