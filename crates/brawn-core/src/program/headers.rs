//! Where the program headers go, which become more, and what they say.
//!
//! They stay where they are if the bytes behind them are nobody's.  Else a program at fixed addresses gets a page below its
//! first, which holds them: GNU strip and objcopy write them right behind the file header, whatever is there.  In one that
//! may be loaded anywhere, what is behind them makes room if it can.  Else they go behind the first segment's last byte, if the rest of its page is nobody's; else into the new segment of code.

use super::place::{Place, loaded_end};
use super::room::{self, Room};
use crate::elf::program::{FILE_HEADER, PROGRAM_HEADER, Placement, Program, Section, Segment};
use crate::error::{Error, Result};
use object::elf;
use serde::Serialize;
use std::ops::Range;

/// Which of the places it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// Where they were.
    InPlace,
    /// In a new segment below the first one, at the file's new beginning.
    Below,
    /// Behind the first segment's last byte.
    BehindFirst,
    /// In the new segment of code.
    WithCode,
}

/// The program headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Headers {
    /// Which place.
    pub place: Where,
    /// The place.
    pub at: Place,
    /// What comes in front of the old file, in bytes.
    pub shift: u64,
}

/// A kernel takes at most this many bytes of program headers, whatever its pages.
const MOST: u64 = 4096;
/// More than this is not put in front of a file, whatever its segments are aligned to.
const MOST_SHIFT: u64 = 1 << 22;
/// Programs below this address are not for users (`vm.mmap_min_addr`, as kernels come).
const LOWEST: u64 = 0x10000;

/// A place for `count` program headers in or right behind the first segment; `None` where nothing is free there.
///
/// Errors: refused for more than a kernel takes.
pub fn find(
    program: &Program<'_>,
    count: u64,
    page: u64,
) -> Result<Option<(Headers, Option<Room>)>> {
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
    // One that is not loaded tells the program nothing about where it is.
    let is_inside = first.offset <= now && now_end <= end;
    if !is_inside || first.flags & elf::PF_R.0 == 0 || first.address < first.offset {
        return Ok(None);
    }
    let loaded = |place, offset: u64| Headers {
        place,
        at: Place {
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
        .then(|| room::make(program, first, &inside))
        .flatten()
    {
        return Ok(Some((loaded(Where::InPlace, now), Some(room))));
    }
    let is_behind = is_free(program, first, end..behind + size, page);
    Ok(is_behind.then(|| (loaded(Where::BehindFirst, behind), None)))
}

/// A new first segment for `size` bytes of program headers.
fn below(program: &Program<'_>, first: &Segment, size: u64, page: u64) -> Option<Headers> {
    // The file grows at its beginning by what keeps every segment's place congruent to its address.
    let widest = program.loads().map(|s| s.align).max()?;
    let low = (first.address - first.address % page).checked_sub(page)?;
    let is_fine = program.placement == Placement::Fixed && low >= LOWEST && widest <= MOST_SHIFT;
    is_fine.then(|| Headers {
        place: Where::Below,
        at: Place {
            address: low + FILE_HEADER,
            offset: FILE_HEADER,
            size,
        },
        shift: widest.max(page),
    })
}

/// Whether those bytes of the file are zero and nobody's, and may be loaded with the first segment.
fn is_free(program: &Program<'_>, first: &Segment, range: Range<u64>, page: u64) -> bool {
    let end = first.offset + first.file_size;
    let bytes = program.bytes.get(range.start as usize..range.end as usize);
    if bytes.is_none_or(|bytes| bytes.iter().any(|b| *b != 0)) || range.end > loaded_end(program) {
        return false;
    }
    // Without sections nobody can tell what the bytes of a segment are.
    if range.start < end && program.sections.is_empty() {
        return false;
    }
    if range.end > end {
        // Pages of programs that no kernel with large ones loads are small.
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

/// Where a segment of notes that makes room is now.
pub(super) fn moved(room: &Room, old: &Segment) -> Option<u64> {
    let is_note = old.kind == elf::PT_NOTE.0 || old.kind == elf::PT_GNU_PROPERTY.0;
    (is_note && old.file_size > 0)
        .then(|| room.moved_from(old.offset))
        .flatten()
}
