//! The functions that a program's unwind information (`.eh_frame`) tells of. It stays in stripped programs, since exceptions and
//! backtraces need it. Its entries (FDE) say where a function begins and ends (Linux Standard Base Core, "Exception Frames"). A
//! table for binary search (`.eh_frame_hdr`) may be beside it, which is found without section headers.
//!
//! Not every function has an entry: compilers may leave them out, as for musl's own functions, and assembly has them only if its
//! author wrote them.

use super::program::Program;
use gimli::{
    BaseAddresses, CieOrFde, EhFrame, EhFrameHdr, EndianSlice, FrameDescriptionEntry, LittleEndian,
    Pointer, UnwindSection as _,
};
use object::elf;
use std::ops::Range;

/// The size of a program's addresses, in bytes.
const ADDRESS: u8 = 8;

/// The functions with unwind information, ascending. Those whose end is not known are empty.
#[derive(Debug)]
pub struct Frames(Vec<Range<u64>>);

impl Frames {
    /// Those of `program`; none if it has no such information, or one that is not as compilers write it.
    pub fn of(program: &Program<'_>) -> Self {
        Self(table(program).unwrap_or_else(|| list(program).unwrap_or_default()))
    }

    /// The function that contains `address`.
    pub fn around(&self, address: u64) -> Option<Range<u64>> {
        let range = self.0.get(self.first_behind(address).checked_sub(1)?)?;
        range.contains(&address).then(|| range.clone())
    }

    /// Where the first function behind `address` begins.
    pub fn next(&self, address: u64) -> Option<u64> {
        let range = self.0.get(self.first_behind(address));
        range.map(|range| range.start)
    }

    /// The number of the first function that begins behind `address`.
    fn first_behind(&self, address: u64) -> usize {
        self.0.partition_point(|range| range.start <= address)
    }
}

/// The functions of the linker's table, if it ascends.
fn table(program: &Program<'_>) -> Option<Vec<Range<u64>>> {
    let segment = program.segment(elf::PT_GNU_EH_FRAME)?;
    let bases = BaseAddresses::default().set_eh_frame_hdr(segment.address);
    let header = program.at(segment.address, segment.file_size)?;
    let header = EhFrameHdr::new(header, LittleEndian);
    let header = header.parse(&bases, ADDRESS).ok()?;
    let Pointer::Direct(at) = header.eh_frame_ptr() else {
        return None;
    };
    let end = program
        .loads()
        .find(|s| s.filled().contains(&at))?
        .filled()
        .end;
    let frames = EhFrame::new(program.at(at, end - at)?, LittleEndian);
    let bases = bases.set_eh_frame(at);
    let table = header.table()?;
    let mut entries = table.iter(&bases);
    let mut all = Vec::new();
    while let Some((begin, entry)) = entries.next().ok()? {
        let begin = begin.direct().ok()?;
        let offset = table.pointer_to_offset(entry).ok()?;
        let entry = frames.fde_from_offset(&bases, offset, EhFrame::cie_from_offset);
        let range = entry.ok().and_then(|entry| range(&entry));
        all.push(range.filter(|r| r.start == begin).unwrap_or(begin..begin));
    }
    let ascends = all.is_sorted_by_key(|range| range.start);
    (ascends && !all.is_empty()).then_some(all)
}

/// All functions of `.eh_frame`.
fn list(program: &Program<'_>) -> Option<Vec<Range<u64>>> {
    let section = program.section(b".eh_frame")?;
    let bases = BaseAddresses::default().set_eh_frame(section.address);
    let bytes = program.at(section.address, section.size)?;
    let frames = EhFrame::new(bytes, LittleEndian);
    let mut entries = frames.entries(&bases);
    let mut all: Vec<Range<u64>> = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(entry) = entry else {
            continue;
        };
        let entry = entry.parse(EhFrame::cie_from_offset);
        // A linker sets what it removed to zero, and an empty function covers nothing.
        let range = entry.ok().and_then(|entry| range(&entry));
        all.extend(range.filter(|range| range.start != 0 && !range.is_empty()));
    }
    all.sort_unstable_by_key(|range| range.start);
    Some(all)
}

/// The function that an entry is of.
fn range(entry: &FrameDescriptionEntry<EndianSlice<'_, LittleEndian>>) -> Option<Range<u64>> {
    let begin = entry.initial_address();
    Some(begin..begin.checked_add(entry.len())?)
}
