//! Finds the targets of a jump by a table. Compilers use entries with distances of 1, 2 or 4 bytes. The code has the
//! table's address, an index that was compared with the table's length, and the address from which the distances
//! count.

use super::word::{Op, SP, bit, direct, op, page, signed, written};
use std::ops::Range;

/// How many instructions before the jump are searched for its parts.
const NEAR: usize = 48;
/// How many are searched for the table's address: a register may hold it throughout a loop.
const WIDE: usize = 1 << 12;
/// The most entries of a table.
const MOST: u64 = 1 << 12;
/// How many instructions after a comparison may use its result.
const USED: usize = 4;

/// Gives access to a program besides its code.
#[derive(Clone, Copy)]
pub struct Data<'d> {
    /// The bytes at an address: address and size.
    pub at: &'d dyn Fn(u64, u64) -> Option<&'d [u8]>,
    /// The range of the function that contains an address.
    pub function: &'d dyn Fn(u64) -> Option<Range<u64>>,
}

impl Data<'_> {
    /// Nothing is known about the program.
    pub const NONE: Self = Self {
        at: &|_, _| None,
        function: &|_| None,
    };
}

struct Code<'c> {
    code: &'c [[u8; 4]],
    address: u64,
}

impl Code<'_> {
    fn word(&self, n: usize) -> u32 {
        self.code.get(n).map_or(0, |w| u32::from_le_bytes(*w))
    }

    fn at(&self, n: usize) -> u64 {
        self.address + 4 * n as u64
    }

    /// The last instruction before `n` that writes the register.
    fn writer(&self, n: usize, register: u32, most: usize) -> Option<usize> {
        let mut before = (0..n).rev().take(most);
        before.find(|n| written(self.word(*n)) & bit(register) != 0)
    }

    /// The address in the register at instruction `n`, if instructions make one.
    fn address(&self, n: usize, register: u32, most: usize) -> Option<u64> {
        let n = self.writer(n, register, most)?;
        let word = self.word(n);
        if word & 0x9f00_0000 == 0x1000_0000 {
            return direct(word, self.at(n)).map(|r| r.target);
        }
        let Op::Add { from, by, .. } = op(word) else {
            return None;
        };
        let n = self.writer(n, from, NEAR).filter(|_| from != SP)?;
        let page = page(self.word(n), self.at(n))?;
        Some(page.wrapping_add_signed(by))
    }

    /// The number of entries of the table whose index is in `register` at `n`: the index was compared with it.
    fn length(&self, n: usize, mut register: u32) -> Option<u64> {
        for n in (0..n).rev().take(NEAR) {
            let word = self.word(n);
            if word & 0x7f80_001f == 0x7100_001f && word >> 5 & 31 == register {
                let most = u64::from(word >> 10 & 0xfff) << (12 * (word >> 22 & 1));
                let condition = (n + 1..=n + USED).find_map(|n| condition(self.word(n)))?;
                return match condition {
                    // hs, lo
                    2 | 3 => Some(most),
                    // hi, ls
                    8 | 9 => Some(most + 1),
                    _ => None,
                };
            }
            if written(word) & bit(register) == 0 {
                continue;
            }
            // mov of 32 and 64 bits; csinc and csel, which limit the index
            if word & 0x7fe0_ffe0 == 0x2a00_03e0 {
                register = word >> 16 & 31;
            } else if condition(word).is_some() && word >> 5 & 31 == register {
                // The comparison is before the instruction.
            } else {
                return None;
            }
        }
        None
    }
}

/// The condition of `b.cond`, `csel` and similar instructions.
fn condition(word: u32) -> Option<u32> {
    if word & 0xff00_0010 == 0x5400_0000 {
        return Some(word & 15);
    }
    (word & 0x3fe0_0800 == 0x1a80_0000).then_some(word >> 12 & 15)
}

/// The targets of the jump `br`, which is instruction `n` of the code at `address` and jumps to the register `by`.
/// `None` if no table was found.
pub fn targets(
    code: &[[u8; 4]],
    address: u64,
    n: usize,
    by: u32,
    data: Data<'_>,
) -> Option<Vec<u64>> {
    let code = Code { code, address };
    // add of a register, shifted or extended
    let sum = code.writer(n, by, NEAR)?;
    let word = code.word(sum);
    let (shift, extension) = match word & 0xffe0_0000 {
        0x8b00_0000 => (word >> 10 & 63, 3),
        0x8b20_0000 => (word >> 10 & 7, word >> 13 & 7),
        _ => return None,
    };
    let (origin, distance) = (word >> 5 & 31, word >> 16 & 31);
    // ldrb, ldrh, ldrsw and similar ones, from a register plus an index
    let load = code.writer(sum, distance, NEAR)?;
    let word = code.word(load);
    if word & 0x3f20_0c00 != 0x3820_0800 || word >> 22 & 3 == 0 {
        return None;
    }
    let (base, number) = (word >> 5 & 31, word >> 16 & 31);
    let size = 1u64 << (word >> 30);
    let is_signed = word >> 23 & 1 == 1 || extension >= 4;
    let table = code.address(load, base, WIDE)?;
    let origin =
        match origin == base && code.writer(sum, origin, WIDE) == code.writer(load, base, WIDE) {
            true => table,
            false => code.address(sum, origin, NEAR)?,
        };
    let length = code.length(load, number);
    // If the index can never be too large, nothing compares it. Then the table ends before the first entry that leads
    // out of the function.
    let function = (data.function)(code.at(n)).filter(|_| length.is_none());
    let most = match (length, &function) {
        (Some(length), _) => length.min(MOST),
        (None, Some(_)) => MOST,
        (None, None) => return None,
    };
    let entry = |number: u64| {
        let at = table.checked_add(number * size)?;
        let entry = (data.at)(at, size).filter(|_| size < 8)?;
        let mut bytes = [0; 4];
        bytes[..entry.len()].copy_from_slice(entry);
        let value = u32::from_le_bytes(bytes);
        let value = match is_signed {
            true => signed(value, 0, 8 * size as u32),
            false => i64::from(value),
        };
        Some(origin.wrapping_add_signed(value.wrapping_shl(shift)))
    };
    let is_inside = |to: &u64| function.as_ref().is_none_or(|f| f.contains(to));
    let targets: Vec<u64> = (0..most).map_while(entry).take_while(is_inside).collect();
    let is_whole = match length {
        Some(length) => targets.len() as u64 == length,
        None => !targets.is_empty() && targets.len() as u64 != MOST,
    };
    is_whole.then_some(targets)
}
