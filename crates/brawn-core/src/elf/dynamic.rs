//! The dynamic section: its tags, and its entries, each of two words of 8 bytes (ELF gABI, "Dynamic Section").

use object::elf;

pub const DT_HASH: u64 = elf::DT_HASH.0 as u64;
pub const DT_STRTAB: u64 = elf::DT_STRTAB.0 as u64;
pub const DT_SYMTAB: u64 = elf::DT_SYMTAB.0 as u64;
pub const DT_RELA: u64 = elf::DT_RELA.0 as u64;
pub const DT_RELASZ: u64 = elf::DT_RELASZ.0 as u64;
pub const DT_RELACOUNT: u64 = elf::DT_RELACOUNT.0 as u64;
pub const DT_REL: u64 = elf::DT_REL.0 as u64;
pub const DT_RELSZ: u64 = elf::DT_RELSZ.0 as u64;
pub const DT_JMPREL: u64 = elf::DT_JMPREL.0 as u64;
pub const DT_PLTRELSZ: u64 = elf::DT_PLTRELSZ.0 as u64;
pub const DT_RELR: u64 = elf::DT_RELR.0 as u64;
pub const DT_RELRSZ: u64 = elf::DT_RELRSZ.0 as u64;
pub const DT_GNU_HASH: u64 = elf::DT_GNU_HASH.0 as u64;
pub const DT_VERSYM: u64 = elf::DT_VERSYM.0 as u64;
pub const DT_VERDEF: u64 = elf::DT_VERDEF.0 as u64;
pub const DT_VERNEED: u64 = elf::DT_VERNEED.0 as u64;

/// The tags and values of a section up to its end, which is the tag 0.
pub fn entries(section: &[u8]) -> impl Iterator<Item = (u64, u64)> + '_ {
    let entries = section.as_chunks::<16>().0.iter();
    let entries = entries.map(|entry| (word(entry, 0), word(entry, 8)));
    entries.take_while(|(tag, _)| *tag != 0)
}

/// The word of 8 bytes at `at`; 0 if there is none.
pub fn word(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..).and_then(|b| b.first_chunk());
    word.map_or(0, |w| u64::from_le_bytes(*w))
}
