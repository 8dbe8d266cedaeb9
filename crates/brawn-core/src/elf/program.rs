//! A finished executable: its headers, segments, sections and symbols, each checked to lie in the file.
//!
//! A program runs by its program headers alone; sections and symbols are what tools use, and a stripped file has
//! few or none.  Numbers are the file's own (ELF-64 Object File Format, version 1.5).

use crate::elf::ident::Ident;
use crate::elf::image;
use crate::elf::interpreter;
use crate::elf::system::System;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use crate::work::{MOST_LOADS, Strings, overlap};
use brawn_payload::Architecture;
use object::{Endianness, elf};
use std::ops::Range;

/// What every other file is told.
pub const WANTED: &str = "brawn rewrites static musl programs";
const LINK_FIRST: &str = "rewrite what is linked from it";

/// Size of the ELF header, in bytes.
pub const FILE_HEADER: u64 = 64;
/// Size of a program header, in bytes.
pub const PROGRAM_HEADER: u64 = 56;
/// Size of a section header, in bytes.
pub const SECTION_HEADER: u64 = 64;
/// Size of a symbol, in bytes.
pub const SYMBOL: u64 = 24;

/// Whether the program may be loaded anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// `ET_EXEC`: at the addresses that the file gives.
    Fixed,
    /// `ET_DYN` without an interpreter (static-pie): anywhere.
    Anywhere,
}

/// A program header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// `p_type`.
    pub kind: u32,
    /// `p_flags`.
    pub flags: u32,
    /// `p_offset`.
    pub offset: u64,
    /// `p_vaddr`.
    pub address: u64,
    /// `p_filesz`.
    pub file_size: u64,
    /// `p_memsz`; at least `file_size`.
    pub size: u64,
    /// `p_align`.
    pub align: u64,
}

impl Segment {
    /// Whether it is loaded.
    pub fn is_load(&self) -> bool {
        self.kind == elf::PT_LOAD.0
    }

    /// Whether its bytes are run.
    pub fn is_code(&self) -> bool {
        self.is_load() && self.flags & elf::PF_X.0 != 0
    }

    /// Where it is in memory.
    pub fn addresses(&self) -> Range<u64> {
        self.address..self.address + self.size
    }

    /// The part of [`Segment::addresses`] that the file fills.
    pub fn filled(&self) -> Range<u64> {
        self.address..self.address + self.file_size
    }
}

/// A section header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// `sh_name`.
    pub name_at: u32,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// `sh_addr`.
    pub address: u64,
    /// `sh_offset`.
    pub offset: u64,
    /// `sh_size`.
    pub size: u64,
    /// `sh_link`.
    pub link: u32,
    /// `sh_info`.
    pub info: u32,
    /// `sh_addralign`.
    pub align: u64,
    /// `sh_entsize`.
    pub entry_size: u64,
}

impl Section<'_> {
    /// The header in these bytes, without its name, which is in another section.
    pub fn of(header: &[u8; SECTION_HEADER as usize]) -> Self {
        let (words, _) = header.as_chunks::<4>();
        let word = |at: usize| u32::from_le_bytes(words[at / 4]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        Self {
            name: &[],
            name_at: word(0),
            kind: word(4),
            flags: long(8),
            address: long(16),
            offset: long(24),
            size: long(32),
            link: word(40),
            info: word(44),
            align: long(48),
            entry_size: long(56),
        }
    }

    /// Whether it is loaded.
    pub fn is_allocated(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }

    /// Where it is in the file: nowhere for `SHT_NOBITS`.
    pub fn range(&self) -> Range<u64> {
        let size = if self.kind == elf::SHT_NOBITS.0 {
            0
        } else {
            self.size
        };
        self.offset..self.offset + size
    }
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Code: `STT_FUNC`, and what assemblers leave untyped in code.
    Function,
    /// Data.
    Object,
}

/// A defined symbol with an address, local ones included; or a name that a signature gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its address.
    pub address: u64,
    /// Its size in bytes; 0 for unknown.
    pub size: u64,
    /// What it names.
    pub kind: Kind,
}

/// A static executable of an architecture that brawn knows.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// What it runs on.
    pub architecture: Architecture,
    /// Whether it may be loaded anywhere.
    pub placement: Placement,
    /// Where it begins to run.
    pub entry: u64,
    /// Where its program headers are in the file.
    pub headers_at: u64,
    /// Its program headers, in their order.
    pub segments: Vec<Segment>,
    /// Where its section headers are in the file; 0 for none.
    pub sections_at: u64,
    /// Its section headers, in their order; empty for none.
    pub sections: Vec<Section<'a>>,
    /// The position of the section with the sections' names; 0 for none.
    pub names_section: usize,
    /// Its symbols in functions and data, by address; empty where it has none.
    pub symbols: Vec<Symbol<'a>>,
}

