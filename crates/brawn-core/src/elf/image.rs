//! An ELF file of any class, byte order and type: how it is loaded, what it asks the dynamic linker for, its sections,
//! its symbols with their places, and its notes. [`Program`](super::program::Program) is such a file that can be
//! rewritten.
//!
//! Addresses come from the program headers if there are any, since a program also runs without section headers.

mod notes;

use super::ident::Ident;
use super::raw::{Section, Segment};
use crate::error::{Error, Result};
use crate::note::{AnyNote, Note};
use crate::work::{MOST_LOADS, Strings, overlap};
use object::Endianness;
use object::elf;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};
use std::ops::Range;

/// `e_type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Type {
    /// `ET_REL`.
    #[default]
    Object,
    /// `ET_EXEC`.
    Executable,
    /// `ET_DYN`: a shared object, or a position-independent executable.
    Shared,
    /// A core file, or a type that only one processor or system has.
    Other(u16),
}

/// A part of memory that the file fills: a `PT_LOAD` segment or an allocated section.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// Its address in memory; 0 for each section of a relocatable object.
    pub address: u64,
    /// The bytes from the file.
    pub data: &'a [u8],
    /// Whether its bytes can be executed.
    pub executable: bool,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Code: `STT_FUNC` and `STT_GNU_IFUNC`.
    Function,
    /// Data: `STT_OBJECT` and `STT_COMMON`.
    Object,
    /// `STT_TLS`: its address is an offset in the block of thread-locals.
    ThreadLocal,
    /// Anything else, such as symbols that assemblers leave without a type.
    Other,
}

impl SymbolKind {
    /// Whether it may name code.
    pub fn may_be_code(self) -> bool {
        matches!(self, Self::Function | Self::Other)
    }
}

/// A symbol, local ones included. Symbols whose names are not text are left out: no libc and no heap has such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its address; in a relocatable object, its offset in the section.
    pub address: u64,
    /// Its size in bytes; 0 if unknown.
    pub size: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// Whether other files can see it.
    pub global: bool,
    /// Whether it is weak: another definition takes its place.
    pub weak: bool,
    /// Whether it was hidden before the file was linked: shared objects do not see it.
    pub hidden: bool,
    /// Whether it is defined in this file.
    pub defined: bool,
    /// Its section's position in [`Image::sections`]; 0 for none: it is undefined, or a number instead of an address.
    pub section: usize,
}

/// An ELF file.
#[derive(Clone, Debug, Default)]
pub struct Image<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// Its class, byte order and machine.
    pub ident: Ident,
    /// The type of the file.
    pub kind: Type,
    /// The address of its entry point; 0 for none.
    pub entry: u64,
    /// Where its program headers are in the file.
    pub headers_at: u64,
    /// Its program headers, in their order.
    pub segments: Vec<Segment>,
    /// Where its section headers are in the file; 0 for none.
    pub sections_at: u64,
    /// Its section headers, in their order; empty for none.
    pub sections: Vec<Section<'a>>,
    /// The index of the section that has the sections' names; 0 for none.
    pub names_section: usize,
    /// The parts that are loaded into memory.
    pub loads: Vec<Load<'a>>,
    /// The program that `PT_INTERP` names.
    pub interpreter: Option<&'a [u8]>,
    /// Whether it has a `PT_DYNAMIC` segment.
    pub is_dynamic: bool,
    /// The shared objects that it needs, by `DT_NEEDED`.
    pub needed: Vec<&'a [u8]>,
    /// Whether `DT_FLAGS_1` says that it is a position-independent executable.
    pub is_pie: bool,
    /// Whether it has a `DT_SONAME`, as shared objects do.
    pub has_soname: bool,
    /// Whether its dynamic symbols include functions for others to call.
    pub has_exports: bool,
    /// The symbol table; the dynamic symbols if the file has no symbol table (it is stripped).
    pub symbols: Vec<Symbol<'a>>,
    /// Whether `symbols` come from the full symbol table.
    pub has_symbol_table: bool,
    /// Every note.
    pub notes: Vec<AnyNote<'a>>,
    /// brawn's notes.
    pub brawn: Vec<Note>,
}

impl<'a> Image<'a> {
    /// Reads the ELF file in `bytes`; `offset` is where it begins in the file around it.
    pub fn read(bytes: &'a [u8], offset: u64) -> Result<Self> {
        let ident = Ident::read(bytes, offset)?;
        if ident.is_64 {
            read::<elf::FileHeader64<Endianness>>(bytes, offset, ident)
        } else {
            read::<elf::FileHeader32<Endianness>>(bytes, offset, ident)
        }
    }

