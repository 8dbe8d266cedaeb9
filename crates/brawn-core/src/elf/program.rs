//! A finished executable: its headers, segments, sections and symbols. Each is checked to lie inside the file.
//!
//! To run a program, only its program headers are needed. Sections and symbols are for tools, and a stripped file has
//! few or none. Numbers are as in the file (ELF-64 Object File Format, version 1.5).

use super::raw::{Bytes, FileHeader, ProgramHeader, RawSymbol, SectionHeader};
use crate::advice::Advice;
use crate::arch::Isa;
use crate::elf::ident::Ident;
use crate::elf::image;
use crate::elf::interpreter;
use crate::elf::system::System;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use crate::work::{MOST_LOADS, Strings, overlap};
use object::{Endianness, LittleEndian, elf};
use std::mem::offset_of;
use std::ops::Range;

/// Part of the message for every other file.
pub const WANTED: &str = "brawn rewrites static musl programs";
const LINK_FIRST: &str = "rewrite the program that is linked from it";

pub use super::raw::{FILE_HEADER, PROGRAM_HEADER, SECTION_HEADER, SYMBOL, Section, Segment};

/// Whether the kernel may choose the program's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// `ET_EXEC`: loaded at the addresses in the file.
    Fixed,
    /// `ET_DYN` without an interpreter (static-pie): loaded at any address.
    Anywhere,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Code: `STT_FUNC`, and symbols in code that assemblers leave without a type.
    Function,
    /// Data.
    Object,
}

/// A defined symbol with an address, which may be local; or a name that a signature gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its address.
    pub address: u64,
    /// Its size in bytes; 0 if unknown.
    pub size: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// Whether only its own file can refer to it: `strip -x` removes such a name.
    pub is_local: bool,
}

/// A static executable of an architecture that brawn knows.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// The architecture that it runs on.
    pub architecture: Isa,
    /// Whether the kernel may choose its address.
    pub placement: Placement,
    /// The address of its entry point.
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
    /// Its symbols for functions and data, by address; empty if it has none.
    pub symbols: Vec<Symbol<'a>>,
}