impl<'a> Program<'a> {
    /// Reads a static executable.
    ///
    /// Errors: [`Kind::Malformed`](crate::Kind::Malformed) for headers that contradict each other or the file's
    /// size, [`Kind::NotApplicable`](crate::Kind::NotApplicable) for what is no static executable of a known architecture.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        if bytes.get(..4) != Some(&elf::ELFMAG) {
            return Err(no_elf(bytes));
        }
        let ident = Ident::read(bytes, 0)?;
        let Some(architecture) = ident.architecture() else {
            return Err(Error::not_applicable(format!(
                "an executable for {}: brawn knows x86_64 and aarch64",
                ident.describe()
            )));
        };
        let file = Bytes(bytes);
        let kind = file.u16(16)?;
        let placement = match elf::FileType(kind) {
            elf::ET_EXEC => Placement::Fixed,
            elf::ET_DYN => Placement::Anywhere,
            elf::ET_REL => return Err(no_program("an object file").next(LINK_FIRST)),
            elf::ET_CORE => return Err(no_program("a core dump")),
            _ => return Err(no_program(&format!("an ELF file of type {kind}"))),
        };
        let headers_at = file.u64(32)?;
        let sizes = [(54, PROGRAM_HEADER), (58, SECTION_HEADER)];
        let counts = [file.u16(56)?, file.u16(60)?];
        for ((at, expected), count) in sizes.into_iter().zip(counts) {
            let found = file.u16(at)?;
            if count != 0 && u64::from(found) != expected {
                return Err(Error::malformed(format!("headers of {found} bytes"))
                    .at(at)
                    .expected(expected.to_string()));
            }
        }
        let segments = (0..counts[0])
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
        let entry = file.u64(24)?;
        if !segments
            .iter()
            .any(|s| s.is_code() && s.filled().contains(&entry))
        {
            // Where a library or a plugin begins is nothing.
            let found = match placement {
                Placement::Anywhere => "a shared library",
                Placement::Fixed => "no program: there is no code where it would begin",
            };
            return Err(no_program(found));
        }
        let sections_at = file.u64(40)?;
        let (sections, names_section) = file.sections(sections_at, counts[1])?;
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

    /// The only segment of that type, if there is one.
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

    /// Where in the file `length` bytes at `address` are; `None` where the file does not fill them.
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

    /// The symbol of that name; of several the first.
    pub fn symbol(&self, name: &str) -> Option<&Symbol<'a>> {
        self.symbols.iter().find(|s| s.name == name)
    }

    /// The section of that name; of several the first.
    pub fn section(&self, name: &[u8]) -> Option<&Section<'a>> {
        self.sections.iter().find(|s| s.name == name)
    }
}