    /// The defined symbols.
    pub fn defined(&self) -> impl Iterator<Item = &Symbol<'a>> {
        self.symbols.iter().filter(|s| s.defined)
    }

    /// The defined symbol of that name; a global one before a local one.
    pub fn named(&self, name: &str) -> Option<&Symbol<'a>> {
        let symbols = self.defined().filter(|s| s.name == name);
        symbols.max_by_key(|s| s.global)
    }

    /// The contents of a section; empty if the file has none.
    pub fn data(&self, section: &Section<'_>) -> &'a [u8] {
        let Range { start, end } = section.range();
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let data = range.and_then(|(start, end)| self.bytes.get(start..end));
        data.unwrap_or_default()
    }

    /// The bytes of a symbol: as many as its size says, or up to `most` if it has no size.
    pub fn contents(&self, symbol: &Symbol<'_>, most: usize) -> Option<&'a [u8]> {
        let size = usize::try_from(symbol.size).ok()?;
        let size = if size == 0 { most } else { size };
        let rest = match self.kind {
            Type::Object => {
                let data = self.data(self.sections.get(symbol.section)?);
                data.get(usize::try_from(symbol.address).ok()?..)?
            }
            _ => self.bytes_at(symbol.address)?,
        };
        Some(&rest[..rest.len().min(size)])
    }
}

fn read<'a, H: FileHeader<Endian = Endianness>>(
    bytes: &'a [u8],
    offset: u64,
    ident: Ident,
) -> Result<Image<'a>> {
    let bad = bad(offset);
    let header = H::parse(bytes).map_err(bad(0))?;
    let endian = header.endian().map_err(bad(0))?;
    let mut image = Image {
        bytes,
        ident,
        kind: match header.e_type(endian) {
            elf::ET_REL => Type::Object,
            elf::ET_EXEC => Type::Executable,
            elf::ET_DYN => Type::Shared,
            other => Type::Other(other.0),
        },
        entry: header.e_entry(endian).into(),
        headers_at: header.e_phoff(endian).into(),
        sections_at: header.e_shoff(endian).into(),
        ..Image::default()
    };
    let (e_phoff, e_shoff) = if ident.is_64 { (32, 40) } else { (28, 32) };
    let segments = header
        .program_headers(endian, bytes)
        .map_err(bad(e_phoff))?;
    check_segments::<H>(endian, segments, bytes.len())?;
    image.read_segments::<H>(endian, segments, offset)?;
    let sections = header.sections(endian, bytes).map_err(bad(e_shoff))?;
    image.read_sections::<H>(endian, header, &sections, offset, segments.is_empty())?;
    image.read_symbols::<H>(endian, &sections, offset, e_shoff)?;
    Ok(image)
}

/// Makes errors for a place in a file that begins at `offset`.
fn bad(offset: u64) -> impl Fn(u64) -> Malformed {
    move |place| {
        Box::new(move |error: object::read::Error| {
            Error::malformed(error.to_string().to_lowercase()).at(offset.saturating_add(place))
        })
    }
}

/// Turns an error of the `object` crate into brawn's.
type Malformed = Box<dyn FnOnce(object::read::Error) -> Error>;

/// The string table in section `number`, for `count` names; `None` if there is no such section.
pub(super) fn strings<'a, H: FileHeader>(
    endian: H::Endian,
    bytes: &'a [u8],
    sections: &SectionTable<'a, H>,
    number: object::SectionIndex,
    count: usize,
) -> object::read::Result<Strings<'a>> {
    let table: &[u8] = match number.0 {
        0 => &[],
        _ => sections.section(number)?.data(endian, bytes)?,
    };
    Ok(Strings::new(table, count))
}

fn name_of<'a>(names: &Strings<'a>, at: u32) -> Result<&'a [u8]> {
    names.get(at.into())?.ok_or_else(|| {
        Error::malformed(format!("a name at {at:#x} of a table that has ended"))
            .next("the file is truncated or damaged: get it again")
    })
}

