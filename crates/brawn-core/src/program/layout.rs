//! Decides where the payload goes in a program: at addresses above all loaded segments, and in the file directly
//! after them.
//!
//! Two segments are added, one for code and one for data, on pages of their own. Kernels only require that an address
//! and its place in the file are congruent modulo the page size, so the file grows only by the segments' contents.

use super::headers::{self, Headers};
use super::linked::Sizes;
use super::moved::{self, Moved};
use super::relocations::{self, Relative};
use super::tls::{self, Block};
use crate::arch::Isa;
use crate::elf::program::{Program, Segment};
use crate::error::{Error, Result};
use object::elf;
use serde::Serialize;

/// If the program headers must be at a certain place of the file, the file may get a run of zeros of at most this
/// length. It takes no space on a disk, but it does in archives and on networks.
const MOST_HOLE: u64 = 1 << 30;
/// All addresses are below this (`Program::read`), and so must the new ones be.
const END: u64 = 1 << 48;

pub use super::span::{Span, loaded_end};

/// The segment of the payload's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Writable {
    /// The part of it that is in the file.
    pub segment: Span,
    /// Its size in memory, in bytes.
    pub memory: u64,
    /// The payload's data.
    pub data: Span,
    /// The size of the zeros after the data.
    pub zero: u64,
}

/// The thread-locals, with the payload's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tls {
    /// The sizes and offsets.
    #[serde(flatten)]
    pub block: Block,
    /// The place of the image. If there are no initial values, only the address counts.
    pub image: Span,
}

/// Where everything goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// The distance between segments: the largest page size of the architecture's kernels, in bytes.
    pub page: u64,
    /// The end of the last loaded byte in the old file. Everything after it is moved.
    pub old_end: u64,
    /// The new code segment, with all its contents.
    pub executable: Span,
    /// The linked code in it.
    pub code: Span,
    /// The relocations after it, which the attached start applies: their number, then pairs.
    pub table: Span,
    /// The words with addresses in the copied thread-locals.
    #[serde(skip)]
    pub relocations: Vec<Relative>,
    /// The new data segment, if the payload has data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writable: Option<Writable>,
    /// The thread-locals, if the payload has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// The program headers.
    pub headers: Headers,
    /// The bytes that are moved to make room for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<Moved>,
    /// The end of the new segments in the file, where everything begins that was after the old ones.
    pub new_end: u64,
}

impl Layout {
    /// The payload's first thread-local byte, in bytes from the thread pointer; 0 if it has none.
    pub fn thread_locals(&self) -> i64 {
        self.tls.map_or(0, |tls| tls.block.payload)
    }

    /// The address of the payload's data; the code's address if it has no data.
    pub fn data(&self) -> u64 {
        self.writable.map_or(self.code.address, |w| w.data.address)
    }
}

/// The distance between segments that works on every kernel of that architecture, in bytes.
pub fn page(architecture: Isa) -> u64 {
    architecture.facts().page
}

/// Decides where a payload of these sizes goes in `program`.
///
/// Errors: refused if there is no such place, or only one after a hole of more than 1 GiB.
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
        Some(_) => Span {
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
        room.to = table.end().next_multiple_of(moved::ALIGN) + room.from.start % moved::ALIGN;
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

/// The place of the thread-locals: `moved` if they are copied; otherwise their old place in a file that begins
/// `shift` bytes earlier.
fn thread_locals(block: Block, old: Option<&Segment>, moved: Option<Span>, shift: u64) -> Tls {
    let stays = old.filter(|_| !block.moves || moved.is_none());
    let image = match (stays, moved) {
        (None, Some(moved)) => moved,
        (stays, _) => {
            let old = stays.copied().unwrap_or_else(|| tls::segment(&block, 0, 0));
            Span::of(&old, shift)
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

/// The program's segment of thread-locals: musl supports only one.
fn old_tls<'p>(program: &'p Program<'_>) -> Result<Option<&'p Segment>> {
    let mut all = program.segments.iter().filter(|s| s.kind == elf::PT_TLS.0);
    let first = all.next();
    if all.next().is_some() {
        return Err(Error::malformed("several segments of thread-locals").expected("one"));
    }
    Ok(first)
}

/// The place of the code, if the program headers are in it.
///
/// Kernels before 5.18 compute the address of the program headers from the first segment. So the headers' address
/// minus their place in the file must be the same as for the first segment.
fn behind_hole(
    program: &Program<'_>,
    above: u64,
    start: u64,
    size: u64,
    page: u64,
) -> Result<Span> {
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
    Ok(Span {
        address,
        offset,
        size,
    })
}

/// The data segment after the code segment; and the place of the image of thread-locals, if it moves.
fn writable(
    executable: &Span,
    block: Option<&Block>,
    sizes: &Sizes,
    page: u64,
) -> (Writable, Span) {
    let moving = block.filter(|b| b.moves);
    let free = (executable.offset + executable.size).next_multiple_of(16);
    let lowest = executable.end().next_multiple_of(page) + free % page;
    let congruent = |from: u64, block: &Block| {
        let mask = block.align - 1;
        from + (block.congruence.wrapping_sub(from) & mask)
    };
    let image = moving.map(|b| congruent(lowest, b));
    let filled = moving.map_or(0, |b| b.file_size);
    // An image with initial values is at the segment's start.
    let address = image.filter(|_| filled > 0).unwrap_or(lowest);
    let segment = Span {
        address,
        offset: free + (address - lowest) % page,
        size: 0,
    };
    let data = (address + filled).next_multiple_of(sizes.data_align.max(16));
    // Kernels before 6.10 clear the rest of the page after a segment's bytes, and fail if the segment has no bytes.
    let size = (data + sizes.data - address).max(8);
    let writable = Writable {
        segment: Span { size, ..segment },
        memory: (data + sizes.data + sizes.zero - address).max(size),
        data: segment.part(data, sizes.data),
        zero: sizes.zero,
    };
    let image = image.unwrap_or(address);
    let image = Span {
        address: image,
        // A segment without bytes may be after the end of the file.
        offset: segment.offset + (image - address).min(size),
        size: filled,
    };
    (writable, image)
}

#[cfg(test)]
mod tests;
