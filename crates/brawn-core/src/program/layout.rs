//! Where the payload goes in a program: addresses above everything that is loaded, and in the file right behind it.
//!
//! Two segments come, one of code and one of data, on pages that nothing else is on.  An address and its place in the
//! file are congruent modulo the page, which is all that a kernel asks of a segment; so the file grows by what they hold.

use super::headers::{self, Headers};
use super::linked::Sizes;
use super::relocations::{self, Relative};
use super::room::{self, Room};
use super::tls::{self, Block};
use crate::elf::program::{Program, Segment};
use crate::error::{Error, Result};
use brawn_payload::Architecture;
use object::elf;
use serde::Serialize;

/// The longest run of zeros that the file may have to grow by, where the program headers must lie at a certain place of it.
/// It takes no room on a disk, but on its way by archives and networks it does.
const MOST_HOLE: u64 = 1 << 30;
/// Addresses end below this (`Program::read`), and so must the new ones.
const END: u64 = 1 << 48;

pub use super::place::{Place, loaded_end};

/// The segment of the payload's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Writable {
    /// The whole of it, as far as the file fills it.
    pub segment: Place,
    /// Its size in memory, in bytes.
    pub memory: u64,
    /// The payload's data.
    pub data: Place,
    /// Bytes of zeros behind the data.
    pub zero: u64,
}

/// The thread-locals with the payload's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tls {
    /// The numbers.
    #[serde(flatten)]
    pub block: Block,
    /// Where the image is: for one without initial values, the address alone counts.
    pub image: Place,
}

/// Where everything goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// What segments are apart by: the largest page of the architecture's kernels, in bytes.
    pub page: u64,
    /// Where the last loaded byte of the old file ends in it; what follows is moved.
    pub old_end: u64,
    /// The new segment of code, all that it holds.
    pub executable: Place,
    /// The linked code in it.
    pub code: Place,
    /// The relocations behind it that the attached start applies: their number, then pairs.
    pub table: Place,
    /// Words of the copied thread-locals that hold addresses.
    #[serde(skip)]
    pub relocations: Vec<Relative>,
    /// The new segment of data, if the payload has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writable: Option<Writable>,
    /// The thread-locals, if the payload has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// The program headers.
    pub headers: Headers,
    /// What makes room for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
    /// Where the new segments end in the file, and what was behind the old ones begins.
    pub new_end: u64,
}

impl Layout {
    /// The payload's first thread-local byte, in bytes from the thread pointer; 0 where it has none.
    pub fn thread_locals(&self) -> i64 {
        self.tls.map_or(0, |tls| tls.block.payload)
    }

    /// Address of the payload's data; that of the code where it has none.
    pub fn data(&self) -> u64 {
        self.writable.map_or(self.code.address, |w| w.data.address)
    }
}

/// What segments must be apart by on every kernel of that architecture, in bytes.
pub fn page(architecture: Architecture) -> u64 {
    match architecture {
        Architecture::X86_64 => 0x1000,
        Architecture::Aarch64 => 0x10000,
    }
}

/// Where a payload of these sizes goes in `program`.
///
/// Errors: refused where there is no such place, or only one behind a hole of over 1 GiB.
pub fn layout(program: &Program<'_>, sizes: &Sizes) -> Result<Layout> {
    check_sizes(program, sizes)?;
    let page = page(program.architecture);
    let old_tls = old_tls(program)?;
    let block = tls::block(program.architecture, old_tls, sizes)?;
    let image = block.filter(|b| b.moves && b.file_size > 0).is_some();
    let relocations = match old_tls.filter(|_| image) {
        Some(tls) => relocations::of_image(program, tls)?,
        None => Vec::new(),
    };
    let has_data = sizes.data + sizes.zero > 0 || block.is_some_and(|b| b.moves);
    let new_tls = block.is_some() && old_tls.is_none();
    let count = program.segments.len() + 2 + usize::from(has_data) + usize::from(new_tls);
    let found = headers::find(program, count as u64, page)?;

    let old_end = loaded_end(program);
    let memory_end = program.loads().map(|s| s.addresses().end).max();
    let above = memory_end.unwrap_or_default().next_multiple_of(page);
    let align = sizes.code_align.max(16);
    let (found, mut room) = match found {
        Some((headers, room)) => (Some(headers), room),
        None => (None, None),
    };
    let shift = found.map_or(0, |headers| headers.shift);
    let start = (old_end + shift).next_multiple_of(align);
    let code = match found {
        Some(_) => Place {
            address: above + start % page,
            offset: start,
            size: sizes.code,
        },
        None => behind_hole(program, above, start, sizes.code, page)?,
    };
    let taken = room.as_ref().map_or(0, |room| room.taken.len());
    let table = code.part(
        code.end().next_multiple_of(8),
        8 + 16 * (relocations.len() + taken) as u64,
    );
    let mut executable = code.part(code.address, table.end() - code.address);
    if let Some(room) = &mut room {
        room.to = table.end().next_multiple_of(room::ALIGN) + room.from.start % room::ALIGN;
        executable.size = room.to + room.size() - code.address;
    }
    let headers = found.unwrap_or_else(|| {
        let size = count as u64 * crate::elf::program::PROGRAM_HEADER;
        let place = code.part(table.end(), size);
        executable.size = place.end() - code.address;
        Headers {
            place: headers::Where::WithCode,
            at: place,
            shift: 0,
        }
    });
    let data = has_data.then(|| writable(&executable, block.as_ref(), sizes, page));
    let writable = data.map(|(writable, _)| writable);
    let moved = data.map(|(_, moved)| moved);
    let tls = block.map(|block| thread_locals(block, old_tls, moved, shift));
    let last = writable.map_or(executable, |w| w.segment);
    let memory = writable.map_or(executable.size, |w| w.memory);
    if last.address + memory >= END {
        let found = format!("a program whose addresses end at {above:#x}");
        return Err(Error::refused(found).expected("room for the payload below 2^48"));
    }
    Ok(Layout {
        page,
        old_end,
        executable,
        code,
        table,
        relocations,
        writable,
        tls,
        headers,
        room,
        new_end: last.offset + last.size,
    })
}

