//! Where a branch goes, read from its bytes. `check` uses it for what `branch` wrote, and shares no code with it.

use crate::arch::Isa;

/// The most bytes that a branch to the payload has.
pub const LONGEST: u64 = 12;

/// The bytes of one call or jump.
pub fn instruction(architecture: Isa) -> u64 {
    architecture.facts().branch
}

/// A branch in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The address that it goes to.
    pub target: u64,
    /// Whether it leaves a return address.
    pub is_call: bool,
    /// How many bytes it has.
    pub length: u64,
}

/// The branch that `code`, which is at address `at`, begins with.
pub fn read(architecture: Isa, code: &[u8], at: u64) -> Option<Branch> {
    match architecture {
        Isa::X86_64 => x86_64(code, at),
        Isa::Aarch64 => aarch64(code, at),
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
    let word = |number: usize| {
        let bytes = code.get(number * 4..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let first = word(0)?;
    // `b` and `bl`: bits 0 to 25 are the distance in instructions; moved to the top they keep their sign.
    if first >> 26 & 0x1f == 0b00101 {
        let distance = ((first << 6) as i32 >> 6) as i64 * 4;
        return Some(Branch {
            target: at.wrapping_add_signed(distance),
            is_call: first >> 31 == 1,
            length: 4,
        });
    }
    // `adrp x16`, `add x16, x16, …`, `br x16`
    let (second, third) = (word(1)?, word(2)?);
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

#[cfg(test)]
mod tests;
