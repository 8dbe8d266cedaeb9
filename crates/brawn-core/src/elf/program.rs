//! A finished executable that can be rewritten.
//!
//! To run a program, only its program headers are needed. Sections and symbols are for tools, and a stripped file has
//! few or none. Numbers are as in the file (ELF-64 Object File Format, version 1.5).

use super::raw::{FileHeader, ProgramHeader};
use crate::advice::Advice;
use crate::arch::Isa;
use crate::elf::ident::Ident;
use crate::elf::image::{Image, Type};
use crate::elf::interpreter;
use crate::elf::system::System;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use object::elf;
use std::mem::offset_of;
use std::ops::{Deref, Range};

/// Part of the message for every other file.
pub const WANTED: &str = "brawn rewrites static musl programs";
const LINK_FIRST: &str = "rewrite the program that is linked from it";

pub use super::image::{Symbol, SymbolKind};
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

/// A static executable of an architecture that brawn knows: an [`Image`] whose headers were checked, so that sums of
/// its addresses, offsets and sizes do not overflow.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// The file. Its symbols are ordered by address.
    pub image: Image<'a>,
    /// The architecture that it runs on.
    pub architecture: Isa,
    /// Whether the kernel may choose its address.
    pub placement: Placement,
}

impl<'a> Deref for Program<'a> {
    type Target = Image<'a>;

    fn deref(&self) -> &Self::Target {
        &self.image
    }
}

impl<'a> Program<'a> {
    /// Reads a static executable.
    ///
    /// Errors: [`Kind::Malformed`](crate::Kind::Malformed) if it is empty, or if headers contradict each other or the file's
    /// size; [`Kind::NotApplicable`](crate::Kind::NotApplicable) if it is not a static executable for a known architecture.
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
        let mut image = Image::read(bytes, 0)?;
        let placement = match image.kind {
            Type::Executable => Placement::Fixed,
            Type::Shared => Placement::Anywhere,
            Type::Object => return Err(no_program("an object file").next(LINK_FIRST)),
            Type::Other(kind) if kind == elf::ET_CORE.0 => return Err(no_program("a core dump")),
            Type::Other(kind) => return Err(no_program(&format!("an ELF file of type {kind}"))),
        };
        for (number, segment) in image.segments.iter().enumerate() {
            let at = image.headers_at + number as u64 * PROGRAM_HEADER;
            check_segment(segment, at).map_err(|e| e.segment(number))?;
        }
        check_order(&image.segments)?;
        if let Some((system, sign)) = System::of_image(&image) {
            return Err(system.refused(&sign));
        }
        if let Some(interpreter) = image.interpreter {
            let mut segments = image.segments.iter();
            let number = segments.position(|s| s.kind == elf::PT_INTERP.0);
            return Err(dynamic(interpreter).segment(number.unwrap_or_default()));
        }
        let mut code = image.segments.iter().filter(|s| s.is_code());
        if !code.any(|s| s.filled().contains(&image.entry)) {
            // The entry point of a library or plugin is not in its code.
            let found = match placement {
                Placement::Anywhere => "a shared library",
                Placement::Fixed => "not a program: there is no code at its entry point",
            };
            return Err(no_program(found));
        }
        check_sections(&image)?;
        image.symbols.sort_by_key(|s| s.address);
        Ok(Self {
            image,
            architecture,
            placement,
        })
    }

    /// The functions of the symbol table, by address: those with a type, and symbols in code that assemblers leave
    /// without one.
    pub fn functions(&self) -> impl Iterator<Item = Symbol<'a>> {
        self.named(SymbolKind::Function)
    }

    /// The data of the symbol table, by address, without thread-locals.
    pub fn objects(&self) -> impl Iterator<Item = Symbol<'a>> {
        self.named(SymbolKind::Object)
    }

    fn named(&self, kind: SymbolKind) -> impl Iterator<Item = Symbol<'a>> {
        let code = self.segments.iter().filter(|s| s.is_code());
        let code: Vec<Range<u64>> = code.map(Segment::addresses).collect();
        // Symbols for the dynamic linker are no list of all that is there.
        let symbols = self.symbols.iter().filter(|_| self.has_symbol_table);
        let symbols = symbols.filter(move |symbol| {
            let is_in_code = || code.iter().any(|range| range.contains(&symbol.address));
            let found = match symbol.kind {
                SymbolKind::Other if is_in_code() => SymbolKind::Function,
                SymbolKind::Other => SymbolKind::Object,
                found => found,
            };
            symbol.section != 0 && found == kind
        });
        symbols.map(move |symbol| Symbol { kind, ..*symbol })
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
        code.map(|s| (s.address, self.part(s.offset, s.file_size)))
    }

    /// `size` bytes at `offset` of the file. None are at any offset: a segment that fills nothing from the file may
    /// name one after its end.
    pub fn part(&self, offset: u64, size: u64) -> &'a [u8] {
        let start = if size == 0 { 0 } else { offset as usize };
        &self.bytes[start..][..size as usize]
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

    /// The first function or object with that name.
    pub fn symbol(&self, name: &str) -> Option<Symbol<'a>> {
        let symbols = self.functions().chain(self.objects());
        symbols.filter(|s| s.name == name).min_by_key(|s| s.address)
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
        _ if bytes.is_empty() => Error::malformed("an empty file").expected("a static executable"),
        _ => no_program("not an ELF file"),
    }
}

