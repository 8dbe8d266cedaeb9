//! Section headers, symbols and unwind information. No program needs them to run, but every tool does.
//!
//! Everything after the loaded part of the file moves behind the new segments, and grows if the payload adds to it.

use super::edits::Edits;
use super::layout::{Layout, Span};
use super::linked::Linked;
use super::symbols;
use crate::content::Piece;
use crate::elf::program::{Program, SECTION_HEADER, Section};
use crate::elf::raw;
use crate::error::{Error, Result};
use object::elf;
use std::collections::{BTreeMap, BTreeSet};

/// The place of the new section headers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Table {
    pub(super) offset: u64,
    pub(super) count: u16,
}

/// From this number on, section numbers have other meanings (ELF gABI, `SHN_LORESERVE`).
const MOST_SECTIONS: usize = 0xff00;
const LOADED: u64 = elf::SHF_ALLOC.0;
const WRITTEN: u64 = LOADED | elf::SHF_WRITE.0;

/// The end of all bytes that belong to sections or their headers. Bytes after it belong to the program itself, and
/// stay at the end of the file.
pub fn known_end(program: &Program<'_>, loaded_end: u64) -> u64 {
    let sections = program.sections.iter().filter(|s| s.is_in_file());
    let table = program.sections.len() as u64 * SECTION_HEADER;
    let table = (table > 0).then(|| program.sections_at + table);
    let ends = sections.map(|s| s.range().end).chain(table);
    ends.fold(loaded_end, u64::max)
}

/// The new section headers, and additions to old sections.
pub(super) struct Sections<'a, 'p> {
    program: &'p Program<'a>,
    layout: &'p Layout,
    headers: Vec<Section<'a>>,
    /// The bytes that are added at the end of old sections.
    grown: BTreeMap<usize, Vec<u8>>,
    /// Old sections that already have their new place.
    placed: BTreeSet<usize>,
    /// The symbols that are added inside the symbol table, and their place in it.
    symbols: Option<symbols::Added>,
}

impl<'a, 'p> Sections<'a, 'p> {
    /// Edits the end of the file: `segments` are put at the end of the loaded part.
    ///
    /// Errors: refused if there are too many sections, or if sections overlap.
    pub(super) fn edit(
        program: &'p Program<'a>,
        layout: &'p Layout,
        linked: &Linked,
        mut segments: Vec<Piece<'a>>,
        edits: &mut Edits<'a>,
    ) -> Result<Table> {
        let align = tail_align(program, layout.old_end);
        let shift = layout.headers.shift;
        segments.push(zeros(padding(
            layout.new_end - layout.old_end - shift,
            align,
        )));
        edits.insert(layout.old_end, segments);
        if program.sections.is_empty() {
            return Ok(Table::default());
        }
        let names = &program.sections[program.names_section];
        if names.kind != elf::SHT_STRTAB.0 {
            let found = format!("a section of type {} for the sections' names", names.kind);
            return Err(Error::malformed(found).at(62).expected("a string table"));
        }
        let mut sections = Self {
            program,
            layout,
            headers: program.sections.clone(),
            grown: BTreeMap::new(),
            placed: BTreeSet::new(),
            symbols: None,
        };
        sections.thread_locals();
        sections.make_room();
        let code = sections.add_loaded(linked);
        let frame = sections.add_frame(linked);
        if let Some(mut added) = symbols::add(program, layout, linked, code, edits) {
            added.place_names(sections.grow(added.strings, &added.names));
            sections.headers[added.table].info += added.count;
            sections.symbols = Some(added);
        }
        if sections.headers.len() >= MOST_SECTIONS {
            let found = format!("{} sections", sections.headers.len());
            return Err(Error::refused(found)
                .at(60)
                .expected(format!("less than {MOST_SECTIONS}")));
        }
        sections.write(align, frame.unwrap_or_default(), edits)
    }

    /// Adds bytes at the end of a section. Returns their offset in it.
    fn grow(&mut self, number: usize, bytes: &[u8]) -> u64 {
        let grown = self.grown.entry(number).or_default();
        let at = self.program.sections[number].size + grown.len() as u64;
        grown.extend(bytes);
        at
    }

