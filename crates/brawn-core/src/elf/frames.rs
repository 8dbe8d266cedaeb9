//! The functions that a program's unwind information (`.eh_frame`) tells of. It stays in stripped programs, since exceptions and
//! backtraces need it. Its entries (FDE) say where a function begins and ends; what they refer to (CIE) says how an entry's addresses are written
//! (Linux Standard Base Core, "Exception Frames"). A table for binary search (`.eh_frame_hdr`) may be beside it.
//!
//! Not every function has an entry: compilers may leave them out, as for musl's own functions, and assembly has them only if its
//! author wrote them.

use super::program::Program;
use object::elf;
use std::ops::Range;

/// How an address is written (`DW_EH_PE`): the lower four bits are its size, the next three what it counts from.
const ABSOLUTE: u8 = 0x00;
const DATA4: [u8; 2] = [0x03, 0x0b];
const DATA8: [u8; 3] = [0x00, 0x04, 0x0c];
const RELATIVE: u8 = 0x10;
/// `DW_EH_PE_datarel | DW_EH_PE_sdata4`: what linkers write into the table.
const TABLE: u8 = 0x3b;
/// The size of the table's header as linkers write it, and of an entry of it.
const HEADER: u64 = 12;
const ENTRY: usize = 8;

/// The functions with unwind information.
#[derive(Debug)]
pub struct Frames<'p> {
    program: &'p Program<'p>,
    known: Known<'p>,
}

#[derive(Debug)]
enum Known<'p> {
    /// The linker's table: pairs of distances from its own address, ascending.
    Table(u64, &'p [[u8; ENTRY]]),
    /// The functions' ranges, ascending.
    List(Vec<Range<u64>>),
}

impl<'p> Frames<'p> {
    /// Those of `program`; none if it has no such information, or one that is not as compilers write it.
    pub fn of(program: &'p Program<'p>) -> Self {
        let known = table(program).unwrap_or_else(|| Known::List(list(program)));
        Self { program, known }
    }

    /// The function that contains `address`.
    pub fn around(&self, address: u64) -> Option<Range<u64>> {
        let behind = self.first_behind(address);
        let range = self.range(behind.checked_sub(1)?)?;
        range.contains(&address).then_some(range)
    }

    /// Where the first function behind `address` begins.
    pub fn next(&self, address: u64) -> Option<u64> {
        self.begin(self.first_behind(address))
    }

    /// The number of the first function that begins behind `address`.
    fn first_behind(&self, address: u64) -> usize {
        match &self.known {
            Known::Table(at, table) => table.partition_point(|entry| begin(*at, entry) <= address),
            Known::List(list) => list.partition_point(|range| range.start <= address),
        }
    }

    fn begin(&self, number: usize) -> Option<u64> {
        match &self.known {
            Known::Table(at, table) => table.get(number).map(|entry| begin(*at, entry)),
            Known::List(list) => list.get(number).map(|range| range.start),
        }
    }

    fn range(&self, number: usize) -> Option<Range<u64>> {
        match &self.known {
            Known::Table(at, table) => {
                let entry = table.get(number)?;
                let place = at.wrapping_add_signed(word(&entry[4..])?.into());
                let range = fde(&|at, size| self.program.at(at, size), place)?.1?;
                (range.start == begin(*at, entry)).then_some(range)
            }
            Known::List(list) => list.get(number).cloned(),
        }
    }
}

/// Where the function of a table's entry begins; the table is at `at`.
fn begin(at: u64, entry: &[u8; ENTRY]) -> u64 {
    at.wrapping_add_signed(word(entry).unwrap_or_default().into())
}

fn word(bytes: &[u8]) -> Option<i32> {
    bytes.first_chunk().map(|b| i32::from_le_bytes(*b))
}

/// The linker's table, if it is as linkers write it, and ascends.
fn table<'p>(program: &'p Program<'p>) -> Option<Known<'p>> {
    let segment = program.segment(elf::PT_GNU_EH_FRAME)?;
    let at = segment.address;
    let header = program.at(at, HEADER)?;
    let [1, _, 0x03, TABLE, ..] = header else {
        return None;
    };
    let count = u32::try_from(word(&header[8..])?).ok()?;
    let entries = program.at(at + HEADER, u64::from(count) * ENTRY as u64)?;
    let entries = entries.as_chunks::<ENTRY>().0;
    let ascends = entries.is_sorted_by_key(|entry| begin(at, entry));
    (ascends && count > 0).then_some(Known::Table(at, entries))
}

