//! Operands that the linker writes: which bytes they take, and what a finished program has there.
//!
//! Sources: "System V ABI, AMD64 Architecture Processor Supplement" (relocations, and what linkers may make of
//! loads from the global offset table), "ELF for the Arm 64-bit Architecture", Arm ARM C6.2 (instructions).

use crate::arch::{Branch, Isa, b_or_bl};
use crate::elf::program::Program;
use std::ops::Range;

/// aarch64's `nop`.
pub const NOP: u32 = 0xd503_201f;

/// The form of an operand, as the linker sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// x86_64, 4 bytes: the distance from the operand to the target.
    Distance,
    /// x86_64, 4 bytes: the target's address.
    Absolute,
    /// 8 bytes: the target's address.
    Word,
    /// x86_64, 4 bytes and the 3 before: a load from the global offset table, or the linker's replacement for it.
    Table,
    /// aarch64, an instruction: `adrp` with the target's page, or the linker's replacement for it.
    Page,
    /// aarch64, an instruction: an addition, load or store with the target's offset in its page, or the linker's
    /// replacement for it.
    Low,
    /// aarch64, an instruction: `b` or `bl`.
    Branch,
    /// 4 bytes that differ from program to program and give no address.
    Opaque,
}

impl Form {
    /// Every form, with its letter in the text of a build.
    pub const LETTERS: [(Self, char); 8] = [
        (Self::Distance, 'd'),
        (Self::Absolute, 'a'),
        (Self::Word, 'w'),
        (Self::Table, 't'),
        (Self::Page, 'p'),
        (Self::Low, 'l'),
        (Self::Branch, 'b'),
        (Self::Opaque, 'o'),
    ];

    /// The range of an operand of this form at `at`.
    pub fn bytes(self, at: u32) -> Range<u32> {
        match self {
            Self::Table => at.saturating_sub(3)..at.saturating_add(4),
            Self::Word => at..at.saturating_add(8),
            _ => at..at.saturating_add(4),
        }
    }
}

/// The target of an operand: a name of the build, and the distance from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The position of the name in [`Build::names`](super::Build::names).
    pub name: u32,
    /// The number that is added to the name's address, like a relocation's addend.
    pub addend: i32,
}

/// An operand of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Where it is, in bytes from the function's start.
    pub at: u32,
    /// Its form.
    pub form: Form,
    /// Its target, if that has a name.
    pub target: Option<Target>,
}

/// Calls `found` with every name that the function at `address` refers to, and the name's address according to the
/// operand. Operands that give no address are skipped, such as a load from a table that the loader fills.
pub fn addresses(
    program: &Program<'_>,
    address: u64,
    operands: &[Operand],
    mut found: impl FnMut(u32, u64),
) {
    for (number, operand) in operands.iter().enumerate() {
        let Some(target) = operand.target else {
            continue;
        };
        let at = address + u64::from(operand.at);
        let value = match operand.form {
            Form::Distance => {
                word(program, at).map(|w| at.wrapping_add_signed(i64::from(w as i32)))
            }
            Form::Absolute => word(program, at).map(u64::from),
            Form::Word => program
                .at(at, 8)
                .and_then(|b| Some(u64::from_le_bytes(b.try_into().ok()?))),
            Form::Table => table(program, at),
            Form::Branch => word(program, at)
                .and_then(|w| b_or_bl(w, at))
                .map(|to| behind_veneer(program, to)),
            Form::Low => {
                let pages = operands[..number].iter().rev();
                let pages = pages.filter(|o| o.form == Form::Page);
                let pages = pages.filter(|o| o.target.is_some_and(|t| t.name == target.name));
                word(program, at).and_then(|rest| {
                    let mut values = pages.filter_map(|page| {
                        let page_at = address + u64::from(page.at);
                        let page = word(program, page_at)?;
                        // One instruction writes the register that the other reads, unless the linker wrote a `nop`.
                        let is_pair = page == NOP || page & 31 == rest >> 5 & 31;
                        is_pair.then(|| low(page, page_at, rest, at))?
                    });
                    values.next()
                })
            }
            Form::Page | Form::Opaque => None,
        };
        if let Some(value) = value {
            found(
                target.name,
                value.wrapping_sub(i64::from(target.addend) as u64),
            );
        }
    }
}

fn word(program: &Program<'_>, at: u64) -> Option<u32> {
    let bytes = program.at(at, 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// The address, if a linker relaxed a load from the table: to `lea`, `call`, or a `mov` of the address itself. The
/// addend is -4, as for every operand at the end of its instruction.
fn table(program: &Program<'_>, at: u64) -> Option<u64> {
    let value = word(program, at)?;
    let distance = || at.wrapping_add_signed(i64::from(value as i32));
    let before = program.at(at.checked_sub(3)?, 3)?;
    match *before {
        // lea
        [_, 0x8d, modrm] if modrm & 0xc7 == 0x05 => Some(distance()),
        // addr32 call
        [_, 0x67, 0xe8] => Some(distance()),
        // mov $address, register
        [_, 0xc7, modrm] if modrm & 0xf8 == 0xc0 => Some(u64::from(value).wrapping_sub(4)),
        _ => None,
    }
}

/// The target of a linker's veneer at `at` (`adrp x16; add x16, x16; br x16`); `at` itself if there is no veneer.
fn behind_veneer(program: &Program<'_>, at: u64) -> u64 {
    let jump = program.at(at, Branch::LONGEST);
    let jump = jump.and_then(|code| Isa::Aarch64.branch(code, at));
    let veneer = jump.filter(|jump| jump.length == Branch::LONGEST);
    veneer.map_or(at, |jump| jump.target)
}

/// The address made by `adrp` (or a linker's `nop`) and by the instruction with the rest.
pub fn low(page: u32, page_at: u64, rest: u32, at: u64) -> Option<u64> {
    let immediate = |w: u32| (((w >> 5) & 0x7_ffff) << 2 | (w >> 29) & 3) << 11;
    // adr, 21 bits of distance
    if rest & 0x9f00_0000 == 0x1000_0000 {
        return Some(at.wrapping_add_signed(i64::from(immediate(rest) as i32 >> 11)));
    }
    if page & 0x9f00_0000 != 0x9000_0000 {
        return None;
    }
    let pages = i64::from(immediate(page) as i32 >> 11);
    let page = (page_at & !0xfff).wrapping_add_signed(pages << 12);
    let immediate = u64::from(rest >> 10 & 0xfff);
    // add (immediate, not shifted)
    if rest & 0x7fc0_0000 == 0x1100_0000 {
        return Some(page.wrapping_add(immediate));
    }
    // Loads and stores with an unsigned offset, in units of their size.
    if rest & 0x3b00_0000 == 0x3900_0000 {
        let is_vector = rest & 0x0400_0000 != 0;
        let is_128 = is_vector && rest & 0xc080_0000 == 0x0080_0000;
        let scale = if is_128 { 4 } else { rest >> 30 };
        return Some(page.wrapping_add(immediate << scale));
    }
    None
}