    fn add(&mut self, name: &str, header: Section<'a>) -> usize {
        let names = self.program.names_section;
        let at = self.grow(names, &[name.as_bytes(), b"\0"].concat());
        self.headers.push(Section {
            name_at: at as u32,
            ..header
        });
        self.headers.len() - 1
    }

    fn add_place(
        &mut self,
        name: &str,
        kind: elf::SectionType,
        flags: u64,
        place: Span,
        align: u64,
    ) -> usize {
        // The alignment is the address's own, up to the wanted one.
        let address = 1u64 << place.address.trailing_zeros().min(16);
        let header = Section {
            kind: kind.0,
            flags,
            address: place.address,
            offset: place.offset,
            size: place.size,
            align: address.min(align.max(1)),
            ..Section::default()
        };
        self.add(name, header)
    }

    /// Adds the sections of the new segments. Returns the one of the code.
    fn add_loaded(&mut self, linked: &Linked) -> usize {
        let layout = self.layout;
        let code = layout.code;
        let note = code.part(linked.note.start, linked.note.end - linked.note.start);
        let end = layout.table.end();
        let run = LOADED | elf::SHF_EXECINSTR.0;
        let before = code.part(code.address, note.address - code.address);
        let behind = code.part(note.end(), end - note.end());
        let mut number = None;
        for (name, place) in [(".brawn.text", before), (".brawn.rodata", behind)] {
            // All code comes first, or all of it comes after the note.
            let name = number.map_or(".brawn.text", |_| name);
            if place.size > 0 {
                let added = self.add_place(name, elf::SHT_PROGBITS, run, place, 64);
                number.get_or_insert(added);
            }
        }
        if note.size > 0 {
            self.add_place(".note.brawn", elf::SHT_NOTE, LOADED, note, 4);
        }
        if let Some(writable) = layout.writable {
            let data = writable.data;
            if data.size > 0 {
                self.add_place(".brawn.data", elf::SHT_PROGBITS, WRITTEN, data, 64);
            }
            let mut zero = data.part(data.end(), writable.zero);
            if zero.size > 0 {
                zero.offset = zero
                    .offset
                    .min(writable.segment.offset + writable.segment.size);
                self.add_place(".brawn.bss", elf::SHT_NOBITS, WRITTEN, zero, 64);
            }
        }
        number.unwrap_or_default()
    }

    /// Adds the payload's unwind information: to the program's own section, or as a new section, whose bytes are
    /// returned.
    fn add_frame(&mut self, linked: &Linked) -> Option<(usize, Vec<u8>)> {
        if linked.debug_frame.is_empty() {
            return None;
        }
        let mut own = self.program.sections.iter();
        if let Some(number) = own.position(|s| s.name == b".debug_frame") {
            let section = self.program.sections[number];
            let is_plain = section.kind == elf::SHT_PROGBITS.0
                && section.flags & elf::SHF_COMPRESSED.0 == 0
                && section.offset >= self.layout.old_end;
            let moved = moved_frame(&linked.debug_frame, section.size);
            if let (true, Some(moved)) = (is_plain, moved) {
                self.grow(number, &moved);
            }
            return None;
        }
        let place = Span {
            size: linked.debug_frame.len() as u64,
            ..Span::default()
        };
        let number = self.add_place(".debug_frame", elf::SHT_PROGBITS, 0, place, 8);
        Some((number, linked.debug_frame.clone()))
    }

