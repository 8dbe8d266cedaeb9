//! Finds the addresses that aarch64 code refers to. Every instruction has 4 bytes, and the address of data takes two
//! instructions: `adrp` gives the page, and a later one adds the offset in it. Encodings are from the Arm
//! Architecture Reference Manual, chapter C4.

mod data;
mod near;
mod table;
mod trail;
mod unallocated;
mod word;

pub use data::take_out;
pub use table::Data;

use super::reference::Reference;
use super::scan::Wanted;
use crate::arch::words;
use near::Near;
use std::ops::Range;
use trail::Trail;
use word::{bit, direct, page, written};

/// Size of an instruction, and of the jump `b`, in bytes.
pub const JUMP: u64 = 4;
/// `bti c` and `bti jc`, on which indirect calls land.
const BTI: [u32; 2] = [0xd503_245f, 0xd503_24df];
const NOP: u32 = 0xd503_201f;
const RET: u32 = 0xd65f_03c0;
/// How many instructions after an `adrp` are searched for the one that completes the address.
const NEAR: usize = 128;
/// The same for pages that matter: a register that calls preserve may hold a page through all of a large function.
const WIDE: usize = 1 << 14;
/// In one pass, each instruction of the code may add this many to the instructions beyond [`NEAR`] that are searched.
const EACH: usize = 16;
/// A jump that goes farther ahead than this, in bytes, leads to another function.
const FAR: u64 = 1024;

/// The address after a landing pad at `address`.
pub fn behind_landing(code: &[u8], address: u64) -> u64 {
    let is_pad = words(code).next().is_some_and(|w| BTI.contains(&w));
    address + 4 * u64::from(is_pad)
}

/// How many bytes of padding `code` begins with.
pub fn padding(code: &[u8]) -> u64 {
    4 * words(code).take_while(|w| [NOP, 0].contains(w)).count() as u64
}

/// The value of `x2` after `code`: all bits of all numbers that the code puts there, since some path may skip the
/// last of them. `None` if it is not a number.
pub fn third_argument(code: &[u8]) -> Option<u64> {
    let (mut value, mut all) = (None, 0);
    for word in words(code) {
        // movz with 32 or 64 bits
        if word & 0x7f80_001f == 0x5280_0002 {
            value = Some(u64::from(word >> 5 & 0xffff) << (16 * (word >> 21 & 3)));
        } else if word & 0x7fff_ffff == 0x2a1f_03e2 {
            // mov of the zero register
            value = Some(0);
        } else if written(word) & bit(2) != 0 || word & 0x7f80_001f == 0x7280_0002 {
            // A call, or another write to the register; movk changes only a part.
            value = None;
        }
        all |= value.unwrap_or_default();
    }
    value.map(|_| all)
}

const SVC: u32 = 0xd400_0001;

/// Whether `code` contains `svc #0`.
pub fn calls_kernel(code: &[u8]) -> bool {
    words(code).any(|w| w == SVC)
}

/// The upper six bits of `b` and of `bl`.
const B: u32 = 5;
const BL: u32 = 0x25;

/// Whether the next instruction does not follow: behind `ret`, `br` and `b`.
fn is_last(word: u32) -> bool {
    word == RET || word & 0xffff_fc1f == 0xd61f_0000 || word >> 26 == B
}

/// Where the function at the start of `code` ends: after the first instruction that does not go on to the next one
/// and over which no earlier jump leads.
pub fn end(code: &[u8]) -> u64 {
    let mut farthest = 0;
    for (number, word) in words(code).enumerate() {
        let at = 4 * number as u64;
        let jump = direct(word, at).filter(|r| r.is_branch && word >> 26 != BL);
        if let Some(to) = jump.map(|r| r.target).filter(|to| *to < code.len() as u64) {
            let is_other = word >> 26 == B && to > at + FAR;
            farthest = farthest.max(if is_other { 0 } else { to });
        }
        if is_last(word) && at >= farthest {
            return at + 4;
        }
    }
    code.len() as u64
}

/// Everything that the code at `address` refers to.
pub fn references(code: &[u8], address: u64) -> Vec<Reference> {
    let mut found = Vec::new();
    for (number, word) in words(code).enumerate() {
        let at = address + 4 * number as u64;
        if let Some(reference) = direct(word, at) {
            found.push(reference);
        } else if let Some(page) = page(word, at) {
            let trail = Trail::follow(code, address, number, NEAR, Data::NONE);
            let targets = trail.completed.into_iter();
            let targets = targets.map(|within| page.wrapping_add_signed(within));
            found.extend(targets.map(|target| Reference::plain(at, target)));
        }
    }
    found
}

/// Calls `found` for every reference from the code at `address` to a place in `wanted`. `data` reads the program's
/// data.
///
/// If no instruction completes a page, and the page was lost on the way, the page counts if `wanted` has a place in
/// it: if in doubt, brawn refuses.
pub fn scan<'c>(
    code: &'c [u8],
    address: u64,
    wanted: &Wanted,
    data: Data<'c>,
    mut found: impl FnMut(Reference),
) {
    let Some(Range { start, end }) = wanted.span() else {
        return;
    };
    let (first, length) = (start & !0xfff, end - (start & !0xfff));
    let mut room = code.len() / 4 * EACH + WIDE;
    let near = Near::new(wanted, first..end);
    near.each(code, address, |number, word| {
        let at = address + 4 * number as u64;
        // Most instructions are neither of these: 5 bits tell.
        if let 0x14..=0x17
        | 0x34..=0x37
        | 0x10
        | 0x30
        | 0x50
        | 0x70
        | 0x18
        | 0x1c
        | 0x54
        | 0x58
        | 0x5c
        | 0x94..=0x98
        | 0x9c
        | 0xb4..=0xb7 = word >> 24
        {
            let is_wanted =
                |r: &Reference| r.target.wrapping_sub(first) < length && wanted.contains(r.target);
            if let Some(reference) = direct(word, at).filter(is_wanted) {
                found(reference);
            }
        } else if let Some(page) = page(word, at).filter(|p| p.wrapping_sub(first) < length) {
            let most = WIDE.min(room.max(NEAR));
            let mut trail = Trail::follow(code, address, number, most, data);
            let is_seen = !trail.completed.is_empty();
            if !is_seen && !trail.is_lost {
                trail.enter(number);
            }
            room = room.saturating_sub(trail.looked_at);
            let targets = trail.completed.iter();
            let targets = targets.map(|within| page.wrapping_add_signed(*within));
            let page = page..page.saturating_add(0x1000);
            let unknown = (trail.is_lost && !is_seen).then(|| wanted.first_in(page));
            targets
                .filter(|target| wanted.contains(*target))
                .chain(unknown.flatten())
                .for_each(|target| found(Reference::plain(at, target)));
        }
    });
}

#[cfg(test)]
mod tests;
