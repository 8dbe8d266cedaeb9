//! The new program headers, when all places are known.

use super::headers::{Headers, Where, moved};
use super::layout::{Layout, Span};
use super::tls;
use crate::elf::program::{PROGRAM_HEADER, Program, Segment};
use crate::elf::raw::{self, ProgramHeader};
use object::elf;
use std::ops::Range;

/// The program headers: the old ones in their order, and the new ones. `note` has the addresses of the payload's
/// note.
pub fn new(program: &Program<'_>, layout: &Layout, note: &Range<u64>) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(program.segments.len() + 4);
    let last_load = program.segments.iter().rposition(Segment::is_load);
    let first_load = program.segments.iter().position(Segment::is_load);
    let headers = layout.headers;
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
            segment = Segment {
                offset: at.offset,
                address: at.address,
                file_size: at.size,
                size: at.size,
                ..segment
            };
        }
        if let (Some(tls), true) = (&layout.tls, old.kind == elf::PT_TLS.0) {
            segment = tls::segment(&tls.block, tls.image.offset, tls.image.address);
        }
        segments.push(segment);
        if Some(number) == last_load {
            segments.extend(loads(layout));
        }
    }
    if let (Some(tls), None) = (&layout.tls, program.segment(elf::PT_TLS)) {
        segments.push(tls::segment(
            &tls.block,
            tls.image.offset,
            tls.image.address,
        ));
    }
    let size = note.end - note.start;
    segments.push(Segment {
        kind: elf::PT_NOTE.0,
        flags: elf::PF_R.0,
        offset: layout.code.offset + (note.start - layout.code.address),
        address: note.start,
        file_size: size,
        size,
        align: 4,
    });
    segments
}

/// The segment for [`Where::Below`]: the file header and everything up to the program headers' end.
fn head(headers: &Headers) -> Segment {
    let size = headers.at.offset + headers.at.size;
    Segment {
        kind: elf::PT_LOAD.0,
        flags: elf::PF_R.0,
        offset: 0,
        address: headers.at.address - headers.at.offset,
        file_size: size,
        size,
        align: 0x1000,
    }
}

fn loads(layout: &Layout) -> impl Iterator<Item = Segment> {
    let load = |flags, place: Span, size| Segment {
        kind: elf::PT_LOAD.0,
        flags,
        offset: place.offset,
        address: place.address,
        file_size: place.size,
        size,
        align: layout.page,
    };
    let code = layout.executable;
    let code = load(elf::PF_R.0 | elf::PF_X.0, code, code.size);
    let data = layout
        .writable
        .map(|w| load(elf::PF_R.0 | elf::PF_W.0, w.segment, w.memory));
    [Some(code), data].into_iter().flatten()
}

/// A program header's bytes.
pub fn bytes(segment: &Segment) -> [u8; PROGRAM_HEADER as usize] {
    let mut bytes = [0; PROGRAM_HEADER as usize];
    bytes.copy_from_slice(raw::bytes(&ProgramHeader::from(segment)));
    bytes
}