    /// The sections of thread-locals must be inside their segment.
    fn thread_locals(&mut self) {
        let Some(tls) = self.layout.tls else {
            return;
        };
        let flags = WRITTEN | elf::SHF_TLS.0;
        let own = Span {
            size: tls.block.size,
            ..tls.image
        };
        let Some(old) = self.program.segment(elf::PT_TLS) else {
            self.add_place(".brawn.tbss", elf::SHT_NOBITS, flags, own, tls.block.align);
            return;
        };
        if !tls.block.moves {
            // The payload's come after the program's own.
            let address = own.address + (own.size - tls.block.payload_size);
            let place = Span {
                address,
                offset: own.offset + own.size.min(old.file_size),
                size: tls.block.payload_size,
            };
            self.add_place(".brawn.tbss", elf::SHT_NOBITS, flags, place, 8);
            return;
        }
        let is_image = tls.block.file_size > 0;
        let mut has_sections = false;
        for (number, header) in self.headers.iter_mut().enumerate() {
            let is_inside = (old.address..=old.address + old.size).contains(&header.address);
            if header.flags & elf::SHF_TLS.0 == 0 || !is_inside {
                continue;
            }
            has_sections = true;
            self.placed.insert(number);
            let within = tls.block.before + (header.address - old.address);
            header.address = own.address + within;
            header.offset = own.offset + within.min(tls.image.size);
        }
        let before = Span {
            size: tls.block.before,
            ..own
        };
        let (name, kind) = if is_image {
            (".brawn.tdata", elf::SHT_PROGBITS)
        } else {
            (".brawn.tbss", elf::SHT_NOBITS)
        };
        self.add_place(name, kind, flags, before, tls.block.align);
        if is_image && has_sections {
            let place = Span::of(old, self.layout.headers.shift);
            self.add_place(".tdata.old", elf::SHT_PROGBITS, WRITTEN, place, old.align);
        }
    }

    /// Sections that made room for program headers are in another place, and relocations begin later.
    fn make_room(&mut self) {
        let (Some(room), code) = (&self.layout.room, self.layout.code) else {
            return;
        };
        for (number, section) in self.program.sections.iter().enumerate() {
            let header = &mut self.headers[number];
            if !section.is_in_file() || !section.is_allocated() {
                continue;
            }
            if let Some(address) = room.moved_from(section.offset) {
                header.address = address;
                header.offset = code.offset + (address - code.address);
                self.placed.insert(number);
            } else if section.kind == elf::SHT_RELA.0
                && section.address == room.table
                && section.size >= room.taken_size()
            {
                header.address += room.taken_size();
                header.offset += room.taken_size();
                header.size -= room.taken_size();
                self.placed.insert(number);
            }
        }
    }

    /// Writes the additions into the file: at the ends of growing sections, and at the end of everything.
    fn write(
        mut self,
        align: u64,
        (frame, frame_bytes): (usize, Vec<u8>),
        edits: &mut Edits<'a>,
    ) -> Result<Table> {
        let old_end = self.layout.old_end;
        let known_end = known_end(self.program, old_end);
        let mut behind = Vec::new();
        // The old headers, if they are the last.
        let size = self.program.sections.len() as u64 * SECTION_HEADER;
        let at = self.program.sections_at;
        let is_alone = |range: std::ops::Range<u64>| {
            let mut sections = self.program.sections.iter().filter(|s| s.is_in_file());
            !sections.any(|s| s.range().start < range.end && range.start < s.range().end)
        };
        if at >= old_end && at + size == known_end && is_alone(at..at + size) {
            edits.remove(at..at + size);
        }
        let grown = std::mem::take(&mut self.grown);
        for (number, mut bytes) in grown {
            let section = self.program.sections[number];
            let range = section.range();
            self.headers[number].size += bytes.len() as u64;
            if range.start >= old_end && !range.is_empty() && self.is_whole(number, range.end) {
                bytes.resize(bytes.len() + padding(bytes.len() as u64, align) as usize, 0);
                edits.insert(range.end, vec![Piece::Bytes(bytes.into())]);
            } else {
                let old = self.program.data(&section);
                behind.push((
                    number,
                    vec![Piece::Bytes(old.into()), Piece::Bytes(bytes.into())],
                ));
            }
        }
        if let Some(added) = &self.symbols {
            let section = self.program.sections[added.table];
            let bytes = added.bytes();
            self.headers[added.table].size += bytes.len() as u64;
            let pad = padding(bytes.len() as u64, align);
            edits.insert(section.offset + added.at, vec![Piece::Bytes(bytes.into())]);
            edits.insert(section.range().end, vec![zeros(pad)]);
        }
        if !frame_bytes.is_empty() {
            behind.push((frame, vec![Piece::Bytes(frame_bytes.into())]));
        }
        self.place_old(edits);
        let mut end = edits.moved(known_end);
        let mut last = Vec::new();
        let mut put = |pieces: Vec<Piece<'a>>, end: &mut u64| {
            let pad = padding(*end, 16);
            let size: u64 = pieces.iter().map(Piece::size).sum();
            last.push(zeros(pad));
            last.extend(pieces);
            let at = *end + pad;
            *end = at + size;
            at
        };
        for (number, pieces) in behind {
            self.headers[number].offset = put(pieces, &mut end);
        }
        let headers: Vec<_> = self.headers.iter().map(Section::header).collect();
        let headers: Vec<u8> = headers.iter().flat_map(raw::bytes).copied().collect();
        let table = Table {
            offset: put(vec![Piece::Bytes(headers.into())], &mut end),
            count: self.headers.len() as u16,
        };
        edits.insert(known_end, last);
        Ok(table)
    }

    /// Gives old sections the new places of their bytes.
    fn place_old(&mut self, edits: &Edits<'a>) {
        for (number, section) in self.program.sections.iter().enumerate() {
            // Behind the file's end is nothing that could move.
            let is_outside = section.offset > self.program.bytes.len() as u64;
            if section.kind == elf::SHT_NULL.0 || is_outside || self.placed.contains(&number) {
                continue;
            }
            let is_loaded_zero = section.kind == elf::SHT_NOBITS.0 && section.is_allocated();
            self.headers[number].offset = if is_loaded_zero {
                section.offset.wrapping_add(self.layout.headers.shift)
            } else {
                edits.moved(section.offset)
            };
        }
    }

    /// Whether no section except this one has bytes both before and after `offset`.
    fn is_whole(&self, number: usize, offset: u64) -> bool {
        let others = self.program.sections.iter().enumerate();
        !others
            .filter(|(other, s)| *other != number && s.is_in_file())
            .any(|(_, s)| s.range().start < offset && offset < s.range().end)
    }
}

