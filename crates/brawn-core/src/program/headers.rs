//! The place of the program headers, of which there are more than before, and their contents.
//!
//! They stay in place if the bytes after them are free. Otherwise a program at fixed addresses gets a page for them
//! below its first one (GNU strip and objcopy write them directly after the file header, whatever is there). In a
//! program that may be loaded anywhere, the bytes after them are moved away if possible. Otherwise they go after the
//! first segment's last byte, if the rest of its page is free; or else into the new code segment.

use super::moved::{self, Moved};
use super::span::{Span, loaded_end};
use crate::elf::program::{FILE_HEADER, PROGRAM_HEADER, Placement, Program, Section, Segment};
use crate::error::{Error, Result};
use object::elf;
use serde::Serialize;
use std::ops::Range;

/// The kind of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// Their old place.
    InPlace,
    /// A new segment below the first one, at the new beginning of the file.
    Below,
    /// After the first segment's last byte.
    BehindFirst,
    /// The new code segment.
    WithCode,
}

/// The program headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Headers {
    /// The kind of their place.
    pub place: Where,
    /// Their place.
    pub at: Span,
    /// How many bytes come before the old file.
    pub shift: u64,
}

/// Kernels accept at most this many bytes of program headers, with any page size.
const MOST: u64 = 4096;
/// At most this many bytes are put before a file, whatever the alignment of its segments.
const MOST_SHIFT: u64 = 1 << 22;
/// The lowest address for user programs (the kernel's default for `vm.mmap_min_addr`).
const LOWEST: u64 = 0x10000;

/// A place for `count` program headers in the first segment or directly after it; `None` if nothing is free there.
///
/// Errors: refused if there are more than a kernel accepts.
pub fn find(
    program: &Program<'_>,
    count: u64,
    page: u64,
) -> Result<Option<(Headers, Option<Moved>)>> {
    let size = count * PROGRAM_HEADER;
    if size > MOST {
        return Err(Error::refused(format!("{count} program headers"))
            .at(56)
            .expected(format!("at most {}", MOST / PROGRAM_HEADER)));
    }
    let Some(first) = program.loads().next() else {
        return Ok(None);
    };
    let end = first.offset + first.file_size;
    let now = program.headers_at;
    let now_end = now + program.segments.len() as u64 * PROGRAM_HEADER;
    // If they are not loaded, the program does not know their address.
    let is_inside = first.offset <= now && now_end <= end;
    if !is_inside || first.flags & elf::PF_R.0 == 0 || first.address < first.offset {
        return Ok(None);
    }
    let loaded = |place, offset: u64| Headers {
        place,
        at: Span {
            address: first.address + (offset - first.offset),
            offset,
            size,
        },
        shift: 0,
    };
    let behind = end.next_multiple_of(8);
    let in_place = now_end..now + size;
    if is_free(program, first, in_place.clone(), page) {
        return Ok(Some((loaded(Where::InPlace, now), None)));
    }
    if let Some(headers) = below(program, first, size + PROGRAM_HEADER, page) {
        return Ok(Some((headers, None)));
    }
    let inside = now_end..in_place.end.min(end);
    let is_loaded = in_place.end <= end || is_free(program, first, end..in_place.end, page);
    if let Some(room) = is_loaded
        .then(|| moved::make(program, first, &inside))
        .flatten()
    {
        return Ok(Some((loaded(Where::InPlace, now), Some(room))));
    }
    let is_behind = is_free(program, first, end..behind + size, page);
    Ok(is_behind.then(|| (loaded(Where::BehindFirst, behind), None)))
}

/// A new first segment with `size` bytes of program headers.
fn below(program: &Program<'_>, first: &Segment, size: u64, page: u64) -> Option<Headers> {
    // The file grows at its beginning so that each segment's place stays congruent to its address.
    let widest = program.loads().map(|s| s.align).max()?;
    let low = (first.address - first.address % page).checked_sub(page)?;
    let is_fine = program.placement == Placement::Fixed && low >= LOWEST && widest <= MOST_SHIFT;
    is_fine.then(|| Headers {
        place: Where::Below,
        at: Span {
            address: low + FILE_HEADER,
            offset: FILE_HEADER,
            size,
        },
        shift: widest.max(page),
    })
}

/// Whether these bytes of the file are zero and unused, and can be loaded with the first segment.
fn is_free(program: &Program<'_>, first: &Segment, range: Range<u64>, page: u64) -> bool {
    let end = first.offset + first.file_size;
    let bytes = program.bytes.get(range.start as usize..range.end as usize);
    if bytes.is_none_or(|bytes| bytes.iter().any(|b| *b != 0)) || range.end > loaded_end(program) {
        return false;
    }
    // Without sections, nobody knows what the bytes of a segment are.
    if range.start < end && program.sections.is_empty() {
        return false;
    }
    if range.end > end {
        // If the segments are aligned to small pages, kernels with large pages cannot load the program anyway.
        let widest = program.loads().map(|s| s.align).max().unwrap_or_default();
        let page = page.min(widest).max(0x1000);
        let next = program.loads().nth(1).map_or(u64::MAX, |s| s.address);
        let limit = next - next % page;
        if first.size != first.file_size || first.address + (range.end - first.offset) > limit {
            return false;
        }
    }
    let overlaps = |other: Range<u64>| other.start < range.end && range.start < other.end;
    let is_others = |s: &Segment| {
        let is_first = s.is_load() && s.address == first.address;
        !is_first
            && s.kind != elf::PT_PHDR.0
            && overlaps(s.offset..s.offset.saturating_add(s.file_size))
    };
    let table = program.sections.len() as u64 * crate::elf::program::SECTION_HEADER;
    let is_section =
        |s: &Section<'_>| s.kind != elf::SHT_NULL.0 && !s.range().is_empty() && overlaps(s.range());
    let is_taken = program.segments.iter().any(is_others)
        || program.sections.iter().any(is_section)
        || (table > 0 && overlaps(program.sections_at..program.sections_at + table));
    !is_taken
}

/// The new place of a segment of notes that was moved to make room.
pub(super) fn moved(room: &Moved, old: &Segment) -> Option<u64> {
    let is_note = old.kind == elf::PT_NOTE.0 || old.kind == elf::PT_GNU_PROPERTY.0;
    (is_note && old.file_size > 0)
        .then(|| room.moved_from(old.offset))
        .flatten()
}
