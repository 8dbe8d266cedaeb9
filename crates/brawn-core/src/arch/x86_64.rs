//! x86_64. Instructions: Intel SDM, volume 2; relocations: System V ABI, AMD64 Architecture Processor Supplement.

use super::{Facts, Traits};
use crate::needle::needle;
use object::elf;
use std::ops::Range;

/// `endbr64`: in programs with control-flow enforcement, indirect calls must land on it.
const ENDBR64: &[u8] = b"\xf3\x0f\x1e\xfa";

pub(super) const TRAITS: Traits = Traits {
    set_thread_area: Some((
        needle!(b"\x48\x89\xfe\xbf\x02\x10\x00\x00\xb8\x9e\x00\x00\x00\x0f\x05\xc3"),
        3,
    )),
    memcpy: Some((
        needle!(
            b"\x48\x89\xf8\x48\x83\xfa\x08\x72\x14\xf7\xc7\x07\x00\x00\x00\x74\x0c\xa4\x48\xff\xca"
        ),
        3,
    )),
    changed,
};

pub(super) const FACTS: Facts = Facts {
    page: 0x1000,
    relative: elf::R_X86_64_RELATIVE.0,
    filler: 0xcc, // int3
    step: 1,
    branch: 5,
    landing_pad: ENDBR64,
    // xor %eax,%eax; mov $56,%al; mov %rdi,%r11
    clone: b"\x31\xc0\xb0\x38\x49\x89\xfb",
    is_stub,
    returned,
};

/// If the symbol is near, linkers replace whole instructions: the operand's four bytes and, if they load an address
/// from a table, up to three bytes before it.
fn changed(at: usize, kind: u32) -> Range<usize> {
    // Of a distance, the instruction around it stays.
    let is_distance = [elf::R_X86_64_PC32.0, elf::R_X86_64_PLT32.0].contains(&kind);
    let before = if is_distance { 0 } else { 3 };
    at.saturating_sub(before)..at.saturating_add(4)
}

fn is_stub(code: &[u8]) -> bool {
    let code = code.strip_prefix(ENDBR64).unwrap_or(code);
    matches!(code, [0xc3, ..] | [0x31, 0xc0, 0xc3, ..] | [0xf3, 0xc3, ..])
}

fn returned(code: &[u8]) -> Option<u32> {
    let code = code.strip_prefix(ENDBR64).unwrap_or(code);
    let framed = code.strip_prefix(b"\x55\x48\x89\xe5"); // push rbp; mov rbp, rsp
    let rest = framed.unwrap_or(code).strip_prefix(b"\xb8")?; // mov eax, imm32
    let (value, rest) = rest.split_first_chunk()?;
    let rest = match framed {
        Some(_) => rest.strip_prefix(b"\x5d")?, // pop rbp
        None => rest,
    };
    let is_end = rest.starts_with(b"\xc3") || rest.starts_with(b"\xf3\xc3"); // ret
    is_end.then(|| u32::from_le_bytes(*value))
}

#[cfg(test)]
mod tests;
