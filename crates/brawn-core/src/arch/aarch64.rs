//! aarch64. Instructions: Arm Architecture Reference Manual, chapter C6; relocations: ELF for the Arm 64-bit
//! Architecture.

use super::{Facts, Traits};
use crate::needle::needle;
use object::elf;
use std::ops::Range;

/// `bti c` and `bti jc`: in programs with control-flow enforcement, indirect calls must land on one.
const BTI: [u32; 2] = [0xd503_245f, 0xd503_24df];
/// `ret`.
const RET: u32 = 0xd65f_03c0;
/// `mov w0, #0` and `mov w0, wzr`.
const ZERO: [u32; 2] = [0x5280_0000, 0x2a1f_03e0];

pub(super) const TRAITS: Traits = Traits {
    // msr tpidr_el0, x0; mov w0, #0; ret
    set_thread_area: Some((
        needle!(b"\x40\xd0\x1b\xd5\x00\x00\x80\x52\xc0\x03\x5f\xd6"),
        0,
    )),
    // They compute the ends of both blocks and compare with 128.
    memcpy: Some((
        needle!(b"\x24\x00\x02\x8b\x05\x00\x02\x8b\x5f\x00\x02\xf1"),
        0,
    )),
    changed,
};

pub(super) const FACTS: Facts = Facts {
    page: 0x10000,
    relative: elf::R_AARCH64_RELATIVE.0,
    filler: 0, // udf
    step: 4,
    branch: 4,
    // and x1,x1,#-16; stp x0,x3,[x1,#-16]!
    clone: b"\x21\xec\x7c\x92\x20\x0c\xbf\xa9",
    is_stub,
    returned,
    begins_with_jump,
};

/// If the symbol is near, linkers replace the instruction.
fn changed(at: usize, _: u32) -> Range<usize> {
    at..at.saturating_add(4)
}

fn is_stub(code: &[u8]) -> bool {
    let words = code.as_chunks::<4>().0.iter();
    let mut rest = words
        .map(|w| u32::from_le_bytes(*w))
        .filter(|w| !BTI.contains(w));
    match rest.next() {
        Some(RET) => true,
        Some(first) => ZERO.contains(&first) && rest.next() == Some(RET),
        None => false,
    }
}

fn returned(code: &[u8]) -> Option<u32> {
    const LANDING: [u32; 2] = [0xd503_245f, 0xd503_233f]; // bti c; paciasp
    const FRAME: [u32; 2] = [0xa9bf_7bfd, 0x9100_03fd]; // stp x29, x30, [sp, #-16]!; mov x29, sp
    const UNFRAME: u32 = 0xa8c1_7bfd; // ldp x29, x30, [sp], #16
    const AUTHENTICATE: u32 = 0xd503_23bf; // autiasp
    const RETURN: u32 = 0xd65f_03c0; // ret
    let (words, _) = code.as_chunks();
    let mut words = words
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .peekable();
    while words.next_if(|word| LANDING.contains(word)).is_some() {}
    let is_framed = words.next_if_eq(&FRAME[0]).is_some();
    if is_framed {
        words.next_if_eq(&FRAME[1])?;
    }
    // movz w0, #imm16
    let value = words
        .next()
        .filter(|word| word & 0xffe0_001f == 0x5280_0000)?;
    if is_framed {
        words.next_if_eq(&UNFRAME)?;
    }
    words.next_if_eq(&AUTHENTICATE);
    words.next_if_eq(&RETURN)?;
    Some(value >> 5 & 0xffff)
}

/// `[bti c] b TARGET`, or `[bti c] adrp x16, …; add x16, x16, …; br x16`.
fn begins_with_jump(code: &[u8], address: u64) -> Option<u64> {
    const BTI_C: u32 = 0xd503_245f;
    let word = |n: usize| {
        let bytes = code.get(n * 4..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let first = usize::from(word(0)? == BTI_C);
    let at = address + 4 * first as u64;
    let jump = word(first)?;
    // A signed number of `bits` bits.
    let signed =
        |value: u32, bits: u32| i64::from((value << (32 - bits)).cast_signed() >> (32 - bits));
    if jump & 0xfc00_0000 == 0x1400_0000 {
        return Some(at.wrapping_add_signed(signed(jump & 0x03ff_ffff, 26) * 4));
    }
    let (add, branch) = (word(first + 1)?, word(first + 2)?);
    let is_far = jump & 0x9f00_001f == 0x9000_0010
        && add & 0xffc0_03ff == 0x9100_0210
        && branch == 0xd61f_0200;
    let pages = ((jump >> 5) & 0x7_ffff) << 2 | (jump >> 29) & 3;
    let page = (at & !0xfff).wrapping_add_signed(signed(pages, 21) << 12);
    is_far.then(|| page + u64::from((add >> 10) & 0xfff))
}

#[cfg(test)]
mod tests;