/// Where the thread-locals are: `moved`, if they are copied, and else where the program has them in a file that begins
/// `shift` bytes earlier.
fn thread_locals(block: Block, old: Option<&Segment>, moved: Option<Place>, shift: u64) -> Tls {
    let stays = old.filter(|_| !block.moves || moved.is_none());
    let image = match (stays, moved) {
        (None, Some(moved)) => moved,
        (stays, _) => {
            let old = stays.copied().unwrap_or_else(|| tls::segment(&block, 0, 0));
            Place {
                address: old.address,
                offset: old.offset + shift,
                size: old.file_size,
            }
        }
    };
    Tls { block, image }
}

fn check_sizes(program: &Program<'_>, sizes: &Sizes) -> Result<()> {
    let page = page(program.architecture);
    let all = [sizes.code, sizes.data, sizes.zero, sizes.tls];
    let aligns = [sizes.code_align, sizes.data_align];
    let is_fine = all.iter().all(|size| *size < 1 << 32)
        && aligns
            .iter()
            .all(|a| *a <= page && (*a == 0 || a.is_power_of_two()))
        && (sizes.tls_align == 0 || sizes.tls_align.is_power_of_two());
    if is_fine {
        return Ok(());
    }
    Err(Error::refused(format!("a payload of {sizes:?}"))
        .expected(format!("parts below 4 GiB, aligned to at most {page:#x}")))
}

/// The program's thread-locals, of which musl knows one block.
fn old_tls<'p>(program: &'p Program<'_>) -> Result<Option<&'p Segment>> {
    let mut all = program.segments.iter().filter(|s| s.kind == elf::PT_TLS.0);
    let first = all.next();
    if all.next().is_some() {
        return Err(Error::malformed("several segments of thread-locals").expected("one"));
    }
    Ok(first)
}

/// Where the code goes if the program headers come with it.
///
/// Kernels before 5.18 tell a program that its headers are where the first segment would have them: their address less
/// their place in the file must be the first segment's.
fn behind_hole(
    program: &Program<'_>,
    above: u64,
    start: u64,
    size: u64,
    page: u64,
) -> Result<Place> {
    let (number, first) = program
        .segments
        .iter()
        .enumerate()
        .find(|(_, s)| s.is_load())
        .ok_or_else(|| Error::malformed("no loaded segment"))?;
    let base = first
        .address
        .checked_sub(first.offset)
        .filter(|base| base.is_multiple_of(page))
        .ok_or_else(|| {
            let found = format!(
                "address {:#x} for the file's byte {:#x}",
                first.address, first.offset
            );
            Error::refused(found)
                .segment(number)
                .expected(format!("a difference that is a multiple of {page:#x}"))
        })?;
    let address = above.max((base + start).next_multiple_of(page));
    let offset = address - base;
    let hole = offset - start;
    if hole > MOST_HOLE {
        let found = format!(
            "no room for {size:#x} bytes within {hole:#x} of the file's end: so much of its memory is not in the file"
        );
        return Err(Error::refused(found)
            .segment(number)
            .expected(format!("at most {MOST_HOLE:#x}"))
            .next("link it with room behind the program headers, as GNU ld with -z separate-code does"));
    }
    Ok(Place {
        address,
        offset,
        size,
    })
}

/// The segment of data behind that of code, and where the image of thread-locals is, if it moves.
fn writable(
    executable: &Place,
    block: Option<&Block>,
    sizes: &Sizes,
    page: u64,
) -> (Writable, Place) {
    let moving = block.filter(|b| b.moves);
    let free = (executable.offset + executable.size).next_multiple_of(16);
    let lowest = executable.end().next_multiple_of(page) + free % page;
    let congruent = |from: u64, block: &Block| {
        let mask = block.align - 1;
        from + (block.congruence.wrapping_sub(from) & mask)
    };
    let image = moving.map(|b| congruent(lowest, b));
    let filled = moving.map_or(0, |b| b.file_size);
    // An image with initial values is the segment's beginning.
    let address = image.filter(|_| filled > 0).unwrap_or(lowest);
    let segment = Place {
        address,
        offset: free + (address - lowest) % page,
        size: 0,
    };
    let data = (address + filled).next_multiple_of(sizes.data_align.max(16));
    // Kernels before 6.10 clear the rest of the page behind a segment's bytes, and fail where there are none.
    let size = (data + sizes.data - address).max(8);
    let writable = Writable {
        segment: Place { size, ..segment },
        memory: (data + sizes.data + sizes.zero - address).max(size),
        data: segment.part(data, sizes.data),
        zero: sizes.zero,
    };
    let image = image.unwrap_or(address);
    let image = Place {
        address: image,
        // One without bytes may lie behind all that the file has.
        offset: segment.offset + (image - address).min(size),
        size: filled,
    };
    (writable, image)
}

#[cfg(test)]
mod tests;