/// Checks how much segments overlap: each may cover the whole file, and there may be thousands. What lies behind the
/// file's end does not count: of a file that is cut short, all would seem to overlap.
fn check_segments<H: FileHeader<Endian = Endianness>>(
    endian: Endianness,
    segments: &[H::ProgramHeader],
    size: usize,
) -> Result<()> {
    let of = |kind| {
        let segments = segments.iter().filter(move |s| s.p_type(endian) == kind);
        segments.map(move |s| {
            let (offset, length) = s.file_range(endian);
            length.min((size as u64).saturating_sub(offset))
        })
    };
    overlap("segments", of(elf::PT_LOAD), size)?;
    overlap("segments with notes", of(elf::PT_NOTE), size)
}

impl<'a> Image<'a> {
    fn read_segments<H: FileHeader<Endian = Endianness>>(
        &mut self,
        endian: Endianness,
        segments: &'a [H::ProgramHeader],
        offset: u64,
    ) -> Result<()> {
        let bytes = self.bytes;
        let mut dynamic = None;
        for (number, segment) in segments.iter().enumerate() {
            let found = Segment::of(segment, endian);
            let (start, size) = (found.offset, found.file_size);
            self.segments.push(found);
            let lies = || {
                Error::malformed(format!(
                    "the file is cut short: it ends at {:#x}, and has {size:#x} bytes at {start:#x} by its headers",
                    bytes.len()
                ))
                .segment(number)
                .at(offset.saturating_add(start))
                .next("get the file again, or link it again")
            };
            let data = || segment.data(endian, bytes).map_err(|()| lies());
            match segment.p_type(endian) {
                elf::PT_LOAD => {
                    self.loads.push(Load {
                        address: found.address,
                        data: data()?,
                        executable: found.is_code(),
                    });
                }
                elf::PT_INTERP => {
                    self.interpreter = Some(data()?.split(|b| *b == 0).next().unwrap_or_default());
                }
                elf::PT_NOTE => {
                    let place = offset.saturating_add(start);
                    self.read_notes(endian, data()?, place, found.align)?;
                }
                elf::PT_DYNAMIC => {
                    self.is_dynamic = true;
                    dynamic = segment.dynamic(endian, bytes).map_err(|_| lies())?;
                }
                elf::PT_TLS => {
                    data()?;
                }
                _ => {}
            }
        }
        self.check_loads()?;
        self.read_dynamic::<H>(endian, dynamic.unwrap_or_default());
        Ok(())
    }

    /// The full symbol table or, if there is none, that of the dynamic linker.
    fn read_symbols<H: FileHeader<Endian = Endianness>>(
        &mut self,
        endian: Endianness,
        sections: &SectionTable<'a, H>,
        offset: u64,
        e_shoff: u64,
    ) -> Result<()> {
        let bytes = self.bytes;
        let bad = bad(offset);
        let mut table = sections
            .symbols(endian, bytes, elf::SHT_SYMTAB)
            .map_err(bad(e_shoff))?;
        let dynamic = sections
            .symbols(endian, bytes, elf::SHT_DYNSYM)
            .map_err(bad(e_shoff))?;
        self.has_exports = dynamic.iter().any(|s| {
            s.st_type() == elf::STT_FUNC
                && s.st_bind() != elf::STB_LOCAL
                && s.st_shndx(endian) != elf::SHN_UNDEF
        });
        self.has_symbol_table = !table.is_empty();
        if table.is_empty() {
            table = dynamic;
        }
        let table_at = sections
            .section(table.section())
            .map(|s| s.sh_offset(endian).into())
            .unwrap_or(e_shoff);
        let names = strings::<H>(endian, bytes, sections, table.string_section(), table.len());
        let names = names.map_err(bad(table_at))?;
        let refused = |e: Error| e.at(offset.saturating_add(table_at));
        // GNU ld forgets the visibility of what was hidden, and puts it behind a file without a name.
        let mut has_file = true;
        for (number, symbol) in table.enumerate() {
            let kind = match symbol.st_type() {
                elf::STT_FUNC | elf::STT_GNU_IFUNC => SymbolKind::Function,
                elf::STT_OBJECT | elf::STT_COMMON => SymbolKind::Object,
                elf::STT_TLS => SymbolKind::ThreadLocal,
                elf::STT_FILE => {
                    has_file = symbol.st_name(endian) != 0;
                    continue;
                }
                elf::STT_SECTION => continue,
                _ => SymbolKind::Other,
            };
            let is_local = symbol.st_bind() == elf::STB_LOCAL;
            let section = table
                .symbol_section(endian, symbol, number)
                .map_err(bad(table_at))?;
            let name = name_of(&names, symbol.st_name(endian)).map_err(refused)?;
            let Ok(name) = std::str::from_utf8(name) else {
                continue;
            };
            self.symbols.push(Symbol {
                name,
                address: symbol.st_value(endian).into(),
                size: symbol.st_size(endian).into(),
                kind,
                global: !is_local,
                weak: symbol.st_bind() == elf::STB_WEAK,
                hidden: symbol.st_visibility() == elf::STV_HIDDEN || (is_local && !has_file),
                defined: symbol.st_shndx(endian) != elf::SHN_UNDEF,
                section: section.map_or(0, |s| s.0),
            });
        }
        Ok(())
    }

