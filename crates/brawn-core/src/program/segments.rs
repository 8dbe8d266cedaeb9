//! The new program headers, when all places are known.

use super::headers::{Headers, Where, moved};
use super::layout::{Layout, Span, Tls};
use super::tls;
use crate::elf::program::{Program, Segment};
use object::elf;
use std::ops::Range;

/// The program headers: the old ones in their order, and the new ones. `note` has the addresses of the payload's
/// note.
pub fn new(program: &Program<'_>, layout: &Layout, note: &Range<u64>) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(program.segments.len() + 4);
    let last_load = program.segments.iter().rposition(Segment::is_load);
    let first_load = program.segments.iter().position(Segment::is_load);
    let headers = layout.headers;
    let of = |tls: Tls| tls::segment(&tls.block, tls.image.offset, tls.image.address);
    let tls = layout.tls.map(of);
    for (number, old) in program.segments.iter().enumerate() {
        let mut segment = *old;
        if old.is_load() || old.file_size > 0 {
            // Only loaded segments are known to be in the file.
            segment.offset = old.offset.wrapping_add(headers.shift);
        }
        if Some(number) == first_load {
            match headers.place {
                Where::InPlace | Where::BehindFirst => {
                    let end = headers.at.end() - old.address;
                    segment.file_size = old.file_size.max(end);
                    segment.size = old.size.max(end);
                }
                Where::Below => segments.push(head(&headers)),
                Where::WithCode => {}
            }
        }
        if let Some(address) = layout.room.as_ref().and_then(|room| moved(room, old)) {
            segment.address = address;
            segment.offset = layout.code.offset + (address - layout.code.address);
        }
        if old.kind == elf::PT_PHDR.0 {
            let at = headers.at;
            segment = at.segment(elf::PT_PHDR, old.flags, at.size, old.align);
        }
        if let (Some(tls), true) = (tls, old.kind == elf::PT_TLS.0) {
            segment = tls;
        }
        segments.push(segment);
        if Some(number) == last_load {
            segments.extend(loads(layout));
        }
    }
    if program.segment(elf::PT_TLS).is_none() {
        segments.extend(tls);
    }
    let note = layout.code.part(note.start, note.end - note.start);
    segments.push(note.segment(elf::PT_NOTE, elf::PF_R.0, note.size, 4));
    segments
}

/// The segment for [`Where::Below`]: the file header and everything up to the program headers' end.
fn head(headers: &Headers) -> Segment {
    let size = headers.at.offset + headers.at.size;
    let place = Span {
        address: headers.at.address - headers.at.offset,
        offset: 0,
        size,
    };
    place.segment(elf::PT_LOAD, elf::PF_R.0, size, 0x1000)
}

fn loads(layout: &Layout) -> impl Iterator<Item = Segment> {
    let load = |place: Span, flags: u32, size| {
        place.segment(elf::PT_LOAD, elf::PF_R.0 | flags, size, layout.page)
    };
    let code = layout.executable;
    let code = load(code, elf::PF_X.0, code.size);
    let data = layout.writable;
    let data = data.map(|w| load(w.segment, elf::PF_W.0, w.memory));
    [Some(code), data].into_iter().flatten()
}