impl<'a> Program<'a> {
    /// Reads a static executable.
    ///
    /// Errors: [`Kind::Malformed`](crate::Kind::Malformed) if headers contradict each other or the file's size;
    /// [`Kind::NotApplicable`](crate::Kind::NotApplicable) if it is not a static executable for a known architecture.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        if bytes.get(..4) != Some(&elf::ELFMAG) {
            return Err(no_elf(bytes));
        }
        let ident = Ident::read(bytes, 0)?;
        let Some(architecture) = ident.architecture().and_then(Isa::of) else {
            return Err(Error::not_applicable(format!(
                "an executable for {}: brawn knows {}",
                ident.describe(),
                Isa::names()
            )));
        };
        let file = Bytes(bytes);
        let header = file.one::<FileHeader>(0)?;
        let kind = header.e_type.get(LittleEndian);
        let placement = match kind {
            elf::ET_EXEC => Placement::Fixed,
            elf::ET_DYN => Placement::Anywhere,
            elf::ET_REL => return Err(no_program("an object file").next(LINK_FIRST)),
            elf::ET_CORE => return Err(no_program("a core dump")),
            _ => return Err(no_program(&format!("an ELF file of type {}", kind.0))),
        };
        let headers_at = header.e_phoff.get(LittleEndian);
        check_sizes(header)?;
        let segments = (0..header.e_phnum.get(LittleEndian))
            .map(|number| {
                let at = headers_at.saturating_add(u64::from(number) * PROGRAM_HEADER);
                file.segment(at).map_err(|e| e.segment(number.into()))
            })
            .collect::<Result<Vec<_>>>()?;
        check_order(&segments)?;
        check_overlap(&segments, bytes.len())?;
        let is = |kind: elf::ProgramType| segments.iter().position(|s| s.kind == kind.0);
        if let Some((system, sign)) = system(bytes, ident, &segments) {
            return Err(system.refused(&sign));
        }
        if let Some(number) = is(elf::PT_INTERP) {
            return Err(dynamic(bytes, &segments[number]).segment(number));
        }
        let entry = header.e_entry.get(LittleEndian);
        if !segments
            .iter()
            .any(|s| s.is_code() && s.filled().contains(&entry))
        {
            // The entry point of a library or plugin is not in its code.
            let found = match placement {
                Placement::Anywhere => "a shared library",
                Placement::Fixed => "not a program: there is no code at its entry point",
            };
            return Err(no_program(found));
        }
        let sections_at = header.e_shoff.get(LittleEndian);
        let (sections, names_section) = file.sections(header)?;
        let symbols = file.symbols(&sections, &segments)?;
        Ok(Self {
            bytes,
            architecture,
            placement,
            entry,
            headers_at,
            segments,
            sections_at,
            sections,
            names_section,
            symbols,
        })
    }

    /// The segment of that type, if there is exactly one.
    pub fn segment(&self, kind: elf::ProgramType) -> Option<&Segment> {
        self.segments.iter().find(|s| s.kind == kind.0)
    }

    /// Segments that are loaded, in the order of their addresses.
    pub fn loads(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().filter(|s| s.is_load())
    }

    /// The code: every executable segment's address and bytes.
    pub fn code(&self) -> impl DoubleEndedIterator<Item = (u64, &'a [u8])> + '_ {
        let code = self.segments.iter().filter(|s| s.is_code());
        code.map(|s| {
            (
                s.address,
                &self.bytes[s.offset as usize..][..s.file_size as usize],
            )
        })
    }

    /// The place in the file of the `length` bytes at `address`; `None` if the file does not fill all of them.
    pub fn offset(&self, address: u64, length: u64) -> Option<u64> {
        let end = address.checked_add(length)?;
        let within = |s: &&Segment| s.is_load() && s.address <= address && end <= s.filled().end;
        let segment = self.segments.iter().find(within)?;
        Some(address - segment.address + segment.offset)
    }

    /// `length` bytes at `address`.
    pub fn at(&self, address: u64, length: u64) -> Option<&'a [u8]> {
        let offset = self.offset(address, length)?;
        self.bytes.get(offset as usize..(offset + length) as usize)
    }

    /// The first symbol with that name.
    pub fn symbol(&self, name: &str) -> Option<&Symbol<'a>> {
        self.symbols.iter().find(|s| s.name == name)
    }

    /// The first section with that name.
    pub fn section(&self, name: &[u8]) -> Option<&Section<'a>> {
        self.sections.iter().find(|s| s.name == name)
    }
}

/// The error for a file that is not ELF: says what it is and what to do instead.
fn no_elf(bytes: &[u8]) -> Error {
    match Format::of(bytes) {
        Format::Archive | Format::ThinArchive => no_program("an archive").next(format!(
            "{} is for a libc.a; link other archives into a program first",
            Advice::Patch(None)
        )),
        format if format.is_package() => {
            no_program("a package or packed file").next("unpack the program first")
        }
        Format::Bitcode => no_program("LLVM bitcode").next(LINK_FIRST),
        _ if bytes.starts_with(b"#!") => {
            no_program("a script").next("name the program that it starts, if that is one")
        }
        _ if bytes.is_empty() => no_program("an empty file"),
        _ => no_program("not an ELF file"),
    }
}

/// The error that says what a file is, and that brawn wants a static program.
fn no_program(found: &str) -> Error {
    Error::not_applicable(format!("{found}: {WANTED}"))
}

/// The operating system, if it is not Linux: by the header, the notes and the interpreter.
fn system(bytes: &[u8], ident: Ident, segments: &[Segment]) -> Option<(System, String)> {
    let data = |segment: &Segment| {
        let end = segment.offset.checked_add(segment.file_size)?;
        bytes.get(usize::try_from(segment.offset).ok()?..usize::try_from(end).ok()?)
    };
    let of = |kind: elf::ProgramType| segments.iter().filter(move |s| s.kind == kind.0);
    let interpreter = of(elf::PT_INTERP).next().and_then(data);
    let notes = of(elf::PT_NOTE)
        .filter_map(|s| Some((data(s)?, s.align)))
        .flat_map(|(data, align)| image::notes(data, Endianness::Little, align));
    System::of(bytes, ident.machine, interpreter, notes)
}