/// The error that says what a file is, and that brawn wants a static program.
fn no_program(found: &str) -> Error {
    Error::not_applicable(format!("{found}: {WANTED}"))
}

/// The error for a dynamic program: says which dynamic linker starts it, and what to do instead.
fn dynamic(interpreter: &[u8]) -> Error {
    let (libc, next) = if interpreter::is_musl(interpreter) {
        (
            "linked with musl".into(),
            format!(
                "{} runs it with the same heap",
                Advice::Preload(Some("PROGRAM"))
            ),
        )
    } else if interpreter::is_glibc(interpreter) {
        (
            "linked with glibc".into(),
            "glibc's heap is fast already, so there is nothing to do".into(),
        )
    } else {
        (
            format!("started by {}", printable(interpreter)),
            "link it statically with musl, or give it another heap by LD_PRELOAD".into(),
        )
    };
    no_program(&format!("dynamic, {libc}")).next(next)
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

/// Checks a segment whose header is at `at`.
fn check_segment(segment: &Segment, at: u64) -> Result<()> {
    let kind = elf::ProgramType(segment.kind);
    if !matches!(kind, elf::PT_LOAD | elf::PT_TLS | elf::PT_DYNAMIC) {
        return Ok(());
    }
    // Addresses of programs are below 2^47; twice that still leaves room for sums.
    let is_low = |start: u64, size| start.checked_add(size).is_some_and(|end| end < 1 << 48);
    let fits = is_low(segment.address, segment.size) && is_low(segment.offset, segment.file_size);
    if segment.size < segment.file_size || !fits {
        let found = format!(
            "addresses {:#x} and {:#x} bytes on, {:#x} of them at {:#x} of the file",
            segment.address, segment.size, segment.file_size, segment.offset
        );
        return Err(Error::malformed(found)
            .at(at)
            .expected("ends below 2^48, and no more from the file than is in memory"));
    }
    if !(segment.align == 0 || segment.align.is_power_of_two()) {
        let found = format!("alignment {:#x}", segment.align);
        return Err(Error::malformed(found)
            .at(at + offset_of!(ProgramHeader, p_align) as u64)
            .expected("a power of two"));
    }
    Ok(())
}

/// Checks sections that are not in the file, whose sizes nothing else limits, and the number of that with the names.
fn check_sections(image: &Image<'_>) -> Result<()> {
    for (number, section) in image.sections.iter().enumerate() {
        let end = section.offset.checked_add(section.size);
        if end.is_none_or(|end| end >= 1 << 48) {
            // As for segments: sums of addresses and sizes do not overflow.
            return Err(
                Error::malformed(format!("a section of {:#x} bytes", section.size))
                    .at(image.sections_at + number as u64 * SECTION_HEADER)
                    .expected("an end below 2^48"),
            );
        }
    }
    let (names, count) = (image.names_section, image.sections.len());
    if count != 0 && names >= count {
        return Err(
            Error::malformed(format!("section {names} for the sections' names"))
                .at(offset_of!(FileHeader, e_shstrndx) as u64)
                .expected(format!("less than {count}")),
        );
    }
    Ok(())
}