    /// Every symbol is looked up in all segments. Relocatable objects need no limit: their symbols are not looked up.
    fn check_loads(&self) -> Result<()> {
        let is_program = matches!(self.kind, Type::Executable | Type::Shared);
        if is_program && self.loads.len() > MOST_LOADS {
            let found = format!("{} segments that are loaded", self.loads.len());
            return Err(Error::refused(found).expected(format!("at most {MOST_LOADS}")));
        }
        Ok(())
    }

    /// The dynamic section is input for the dynamic linker and says nothing about heaps. So errors in it are ignored.
    fn read_dynamic<H: FileHeader<Endian = Endianness>>(
        &mut self,
        endian: Endianness,
        entries: &'a [H::Dyn],
    ) {
        let mut parts = entries.split(|d| d.d_tag(endian) == elf::DT_NULL);
        let entries = parts.next().unwrap_or_default();
        let value = |tag| {
            let entry = entries.iter().find(|d| d.d_tag(endian) == tag);
            entry.map(|d| d.val(endian))
        };
        self.is_pie = value(elf::DT_FLAGS_1).is_some_and(|v| v & elf::DF_1_PIE.0 != 0);
        self.has_soname = value(elf::DT_SONAME).is_some();
        let Some(strings) = value(elf::DT_STRTAB).and_then(|at| self.bytes_at(at)) else {
            return;
        };
        let strings = Strings::new(strings, entries.len());
        for entry in entries.iter().filter(|d| d.d_tag(endian) == elf::DT_NEEDED) {
            let Ok(name) = strings.get(entry.val(endian)) else {
                return;
            };
            self.needed.extend(name);
        }
    }

    /// The bytes from `address` to the end of the part that is loaded there.
    pub fn bytes_at(&self, address: u64) -> Option<&'a [u8]> {
        self.loads.iter().find_map(|load| {
            let at = usize::try_from(address.checked_sub(load.address)?).ok()?;
            load.data.get(at..).filter(|rest| !rest.is_empty())
        })
    }

    fn read_sections<H: FileHeader<Endian = Endianness>>(
        &mut self,
        endian: Endianness,
        header: &H,
        table: &SectionTable<'a, H>,
        offset: u64,
        has_no_segments: bool,
    ) -> Result<()> {
        let is_there = |s: &&H::SectionHeader| s.sh_type(endian) != elf::SHT_NOBITS;
        let sizes = table
            .iter()
            .filter(is_there)
            .map(|s| s.sh_size(endian).into());
        overlap("sections", sizes, self.bytes.len())?;
        let number = header.shstrndx(endian, self.bytes).ok();
        self.names_section = number.unwrap_or_default() as usize;
        let number = object::SectionIndex(self.names_section);
        let names = strings(endian, self.bytes, table, number, table.len());
        let names = names.unwrap_or_else(|_| Strings::new(&[], 0));
        for (number, section) in table.iter().enumerate() {
            let mut found = Section::of(section, endian);
            let place = offset.saturating_add(found.offset);
            let bad = |error: object::read::Error| {
                Error::malformed(format!(
                    "section {number}: {}",
                    error.to_string().to_lowercase()
                ))
                .at(place)
            };
            let kind = section.sh_type(endian);
            let mut data: &[u8] = b"";
            if kind != elf::SHT_NULL {
                found.name = name_of(&names, found.name_at).map_err(|e| e.at(place))?;
                data = section.data(endian, self.bytes).map_err(bad)?;
            }
            self.sections.push(found);
            if has_no_segments && kind == elf::SHT_NOTE {
                self.read_notes(endian, data, place, found.align)?;
            }
            if has_no_segments && found.is_allocated() && !data.is_empty() {
                self.loads.push(Load {
                    address: found.address,
                    data,
                    executable: found.flags & elf::SHF_EXECINSTR.0 != 0,
                });
            }
        }
        self.check_loads()
    }
}

#[cfg(test)]
mod tests;
