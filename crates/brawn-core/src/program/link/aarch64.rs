//! Relocations of aarch64 (ELF for the Arm 64-bit Architecture, "Relocation"; instructions: Arm Architecture Reference
//! Manual, C6.2).

use super::Fix;
use object::elf;

const ADR_PREL_PG_HI21: u32 = elf::R_AARCH64_ADR_PREL_PG_HI21.0;
const ADD_ABS_LO12_NC: u32 = elf::R_AARCH64_ADD_ABS_LO12_NC.0;
const LDST8_ABS_LO12_NC: u32 = elf::R_AARCH64_LDST8_ABS_LO12_NC.0;
const LDST16_ABS_LO12_NC: u32 = elf::R_AARCH64_LDST16_ABS_LO12_NC.0;
const LDST32_ABS_LO12_NC: u32 = elf::R_AARCH64_LDST32_ABS_LO12_NC.0;
const LDST64_ABS_LO12_NC: u32 = elf::R_AARCH64_LDST64_ABS_LO12_NC.0;
const LDST128_ABS_LO12_NC: u32 = elf::R_AARCH64_LDST128_ABS_LO12_NC.0;
const CALL26: u32 = elf::R_AARCH64_CALL26.0;
const JUMP26: u32 = elf::R_AARCH64_JUMP26.0;
const ADR_GOT_PAGE: u32 = elf::R_AARCH64_ADR_GOT_PAGE.0;
const LD64_GOT_LO12_NC: u32 = elf::R_AARCH64_LD64_GOT_LO12_NC.0;
const TLSIE_ADR_GOTTPREL_PAGE21: u32 = elf::R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21.0;
const TLSIE_LD64_GOTTPREL_LO12_NC: u32 = elf::R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC.0;

/// Size of [`way`], in bytes.
pub const WAY: u64 = 12;

/// How far a branch reaches, in bytes.
const REACH: i64 = 1 << 27;

/// Whether the relocation is for an instruction that branches to its target.
pub fn is_branch(kind: u32) -> bool {
    matches!(kind, CALL26 | JUMP26)
}

/// Whether a branch at `from` can reach `to`.
pub fn reaches(from: u64, to: u64) -> bool {
    (-REACH..REACH).contains(&to.wrapping_sub(from).cast_signed())
}

/// Code at `from` that jumps to `to`, for distances that a branch cannot reach. It uses x16, which is reserved for
/// such code (Procedure Call Standard for the Arm 64-bit Architecture, "General-purpose Registers").
pub fn way(from: u64, to: u64) -> Result<[u8; WAY as usize], String> {
    let mut code = [0; WAY as usize];
    let low = (to & 0xfff) as u32;
    let instructions = [
        0x9000_0010 | page(from, to)?, // adrp x16, to
        0x9100_0210 | low << 10,       // add x16, x16, :lo12:to
        0xd61f_0200,                   // br x16
    ];
    for (place, instruction) in code.chunks_exact_mut(4).zip(instructions) {
        place.copy_from_slice(&instruction.to_le_bytes());
    }
    Ok(code)
}

/// Changes the section's `bytes` as `fix` says.
pub fn apply(bytes: &mut [u8], fix: &Fix) -> Result<(), String> {
    let place = bytes.get_mut(fix.at..).and_then(|b| b.first_chunk_mut());
    let place = place.ok_or("it is not in its section")?;
    let old = u32::from_le_bytes(*place);
    *place = instruction(old, fix)?.to_le_bytes();
    Ok(())
}

/// The new form of the instruction `old`.
fn instruction(old: u32, fix: &Fix) -> Result<u32, String> {
    let (target, source) = (old & 31, old >> 5 & 31);
    match fix.kind {
        CALL26 | JUMP26 => {
            check(old, 0x7c00_0000, 0x1400_0000, "b or bl")?;
            let distance = fix.distance()?;
            if !(-REACH..REACH).contains(&distance) || distance & 3 != 0 {
                return Err(format!("a branch does not go {distance:#x} bytes far"));
            }
            Ok(old & !0x03ff_ffff | (distance >> 2) as u32 & 0x03ff_ffff)
        }
        // The address in the table is already known: compute it instead of loading it.
        ADR_PREL_PG_HI21 | ADR_GOT_PAGE => {
            check(old, 0x9f00_0000, 0x9000_0000, "adrp")?;
            Ok(old & !0x60ff_ffe0 | page(fix.place, fix.address()?)?)
        }
        LD64_GOT_LO12_NC => {
            check(old, 0xffc0_0000, 0xf940_0000, "ldr")?;
            let low = (fix.address()? & 0xfff) as u32;
            Ok(0x9100_0000 | low << 10 | source << 5 | target) // add
        }
        ADD_ABS_LO12_NC => {
            check(old, 0xffc0_0000, 0x9100_0000, "add")?;
            let low = (fix.address()? & 0xfff) as u32;
            Ok(old & !0x003f_fc00 | low << 10)
        }
        LDST8_ABS_LO12_NC => load(old, fix, 0),
        LDST16_ABS_LO12_NC => load(old, fix, 1),
        LDST32_ABS_LO12_NC => load(old, fix, 2),
        LDST64_ABS_LO12_NC => load(old, fix, 3),
        LDST128_ABS_LO12_NC => load(old, fix, 4),
        // The same for a distance from the thread pointer: its upper and its lower half.
        TLSIE_ADR_GOTTPREL_PAGE21 => {
            check(old, 0x9f00_0000, 0x9000_0000, "adrp")?;
            Ok(0xd2a0_0000 | local(fix)? >> 16 << 5 | target) // movz, lsl #16
        }
        TLSIE_LD64_GOTTPREL_LO12_NC => {
            check(old, 0xffc0_0000, 0xf940_0000, "ldr")?;
            if source != target {
                return Err(format!("instruction {old:08x}, expected one register"));
            }
            Ok(0xf280_0000 | (local(fix)? & 0xffff) << 5 | target) // movk
        }
        _ => Err("its type is unknown".into()),
    }
}

fn check(instruction: u32, mask: u32, expected: u32, name: &str) -> Result<(), String> {
    if instruction & mask != expected {
        return Err(format!("instruction {instruction:08x}, expected {name}"));
    }
    Ok(())
}

/// A load or store of 2^`scale` bytes: the low twelve bits of the address, in units of that size.
fn load(old: u32, fix: &Fix, scale: u32) -> Result<u32, String> {
    check(old, 0x3b00_0000, 0x3900_0000, "a load or store")?;
    let low = (fix.address()? & 0xfff) as u32;
    if low & ((1 << scale) - 1) != 0 {
        return Err(format!("{low:#x} is no multiple of {}", 1 << scale));
    }
    Ok(old & !0x003f_fc00 | low >> scale << 10)
}

/// The fields of an `adrp` at `from` that gives the page of `to`.
fn page(from: u64, to: u64) -> Result<u32, String> {
    let pages = (to >> 12).wrapping_sub(from >> 12).cast_signed();
    if !(-(1 << 20)..1 << 20).contains(&pages) {
        return Err(format!("adrp does not go {pages:#x} pages far"));
    }
    let pages = pages as u32;
    Ok((pages & 3) << 29 | (pages >> 2 & 0x7_ffff) << 5)
}

fn local(fix: &Fix) -> Result<u32, String> {
    let at = fix.local()?;
    u32::try_from(at).map_err(|_| format!("{at:#x} does not fit 32 bits without a sign"))
}