/// The error for a dynamic program: says which dynamic linker starts it, and what to do instead.
fn dynamic(bytes: &[u8], interpreter: &Segment) -> Error {
    let end = interpreter.offset.saturating_add(interpreter.file_size);
    let name = bytes.get(interpreter.offset as usize..end as usize);
    let name = name.unwrap_or_default();
    let (libc, next) = if interpreter::is_musl(name) {
        (
            "linked with musl".into(),
            format!(
                "{} runs it with the same heap",
                Advice::Preload(Some("PROGRAM"))
            ),
        )
    } else if interpreter::is_glibc(name) {
        (
            "linked with glibc".into(),
            "glibc's heap is fast already, so there is nothing to do".into(),
        )
    } else {
        (
            format!(
                "started by {}",
                printable(name.split(|b| *b == 0).next().unwrap_or_default())
            ),
            "link it statically with musl, or give it another heap by LD_PRELOAD".into(),
        )
    };
    no_program(&format!("dynamic, {libc}")).next(next)
}

/// Checks that the headers have the sizes that the ELF specification gives them.
fn check_sizes(header: &FileHeader) -> Result<()> {
    for (at, found, expected, count) in [
        (
            offset_of!(FileHeader, e_phentsize),
            header.e_phentsize.get(LittleEndian),
            PROGRAM_HEADER,
            header.e_phnum.get(LittleEndian),
        ),
        (
            offset_of!(FileHeader, e_shentsize),
            header.e_shentsize.get(LittleEndian),
            SECTION_HEADER,
            header.e_shnum.get(LittleEndian),
        ),
    ] {
        if count != 0 && u64::from(found) != expected {
            return Err(Error::malformed(format!("headers of {found} bytes"))
                .at(at as u64)
                .expected(expected.to_string()));
        }
    }
    Ok(())
}

/// Checks that loaded segments ascend and do not overlap (ELF gABI, "Program Header"). The kernel relies on it.
fn check_order(segments: &[Segment]) -> Result<()> {
    let mut end = 0;
    for (number, segment) in segments.iter().enumerate().filter(|(_, s)| s.is_load()) {
        if segment.address < end {
            let found = format!("it begins at address {:#x}", segment.address);
            return Err(Error::malformed(found)
                .segment(number)
                .at(segment.offset)
                .expected(format!("{end:#x}, where the one before it ends, or above")));
        }
        end = segment.addresses().end;
    }
    if end == 0 {
        return Err(Error::not_applicable("nothing in it is loaded").expected("an executable"));
    }
    Ok(())
}

/// Each segment may cover the whole file, and each is searched.
fn check_overlap(segments: &[Segment], size: usize) -> Result<()> {
    let loads = segments.iter().filter(|s| s.is_load());
    let count = loads.clone().count();
    if count > MOST_LOADS {
        return Err(Error::refused(format!("{count} segments that are loaded"))
            .expected(format!("at most {MOST_LOADS}")));
    }
    overlap("segments", loads.map(|s| s.file_size), size)
}

impl<'a> Bytes<'a> {
    fn segment(&self, at: u64) -> Result<Segment> {
        let segment = Segment::from(self.one::<ProgramHeader>(at)?);
        if segment.is_load() || segment.kind == elf::PT_TLS.0 || segment.kind == elf::PT_DYNAMIC.0 {
            self.range(segment.offset, segment.file_size)
                .map_err(|e| e.at(at))?;
            // Addresses of programs are below 2^47; twice that still leaves room for sums.
            let fits = segment
                .address
                .checked_add(segment.size)
                .is_some_and(|end| end < 1 << 48);
            if segment.size < segment.file_size || !fits {
                let found = format!(
                    "addresses {:#x} and {:#x} bytes on, {:#x} of them from the file",
                    segment.address, segment.size, segment.file_size
                );
                return Err(Error::malformed(found)
                    .at(at)
                    .expected("an end below 2^48, and no more from the file than is in memory"));
            }
            if !(segment.align == 0 || segment.align.is_power_of_two()) {
                let found = format!("alignment {:#x}", segment.align);
                return Err(Error::malformed(found)
                    .at(at + offset_of!(ProgramHeader, p_align) as u64)
                    .expected("a power of two"));
            }
        }
        Ok(segment)
    }