/// What is no ELF file: what to do instead.
fn no_elf(bytes: &[u8]) -> Error {
    match Format::of(bytes) {
        Format::Archive | Format::ThinArchive => no_program("an archive")
            .next("`brawn patch` is for a libc.a; others are linked into a program first"),
        Format::Zip | Format::Gzip | Format::Tar => {
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

/// What `found` is, and what is wanted instead.
fn no_program(found: &str) -> Error {
    Error::not_applicable(format!("{found}: {WANTED}"))
}

/// Another operating system than Linux, by the header, the notes and the interpreter.
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

/// A program that the dynamic linker named in `interpreter` starts: what to do instead.
fn dynamic(bytes: &[u8], interpreter: &Segment) -> Error {
    let end = interpreter.offset.saturating_add(interpreter.file_size);
    let name = bytes.get(interpreter.offset as usize..end as usize);
    let name = name.unwrap_or_default();
    let (libc, next) = if interpreter::is_musl(name) {
        (
            "linked with musl".into(),
            "`brawn preload -- PROGRAM` runs it with the same heap",
        )
    } else if interpreter::is_glibc(name) {
        (
            "linked with glibc".into(),
            "glibc's heap is fast already, so there is nothing to do",
        )
    } else {
        (
            format!(
                "started by {}",
                printable(name.split(|b| *b == 0).next().unwrap_or_default())
            ),
            "link it statically with musl, or give it another heap by LD_PRELOAD",
        )
    };
    no_program(&format!("dynamic, {libc}")).next(next)
}

/// Loaded segments ascend and do not overlap (ELF gABI, "Program Header"), which the kernel takes for granted.
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

/// Each of them may be the whole file, which is looked through as often.
fn check_overlap(segments: &[Segment], size: usize) -> Result<()> {
    let loads = segments.iter().filter(|s| s.is_load());
    let count = loads.clone().count();
    if count > MOST_LOADS {
        return Err(Error::refused(format!("{count} segments that are loaded"))
            .expected(format!("at most {MOST_LOADS}")));
    }
    overlap("segments", loads.map(|s| s.file_size), size)
}

/// A file's bytes, read with a check.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn array<const N: usize>(&self, at: u64) -> Result<[u8; N]> {
        let from = usize::try_from(at)
            .ok()
            .and_then(|at| self.0.get(at..)?.first_chunk());
        from.copied().ok_or_else(|| {
            let found = format!("the file ends at {:#x}", self.0.len());
            Error::malformed(found)
                .at(at)
                .expected(format!("{N} more bytes"))
        })
    }

    fn u16(&self, at: u64) -> Result<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn u32(&self, at: u64) -> Result<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: u64) -> Result<u64> {
        self.array(at).map(u64::from_le_bytes)
    }

    /// Those bytes, which must be in the file.
    fn range(&self, offset: u64, size: u64) -> Result<&'a [u8]> {
        let end = offset.checked_add(size);
        let range = end.and_then(|end| {
            self.0
                .get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)
        });
        range.ok_or_else(|| {
            Error::malformed(format!(
                "the file is cut short: it ends at {:#x}, and has {size:#x} bytes at {offset:#x} by its headers",
                self.0.len()
            ))
            .next("get it, or link it, again")
        })
    }

    fn segment(&self, at: u64) -> Result<Segment> {
        let segment = Segment {
            kind: self.u32(at)?,
            flags: self.u32(at + 4)?,
            offset: self.u64(at + 8)?,
            address: self.u64(at + 16)?,
            file_size: self.u64(at + 32)?,
            size: self.u64(at + 40)?,
            align: self.u64(at + 48)?,
        };
        if segment.is_load() || segment.kind == elf::PT_TLS.0 || segment.kind == elf::PT_DYNAMIC.0 {
            self.range(segment.offset, segment.file_size)
                .map_err(|e| e.at(at))?;
            // Addresses of programs are below 2^47; twice that leaves room for sums.
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
                    .at(at + 48)
                    .expected("a power of two"));
            }
        }
        Ok(segment)
    }

    fn sections(&self, at: u64, count: u16) -> Result<(Vec<Section<'a>>, usize)> {
        if at == 0 || count == 0 {
            return Ok((Vec::new(), 0));
        }
        let names_section = usize::from(self.u16(62)?);
        let mut sections = (0..u64::from(count))
            .map(|number| self.section(at.saturating_add(number * SECTION_HEADER)))
            .collect::<Result<Vec<_>>>()?;
        let names = sections.get(names_section).ok_or_else(|| {
            Error::malformed(format!("section {names_section} for the sections' names"))
                .at(62)
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
        let section = Section::of(&self.array(at)?);
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
            // As for segments: sums of what is left, and of what it is moved by, do not overflow.
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
        let (entries, _) = self
            .range(table.offset, table.size)?
            .as_chunks::<{ SYMBOL as usize }>();
        let names = Strings::new(names, entries.len());
        let code: Vec<Range<u64>> = segments
            .iter()
            .filter(|s| s.is_code())
            .map(Segment::addresses)
            .collect();
        let mut symbols = Vec::with_capacity(entries.len());
        for entry in entries {
            let word =
                |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().unwrap_or_default());
            let section = u16::from_le_bytes([entry[6], entry[7]]);
            let kind = elf::SymbolType(entry[4] & 15);
            let address = word(8);
            // Not undefined, absolute or common.
            if section == 0 || section >= 0xff00 {
                continue;
            }
            let is_in_code = || code.iter().any(|s| s.contains(&address));
            let kind = match kind {
                elf::STT_FUNC | elf::STT_GNU_IFUNC => Kind::Function,
                elf::STT_OBJECT => Kind::Object,
                elf::STT_NOTYPE if is_in_code() => Kind::Function,
                elf::STT_NOTYPE => Kind::Object,
                _ => continue,
            };
            let name = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
            // Names that are no text are none of musl's.
            let name = text(&names, name).map_err(|e| e.at(table.offset))?;
            let Ok(name) = std::str::from_utf8(name) else {
                continue;
            };
            symbols.push(Symbol {
                name,
                address,
                size: word(16),
                kind,
            });
        }
        symbols.sort_by_key(|s| s.address);
        Ok(symbols)
    }
}

/// The text that begins at `at` in a string table, up to its NUL; empty where there is none.
fn text<'a>(table: &Strings<'a>, at: u32) -> Result<&'a [u8]> {
    Ok(table.get(at.into())?.unwrap_or_default())
}

/// For errors: a section's name as text.
pub fn section_name(section: &Section<'_>) -> String {
    printable(section.name)
}
