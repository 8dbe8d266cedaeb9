//! Makes room after the program headers of a program that may be loaded anywhere. Nothing fits below its first
//! address, and GNU strip and objcopy write the headers directly after the file header, whatever is there.
//!
//! What linkers put there is only found through the dynamic section or segments of notes. Symbols and their hash
//! tables, notes, and small tables of relocations are moved to the new segment. From a large table, the first
//! relocations are moved to the table that the attached start applies, and the program's own table then begins after
//! them.

use crate::elf::dynamic::{
    DT_GNU_HASH, DT_HASH, DT_JMPREL, DT_RELA, DT_RELACOUNT, DT_RELASZ, DT_RELR, DT_STRTAB,
    DT_SYMTAB, DT_VERDEF, DT_VERNEED, DT_VERSYM, entries, word,
};
use crate::elf::program::{Placement, Program, Section, Segment};
use object::elf;
use serde::Serialize;
use std::ops::Range;

/// Size of a relocation with an addend, in bytes.
const RELA: u64 = 24;
/// Size of an entry of the dynamic section, in bytes.
const DYNAMIC: u64 = 16;
/// A table of relocations that is larger than this, in bytes, is not moved.
const SMALL: u64 = 8192;
/// The alignment that moved bytes keep, in bytes.
pub const ALIGN: u64 = 16;

/// The changes that make room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// The addresses of the bytes that move; in the first segment, they equal the places in the file.
    pub from: Range<u64>,
    /// Their place in the file.
    pub offset: u64,
    /// Their new place, which the layout sets.
    pub to: u64,
    /// The address of the program's relocations, the first of which are taken.
    pub table: u64,
    /// The relocations that are taken: the address of a word, and the address that it contains.
    pub taken: Vec<(u64, u64)>,
}

impl Moved {
    /// The new address of what was at `address`; `None` if it does not move.
    pub fn moved(&self, address: u64) -> Option<u64> {
        let is_inside = self.from.contains(&address);
        is_inside.then(|| self.to + (address - self.from.start))
    }

    /// The same for a place in the file.
    pub fn moved_from(&self, offset: u64) -> Option<u64> {
        let within = offset.checked_sub(self.offset)?;
        self.moved(self.from.start.checked_add(within)?)
    }

    /// How many bytes move.
    pub fn size(&self) -> u64 {
        self.from.end - self.from.start
    }

    /// How many bytes of relocations are taken from the program's table.
    pub fn taken_size(&self) -> u64 {
        self.taken.len() as u64 * RELA
    }

    /// The changed words of the dynamic section: their places in the file, and their values.
    pub fn dynamic(&self, program: &Program<'_>) -> Vec<(u64, u64)> {
        let taken = self.taken_size();
        let new = |tag: u64, value: u64| match tag {
            DT_RELA if taken > 0 => Some(value.wrapping_add(taken)),
            DT_RELASZ if taken > 0 => Some(value.saturating_sub(taken)),
            DT_RELACOUNT if taken > 0 => Some(value.saturating_sub(self.taken.len() as u64)),
            tag if is_address(tag) => self.moved(value),
            _ => None,
        };
        let entries = dynamic(program);
        let changed = entries.filter_map(|(at, tag, value)| Some((at + 8, new(tag, value)?)));
        changed.collect()
    }
}

/// Tags whose value is the address of something that may move (ELF gABI, "Dynamic Section").
fn is_address(tag: u64) -> bool {
    [
        DT_RELA,
        DT_JMPREL,
        DT_RELR,
        DT_HASH,
        DT_STRTAB,
        DT_SYMTAB,
        DT_GNU_HASH,
        DT_VERSYM,
        DT_VERDEF,
        DT_VERNEED,
    ]
    .contains(&tag)
}

/// Whether a section of that kind may move: the program itself does not use its address.
fn may_move(section: &Section<'_>) -> bool {
    let kinds = [
        elf::SHT_NOTE,
        elf::SHT_HASH,
        elf::SHT_GNU_HASH,
        elf::SHT_DYNSYM,
        elf::SHT_STRTAB,
        elf::SHT_GNU_VERSYM,
        elf::SHT_GNU_VERDEF,
        elf::SHT_GNU_VERNEED,
    ];
    let tables = [elf::SHT_RELA, elf::SHT_RELR];
    let is_small = tables.iter().any(|k| k.0 == section.kind) && section.size <= SMALL;
    section.align <= ALIGN && (is_small || kinds.iter().any(|k| k.0 == section.kind))
}

