//! The payload's functions in the program's symbol table.

use super::edits::Edits;
use super::layout::Layout;
use super::linked::Linked;
use crate::elf::program::{Program, SYMBOL};
use crate::elf::raw::{self, RawSymbol};
use object::endian::{U16, U32, U64};
use object::{LittleEndian, elf};

/// Symbols that are added to the table.
pub(super) struct Added {
    /// The number of the section with the symbols.
    pub(super) table: usize,
    /// The number of the section with their names.
    pub(super) strings: usize,
    /// The offset in the table at which they are inserted: after the last local symbol.
    pub(super) at: u64,
    /// How many there are.
    pub(super) count: u32,
    /// Their names, to be added to the strings.
    pub(super) names: Vec<u8>,
    /// For each symbol: the offset of its name among `names`, its address, and its size.
    list: Vec<(u32, u64, u64)>,
    section: u16,
}

impl Added {
    /// Sets where the names are in the strings.
    pub(super) fn place_names(&mut self, base: u64) {
        for (name, ..) in &mut self.list {
            *name += base as u32;
        }
    }

    /// The new entries of the table.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.list.len() * SYMBOL as usize);
        for (name, address, size) in &self.list {
            bytes.extend(raw::bytes(&RawSymbol {
                st_name: U32::new(LittleEndian, *name),
                st_info: elf::SymbolInfo::new(elf::STB_LOCAL, elf::STT_FUNC),
                st_other: elf::SymbolOther(0),
                st_shndx: U16::new(LittleEndian, elf::SymbolSection(self.section)),
                st_value: U64::new(LittleEndian, *address),
                st_size: U64::new(LittleEndian, *size),
            }));
        }
        bytes
    }
}

/// Adds the payload's functions to a program with a symbol table, as local symbols of section number `code`. The
/// symbols of the program's thread-locals, which are offsets in the block, get their new values.
///
/// `None` if there is no table, or if local symbols cannot be added to it: relocations that were kept in the file
/// refer to symbols by their numbers.
pub(super) fn add(
    program: &Program<'_>,
    layout: &Layout,
    linked: &Linked,
    code: usize,
    edits: &mut Edits<'_>,
) -> Option<Added> {
    let table = program
        .sections
        .iter()
        .position(|s| s.kind == elf::SHT_SYMTAB.0)?;
    let section = program.sections[table];
    let strings = section.link as usize;
    let names = program.sections.get(strings)?;
    let range = section.range();
    let entries = program
        .bytes
        .get(range.start as usize..range.end as usize)?;
    let others = |start: u64, end: u64| {
        let mut sections = program.sections.iter().enumerate();
        sections.any(|(n, s)| {
            let other = s.range();
            n != table && s.kind != elf::SHT_NULL.0 && other.start < end && start < other.end
        })
    };
    // A table in the loaded part or inside another section was not made by a linker.
    if section.offset < layout.old_end || others(range.start, range.end) {
        return None;
    }
    let before = layout.tls.map_or(0, |tls| tls.block.before);
    if before > 0 {
        move_locals(entries, range.start, before, edits)?;
    }
    let counts_symbols = |kind: u32| {
        [
            elf::SHT_REL,
            elf::SHT_RELA,
            elf::SHT_GROUP,
            elf::SHT_SYMTAB_SHNDX,
        ]
        .iter()
        .any(|k| k.0 == kind)
    };
    let mut linking = program.sections.iter().filter(|s| s.link as usize == table);
    let at = u64::from(section.info) * SYMBOL;
    let is_plain = section.entry_size == SYMBOL
        && (SYMBOL..=section.size).contains(&at)
        && section.size.is_multiple_of(SYMBOL)
        && names.kind == elf::SHT_STRTAB.0
        && !linking.any(|s| counts_symbols(s.kind));
    if !is_plain || linked.functions.is_empty() {
        return None;
    }
    let mut added = Added {
        table,
        strings,
        at,
        count: linked.functions.len() as u32,
        names: Vec::new(),
        list: Vec::new(),
        section: u16::try_from(code).ok()?,
    };
    for (name, address, size) in &linked.functions {
        added.list.push((added.names.len() as u32, *address, *size));
        added.names.extend(name.as_bytes());
        added.names.push(0);
    }
    Some(added)
}

/// Adds `before` to the symbols of thread-locals, which are offsets in their block. The symbols are `entries`, which
/// begin at `start` of the file.
fn move_locals(entries: &[u8], start: u64, before: u64, edits: &mut Edits<'_>) -> Option<()> {
    for (entry, at) in entries
        .chunks_exact(SYMBOL as usize)
        .zip((start..).step_by(SYMBOL as usize))
    {
        let mut symbol: RawSymbol = raw::first(entry)?;
        let is_defined = symbol.st_shndx.get(LittleEndian) != elf::SHN_UNDEF;
        if symbol.st_info.st_type() == elf::STT_TLS && is_defined {
            let value = symbol.st_value.get(LittleEndian);
            symbol
                .st_value
                .set(LittleEndian, value.wrapping_add(before));
            edits.replace(at, raw::bytes(&symbol).to_vec());
        }
    }
    Some(())
}