    fn sections(&self, header: &FileHeader) -> Result<(Vec<Section<'a>>, usize)> {
        let (at, count) = (
            header.e_shoff.get(LittleEndian),
            header.e_shnum.get(LittleEndian),
        );
        if at == 0 || count == 0 {
            return Ok((Vec::new(), 0));
        }
        let names_section = usize::from(header.e_shstrndx.get(LittleEndian).0);
        let mut sections = (0..u64::from(count))
            .map(|number| self.section(at.saturating_add(number * SECTION_HEADER)))
            .collect::<Result<Vec<_>>>()?;
        let names = sections.get(names_section).ok_or_else(|| {
            Error::malformed(format!("section {names_section} for the sections' names"))
                .at(offset_of!(FileHeader, e_shstrndx) as u64)
                .expected(format!("less than {count}"))
        })?;
        let names = self.range(names.offset, names.range().end - names.offset)?;
        let names = Strings::new(names, sections.len());
        for section in &mut sections {
            section.name = text(&names, section.name_at).map_err(|e| e.at(at))?;
        }
        Ok((sections, names_section))
    }

    fn section(&self, at: u64) -> Result<Section<'a>> {
        let section = Section::from(self.one::<SectionHeader>(at)?);
        let is_in_file = !matches!(
            elf::SectionType(section.kind),
            elf::SHT_NOBITS | elf::SHT_NULL
        );
        if is_in_file {
            self.range(section.offset, section.size)
                .map_err(|e| e.at(at))?;
        } else if section
            .offset
            .checked_add(section.size)
            .is_none_or(|end| end >= 1 << 48)
        {
            // As for segments: sums of addresses and sizes do not overflow.
            return Err(
                Error::malformed(format!("a section of {:#x} bytes", section.size))
                    .at(at)
                    .expected("an end below 2^48"),
            );
        }
        Ok(section)
    }

    fn symbols(&self, sections: &[Section<'a>], segments: &[Segment]) -> Result<Vec<Symbol<'a>>> {
        let Some(table) = sections.iter().find(|s| s.kind == elf::SHT_SYMTAB.0) else {
            return Ok(Vec::new());
        };
        let Some(names) = sections.get(table.link as usize) else {
            return Err(
                Error::malformed(format!("section {} for the symbols' names", table.link))
                    .at(table.offset)
                    .expected(format!("less than {}", sections.len())),
            );
        };
        let names = self.range(names.offset, names.range().end - names.offset)?;
        let entries = self.all::<RawSymbol>(table.offset, table.size)?;
        let names = Strings::new(names, entries.len());
        let code: Vec<Range<u64>> = segments
            .iter()
            .filter(|s| s.is_code())
            .map(Segment::addresses)
            .collect();
        let mut symbols = Vec::with_capacity(entries.len());
        for entry in entries {
            let section = entry.st_shndx.get(LittleEndian).0;
            let kind = entry.st_info.st_type();
            let address = entry.st_value.get(LittleEndian);
            // Skip undefined, absolute and common symbols.
            if section == 0 || section >= 0xff00 {
                continue;
            }
            let is_in_code = || code.iter().any(|s| s.contains(&address));
            let kind = match kind {
                elf::STT_FUNC | elf::STT_GNU_IFUNC => SymbolKind::Function,
                elf::STT_OBJECT => SymbolKind::Object,
                elf::STT_NOTYPE if is_in_code() => SymbolKind::Function,
                elf::STT_NOTYPE => SymbolKind::Object,
                _ => continue,
            };
            let name = entry.st_name.get(LittleEndian);
            // A name that is not text is not one of musl's.
            let name = text(&names, name).map_err(|e| e.at(table.offset))?;
            let Ok(name) = std::str::from_utf8(name) else {
                continue;
            };
            symbols.push(Symbol {
                name,
                address,
                size: entry.st_size.get(LittleEndian),
                kind,
                is_local: entry.st_info.st_bind() == elf::STB_LOCAL,
            });
        }
        symbols.sort_by_key(|s| s.address);
        Ok(symbols)
    }
}

/// The text at `at` in a string table, up to its NUL; empty if there is none.
fn text<'a>(table: &Strings<'a>, at: u32) -> Result<&'a [u8]> {
    Ok(table.get(at.into())?.unwrap_or_default())
}

/// A section's name as text, for errors.
pub fn section_name(section: &Section<'_>) -> String {
    printable(section.name)
}
