//! aarch64. Instructions: Arm Architecture Reference Manual, chapter C6; relocations: ELF for the Arm 64-bit
//! Architecture.

use super::{Facts, Traits, words};
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
    landing_pad: b"\x5f\x24\x03\xd5", // bti c
    // and x1,x1,#-16; stp x0,x3,[x1,#-16]!
    clone: b"\x21\xec\x7c\x92\x20\x0c\xbf\xa9",
    is_stub,
    returned,
};

/// If the symbol is near, linkers replace the instruction.
fn changed(at: usize, _: u32) -> Range<usize> {
    at..at.saturating_add(4)
}

fn is_stub(code: &[u8]) -> bool {
    let mut rest = words(code).filter(|w| !BTI.contains(w));
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
    let mut words = words(code).peekable();
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

#[cfg(test)]
mod tests;