/// The place in the file, the tag and the value of every entry.
fn dynamic<'p>(program: &'p Program<'_>) -> impl Iterator<Item = (u64, u64, u64)> + 'p {
    let segment = program.segment(elf::PT_DYNAMIC);
    let (at, size) = segment.map_or((0, 0), |s| (s.offset, s.file_size));
    let entries = entries(program.part(at, size)).zip((at..).step_by(DYNAMIC as usize));
    entries.map(|((tag, value), at)| (at, tag, value))
}

/// The changes that free the bytes of `wanted`: places in the file, in the first segment, from the end of the program
/// headers on. `None` if something there cannot move.
pub fn make(program: &Program<'_>, first: &Segment, wanted: &Range<u64>) -> Option<Moved> {
    let end = first.offset + first.file_size;
    if program.placement == Placement::Fixed || wanted.end > end || program.sections.is_empty() {
        return None;
    }
    let address = |offset: u64| first.address + (offset - first.offset);
    let overlaps = |range: &Range<u64>| range.start < wanted.end && wanted.start < range.end;
    let there = |s: &&Section<'_>| {
        s.kind != elf::SHT_NULL.0 && !s.range().is_empty() && overlaps(&s.range())
    };
    let mut sections: Vec<_> = program.sections.iter().filter(there).collect();
    sections.sort_by_key(|s| s.offset);
    // All these sections are loaded with the first segment, and none is in another segment.
    let is_loaded = |s: &&Section<'_>| {
        s.is_allocated()
            && s.offset >= wanted.start
            && s.range().end <= end
            && s.address == address(s.offset)
    };
    let is_apart = sections.windows(2).all(|s| s[0].range().end <= s[1].offset);
    if !is_apart || !sections.iter().all(is_loaded) {
        return None;
    }
    let last = sections.pop_if(|s| s.kind == elf::SHT_RELA.0);
    let taken = last.and_then(|section| take(program, section, wanted.end));
    let relocations = last.filter(|_| taken.is_some());
    sections.extend(last.filter(|_| taken.is_none()));
    if !sections.iter().all(|s| may_move(s)) {
        return None;
    }
    let moved_end = sections.last().map_or(wanted.start, |s| s.range().end);
    // Segments of notes move as a whole.
    let is_whole = |s: &Segment| {
        let range = s.offset..s.offset.saturating_add(s.file_size);
        let is_kept = (s.is_load() && s.address == first.address)
            || s.kind == elf::PT_PHDR.0
            || range.is_empty();
        let is_note = [elf::PT_NOTE, elf::PT_GNU_PROPERTY]
            .iter()
            .any(|k| k.0 == s.kind);
        let moves = range.start < moved_end.max(wanted.end) && wanted.start < range.end;
        is_kept || !moves || (is_note && wanted.start <= range.start && range.end <= moved_end)
    };
    // Bytes between sections are unused if they are zero.
    let mut from = wanted.start;
    for section in sections.iter().copied().chain(relocations) {
        let gap = program.part(from, section.offset - from);
        if gap.iter().any(|b| *b != 0) {
            return None;
        }
        from = section.range().end;
    }
    let rest = from.min(wanted.end)..wanted.end;
    let rest = program.part(rest.start, rest.end - rest.start);
    if !program.segments.iter().all(is_whole) || rest.iter().any(|b| *b != 0) {
        return None;
    }
    Some(Moved {
        from: address(wanted.start)..address(moved_end),
        offset: wanted.start,
        to: 0,
        table: relocations.map_or(0, |s| s.address),
        taken: taken.unwrap_or_default(),
    })
}

/// The relocations before `end` of the file, which the attached start has to apply. `None` if they are not all
/// relative, or not the first ones of the program's only table.
fn take(program: &Program<'_>, section: &Section<'_>, end: u64) -> Option<Vec<(u64, u64)>> {
    let of =
        |wanted: u64| dynamic(program).find_map(|(_, tag, value)| (tag == wanted).then_some(value));
    let relative = program.architecture.facts().relative;
    let count = (end - section.offset).div_ceil(RELA);
    let is_table = of(DT_RELA) == Some(section.address)
        && of(DT_RELASZ).is_some_and(|size| size >= count * RELA)
        && of(DT_RELACOUNT).is_none_or(|relative| relative >= count)
        && section.size >= count * RELA;
    if !is_table {
        return None;
    }
    let bytes = program.part(section.offset, count * RELA);
    let entries = bytes.chunks_exact(RELA as usize);
    entries
        .map(|entry| {
            let is_relative = word(entry, 8) == u64::from(relative);
            is_relative.then(|| (word(entry, 0), word(entry, 16)))
        })
        .collect()
}