/// The largest alignment of anything after the loaded part, in bytes.
fn tail_align(program: &Program<'_>, old_end: u64) -> u64 {
    let sections = program.sections.iter();
    let behind = sections.filter(|s| s.is_in_file() && s.offset >= old_end);
    let aligns = behind.map(|s| s.align).filter(|a| a.is_power_of_two());
    aligns.max().unwrap_or(1).clamp(16, 4096)
}

/// How many bytes are missing up to a multiple of `align`.
fn padding(size: u64, align: u64) -> u64 {
    size.next_multiple_of(align) - size
}

/// A run of zeros, as bytes.
pub(super) fn zeros<'a>(size: u64) -> Piece<'a> {
    Piece::Bytes(vec![0; size as usize].into())
}

/// In `.debug_frame`, an entry refers to its common entry by the offset in the section. This changes the entries for
/// a section in which they begin at `by`. `None` if it is not such a table.
fn moved_frame(frame: &[u8], by: u64) -> Option<Vec<u8>> {
    let mut frame = frame.to_vec();
    let mut at = 0;
    while at < frame.len() {
        let size = u32::from_le_bytes(*frame.get(at..)?.first_chunk()?);
        let id = at + 4;
        let next = id.checked_add(size as usize)?;
        let field = frame.get_mut(id..next)?.first_chunk_mut::<4>()?;
        let shared = u32::from_le_bytes(*field);
        // The common entries themselves have all ones there (DWARF 5, section 6.4.1).
        if shared != u32::MAX {
            *field = shared.checked_add(u32::try_from(by).ok()?)?.to_le_bytes();
        }
        at = next;
    }
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwind_entries_keep_what_they_share() {
        let entry = |id: u32| [&12u32.to_le_bytes()[..], &id.to_le_bytes(), &[7; 8]].concat();
        let table = [entry(u32::MAX), entry(0), entry(u32::MAX), entry(32)].concat();
        let moved = moved_frame(&table, 0x100).unwrap();
        let expected = [entry(u32::MAX), entry(0x100), entry(u32::MAX), entry(0x120)].concat();
        assert_eq!(moved, expected);
        assert_eq!(moved_frame(&table[..30], 0x100), None);
        assert_eq!(moved_frame(&[2, 0, 0, 0, 1, 1], 0), None);
    }
}
