//! Bytes with an address in memory and a place in the file.

use crate::elf::program::{FILE_HEADER, PROGRAM_HEADER, Program, Segment};
use object::elf;
use serde::Serialize;

/// Bytes with an address in memory and a place in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The address of the first byte.
    pub address: u64,
    /// The offset of the first byte in the file.
    pub offset: u64,
    /// How many bytes the file has.
    pub size: u64,
}

impl Span {
    /// The first address after it.
    pub fn end(&self) -> u64 {
        self.address + self.size
    }

    /// The part from `address` on.
    pub fn part(&self, address: u64, size: u64) -> Self {
        Self {
            address,
            offset: self.offset + (address - self.address),
            size,
        }
    }

    /// The place of a segment in a file that begins `shift` bytes before the program.
    pub fn of(segment: &Segment, shift: u64) -> Self {
        Self {
            address: segment.address,
            offset: segment.offset + shift,
            size: segment.file_size,
        }
    }

    /// The segment that is there, and has `size` bytes in memory.
    pub fn segment(&self, kind: elf::ProgramType, flags: u32, size: u64, align: u64) -> Segment {
        Segment {
            kind: kind.0,
            flags,
            offset: self.offset,
            address: self.address,
            file_size: self.size,
            size,
            align,
        }
    }
}

/// The offset in the file after the last loaded byte.
pub fn loaded_end(program: &Program<'_>) -> u64 {
    let ends = program.loads().filter(|s| s.file_size > 0);
    let ends = ends.map(|s| s.offset + s.file_size);
    let headers = program.headers_at + program.segments.len() as u64 * PROGRAM_HEADER;
    ends.max().unwrap_or_default().max(headers).max(FILE_HEADER)
}