/// All functions of `.eh_frame`, ascending.
fn list(program: &Program<'_>) -> Vec<Range<u64>> {
    let Some(section) = program.section(b".eh_frame") else {
        return Vec::new();
    };
    let end = section.address.saturating_add(section.size);
    let at = |at: u64, size: u64| {
        let is_inside = section.address <= at && at.checked_add(size).is_some_and(|to| to <= end);
        is_inside.then(|| program.at(at, size)).flatten()
    };
    let mut all: Vec<Range<u64>> = Vec::new();
    let mut place = section.address;
    while let Some((next, range)) = fde(&at, place) {
        // A linker sets what it removed to zero, and an empty function covers nothing.
        all.extend(range.filter(|range| range.start != 0 && !range.is_empty()));
        place = next;
    }
    all.sort_unstable_by_key(|range| range.start);
    all
}

type At<'f, 'p> = &'f dyn Fn(u64, u64) -> Option<&'p [u8]>;

/// The address behind the entry at `place`, and the function that it is of, if it is of one. `None` if there is no entry.
fn fde(at: At<'_, '_>, place: u64) -> Option<(u64, Option<Range<u64>>)> {
    let length = word(at(place, 4)?)?;
    // A length of zero ends one section of several; longer ones than 2 GiB have another form, which no linker writes.
    let next = place + 4 + u64::try_from(length).ok()?;
    if length == 0 {
        return Some((next, None));
    }
    let id = word(at(place + 4, 4)?)?;
    if id == 0 {
        return Some((next, None));
    }
    let common = (place + 4).checked_sub(u64::try_from(id).ok()?)?;
    let Some(form) = form(at, common) else {
        return Some((next, None));
    };
    Some((next, range(at, place + 8, form)))
}

/// The range of an entry whose addresses begin at `place`.
fn range(at: At<'_, '_>, place: u64, form: u8) -> Option<Range<u64>> {
    let size = match form & 0xf {
        four if DATA4.contains(&four) => 4,
        eight if DATA8.contains(&eight) => 8,
        _ => return None,
    };
    let bytes = at(place, 2 * size)?;
    let (begin, length) = bytes.split_at(size as usize);
    let number = |bytes: &[u8]| match bytes.first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => word(bytes).unwrap_or_default() as u64,
    };
    let begin = match form & 0x70 {
        RELATIVE => place.wrapping_add(number(begin)),
        ABSOLUTE => number(begin),
        _ => return None,
    };
    let length = match size {
        4 => number(length) & u64::from(u32::MAX),
        _ => number(length),
    };
    Some(begin..begin.checked_add(length)?)
}

/// How the addresses of entries are written that refer to the common entry at `place`.
fn form(at: At<'_, '_>, place: u64) -> Option<u8> {
    let length = u64::try_from(word(at(place, 4)?)?).ok()?;
    // What is looked for is among the first bytes.
    let bytes = at(place + 4, length)?;
    let (0, version) = (word(bytes)?, *bytes.get(4)?) else {
        return None;
    };
    let mut rest = bytes.get(5..)?;
    let end = rest.iter().position(|b| *b == 0)?;
    let text = &rest[..end];
    rest = &rest[end + 1..];
    let skip = |rest: &mut &[u8]| -> Option<()> {
        let end = rest.iter().position(|b| b & 0x80 == 0)?;
        *rest = &rest[end + 1..];
        Some(())
    };
    skip(&mut rest)?;
    skip(&mut rest)?;
    match version {
        1 => rest = rest.get(1..)?,
        _ => skip(&mut rest)?,
    }
    let Some(text) = text.strip_prefix(b"z") else {
        return text.is_empty().then_some(ABSOLUTE);
    };
    skip(&mut rest)?;
    for letter in text {
        match letter {
            b'R' => return rest.first().copied(),
            b'L' => rest = rest.get(1..)?,
            b'P' => {
                let size = match rest.first()? & 0xf {
                    four if DATA4.contains(&four) => 4,
                    eight if DATA8.contains(&eight) => 8,
                    _ => return None,
                };
                rest = rest.get(1 + size..)?;
            }
            b'S' | b'B' | b'G' => {}
            _ => return None,
        }
    }
    Some(ABSOLUTE)
}
