//! The structures of 64-bit little-endian ELF files (ELF-64 Object File Format, version 1.5). All code reads and
//! writes them here by the names of their fields, never byte by byte.

use object::endian::{U32, U64};
use object::pod::{Pod, from_bytes};
use object::read::elf::{ProgramHeader as AnyProgramHeader, SectionHeader as AnySectionHeader};
use object::{LittleEndian, elf};
use std::ops::Range;

/// A structure's bytes as the file has them.
pub use object::pod::bytes_of as bytes;

/// The file header.
pub type FileHeader = elf::FileHeader64<LittleEndian>;
/// A program header.
pub type ProgramHeader = elf::ProgramHeader64<LittleEndian>;
/// A section header.
pub type SectionHeader = elf::SectionHeader64<LittleEndian>;
/// A symbol.
pub type RawSymbol = elf::Sym64<LittleEndian>;

/// Size of the ELF header, in bytes.
pub const FILE_HEADER: u64 = size_of::<FileHeader>() as u64;
/// Size of a program header, in bytes.
pub const PROGRAM_HEADER: u64 = size_of::<ProgramHeader>() as u64;
/// Size of a section header, in bytes.
pub const SECTION_HEADER: u64 = size_of::<SectionHeader>() as u64;
/// Size of a symbol, in bytes.
pub const SYMBOL: u64 = size_of::<RawSymbol>() as u64;

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
    /// That of a header in a file of any class.
    pub fn of<H: AnyProgramHeader>(header: &H, endian: H::Endian) -> Self {
        Self {
            kind: header.p_type(endian).0,
            flags: header.p_flags(endian).0,
            offset: header.p_offset(endian).into(),
            address: header.p_vaddr(endian).into(),
            file_size: header.p_filesz(endian).into(),
            size: header.p_memsz(endian).into(),
            align: header.p_align(endian).into(),
        }
    }

    /// Whether it is loaded.
    pub fn is_load(&self) -> bool {
        self.kind == elf::PT_LOAD.0
    }

    /// Whether its bytes can be executed.
    pub fn is_code(&self) -> bool {
        self.is_load() && self.flags & elf::PF_X.0 != 0
    }

    /// Its addresses in memory.
    pub fn addresses(&self) -> Range<u64> {
        self.address..self.address + self.size
    }

    /// The part of [`Segment::addresses`] that the file fills.
    pub fn filled(&self) -> Range<u64> {
        self.address..self.address + self.file_size
    }
}

impl From<&Segment> for ProgramHeader {
    fn from(segment: &Segment) -> Self {
        Self {
            p_type: U32::new(LittleEndian, elf::ProgramType(segment.kind)),
            p_flags: U32::new(LittleEndian, elf::ProgramFlags(segment.flags)),
            p_offset: U64::new(LittleEndian, segment.offset),
            p_vaddr: U64::new(LittleEndian, segment.address),
            // Its value has no meaning on Linux; by custom it is the same as `p_vaddr`.
            p_paddr: U64::new(LittleEndian, segment.address),
            p_filesz: U64::new(LittleEndian, segment.file_size),
            p_memsz: U64::new(LittleEndian, segment.size),
            p_align: U64::new(LittleEndian, segment.align),
        }
    }
}

/// A section header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// That of a header in a file of any class, without its name, which is in another section.
    pub fn of<H: AnySectionHeader>(header: &H, endian: H::Endian) -> Self {
        Self {
            name: &[],
            name_at: header.sh_name(endian),
            kind: header.sh_type(endian).0,
            flags: header.sh_flags(endian).0,
            address: header.sh_addr(endian).into(),
            offset: header.sh_offset(endian).into(),
            size: header.sh_size(endian).into(),
            link: header.sh_link(endian),
            info: header.sh_info(endian),
            align: header.sh_addralign(endian).into(),
            entry_size: header.sh_entsize(endian).into(),
        }
    }

    /// The header in the file's layout.
    pub fn header(&self) -> SectionHeader {
        SectionHeader {
            sh_name: U32::new(LittleEndian, self.name_at),
            sh_type: U32::new(LittleEndian, elf::SectionType(self.kind)),
            sh_flags: U64::new(LittleEndian, elf::SectionFlags(self.flags)),
            sh_addr: U64::new(LittleEndian, self.address),
            sh_offset: U64::new(LittleEndian, self.offset),
            sh_size: U64::new(LittleEndian, self.size),
            sh_link: U32::new(LittleEndian, self.link),
            sh_info: U32::new(LittleEndian, self.info),
            sh_addralign: U64::new(LittleEndian, self.align),
            sh_entsize: U64::new(LittleEndian, self.entry_size),
        }
    }

    /// Whether it takes memory when the program runs.
    pub fn is_allocated(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }

    /// Whether it has bytes in the file.
    pub fn is_in_file(&self) -> bool {
        !matches!(elf::SectionType(self.kind), elf::SHT_NOBITS | elf::SHT_NULL)
    }

    /// Its place in the file; empty for `SHT_NOBITS` and `SHT_NULL`.
    pub fn range(&self) -> Range<u64> {
        let size = if self.is_in_file() { self.size } else { 0 };
        self.offset..self.offset.saturating_add(size)
    }
}

/// The structure at the start of `bytes`; `None` if there are too few bytes.
pub fn first<T: Pod + Copy>(bytes: &[u8]) -> Option<T> {
    from_bytes(bytes).ok().map(|(value, _)| *value)
}
