//! Makes the new file from a plan and the linked payload.

use super::branch;
use super::edits::Edits;
use super::headers::Where;
use super::layout::Layout;
use super::linked::Linked;
use super::plan::Plan;
use super::sections::{Sections, zeros};
use super::segments;
use crate::content::{Content, Piece};
use crate::elf::program::Program;
use crate::elf::raw::{self, FileHeader, ProgramHeader};
use crate::error::{Error, Result};
use object::LittleEndian;
use object::elf;
use std::borrow::Cow;

/// The new file. Every byte that the plan does not change comes from the old file.
///
/// Errors: refused if a branch does not reach its target or if changes contradict each other; malformed if the linked
/// payload does not fit the plan.
pub fn apply<'a>(program: &Program<'a>, plan: &Plan, linked: &Linked) -> Result<Content<'a>> {
    let layout = &plan.layout;
    check_linked(plan, linked)?;
    let mut edits = Edits::behind(layout.headers.shift);
    for (address, bytes) in branches(program, plan, linked)? {
        let offset = program
            .offset(address, bytes.len() as u64)
            .ok_or_else(|| missing(address))?;
        edits.replace(offset, bytes);
    }
    let segments = segments::new(program, layout, &linked.note);
    let table: Vec<_> = segments.iter().map(ProgramHeader::from).collect();
    let table: Vec<u8> = table.iter().flat_map(raw::bytes).copied().collect();
    if let Where::InPlace | Where::BehindFirst = layout.headers.place {
        edits.replace(layout.headers.at.offset, table.clone());
    }
    if let Some(room) = &layout.room {
        for (at, value) in room.dynamic(program) {
            edits.replace(at, value.to_le_bytes().to_vec());
        }
    }
    let body = body(program, layout, linked, &table);
    let sections = Sections::edit(program, layout, linked, body, &mut edits)?;

    let entry = match &plan.start {
        Some(start) => target(linked, start)?,
        None => program.entry,
    };
    let mut header: FileHeader =
        raw::first(program.bytes).ok_or_else(|| Error::malformed("no file header"))?;
    header.e_entry.set(LittleEndian, entry);
    header.e_phoff.set(LittleEndian, layout.headers.at.offset);
    header.e_phnum.set(LittleEndian, segments.len() as u16);
    header.e_shoff.set(LittleEndian, sections.offset);
    header.e_shnum.set(LittleEndian, sections.count);
    let mut header = raw::bytes(&header).to_vec();
    if layout.headers.place != Where::Below {
        edits.replace(0, header);
        return edits.apply(program.bytes);
    }
    // The old file header stays where it is in the program's memory.
    let mut new = edits.apply(program.bytes)?;
    header.extend(table);
    let rest = layout.headers.shift - header.len() as u64;
    let front = [Piece::Bytes(header.into()), gap(rest)];
    new.0.splice(0..0, front);
    Ok(new)
}

fn check_linked(plan: &Plan, linked: &Linked) -> Result<()> {
    let code = plan.layout.code;
    let found = (linked.code.len() as u64, linked.data.len() as u64);
    if plan.start.is_none() && plan.layout.table.size > 8 {
        return Err(Error::malformed(
            "relocations without a start that applies them",
        ));
    }
    let note = &linked.note;
    let is_inside = note.start <= note.end && code.address <= note.start && note.end <= code.end();
    if found != (plan.sizes.code, plan.sizes.data) || !is_inside {
        return Err(Error::malformed(format!(
            "a linked payload of {found:?} bytes with a note at {note:x?}"
        ))
        .expected(format!("{:?}", plan.sizes)));
    }
    Ok(())
}

fn target(linked: &Linked, name: &str) -> Result<u64> {
    let address = linked.symbols.get(name).copied();
    address.ok_or_else(|| Error::malformed(format!("a linked payload without {name}")))
}

fn missing(address: u64) -> Error {
    Error::malformed(format!("no code in the file for address {address:#x}"))
}

/// Every change of the program's own code: its address and the new bytes.
fn branches(program: &Program<'_>, plan: &Plan, linked: &Linked) -> Result<Vec<(u64, Vec<u8>)>> {
    let of = program.architecture;
    let jumps = plan.functions.iter().map(|function| {
        let to = target(linked, &function.target)?;
        let bytes = branch::jump(of, function.patch_at, to, function.room)?;
        Ok((function.patch_at, bytes))
    });
    let calls = plan.hooks.iter().map(|hook| {
        let to = target(linked, &hook.target)?;
        let old = program.at(hook.at, 4).ok_or_else(|| missing(hook.at))?;
        Ok((hook.at, branch::redirect(of, old, hook.at, to)?))
    });
    jumps.chain(calls).collect()
}

/// The part after the last loaded byte: the new segments.
fn body<'a>(
    program: &Program<'a>,
    layout: &Layout,
    linked: &Linked,
    headers: &[u8],
) -> Vec<Piece<'a>> {
    let mut body = Body {
        at: layout.old_end + layout.headers.shift,
        pieces: Vec::new(),
    };
    body.put(layout.code.offset, linked.code.clone());
    body.put(layout.table.offset, table(layout));
    if layout.headers.place == Where::WithCode {
        body.put(layout.headers.at.offset, headers.to_vec());
    }
    if let Some(room) = &layout.room {
        let at = layout.code.offset + (room.to - layout.code.address);
        body.put(at, program.part(room.offset, room.size()));
    }
    if let Some(writable) = layout.writable {
        let image = layout
            .tls
            .filter(|tls| tls.block.moves && tls.image.size > 0);
        if let (Some(tls), Some(own)) = (image, program.segment(elf::PT_TLS)) {
            let own = program.part(own.offset, own.file_size);
            body.put(tls.image.offset + tls.block.before, own);
        }
        body.put(writable.data.offset, linked.data.clone());
    }
    body.put(layout.new_end, Vec::new());
    body.pieces
}

/// The table of relocations that the attached start applies: their number, then the place and value of each.
fn table(layout: &Layout) -> Vec<u8> {
    let from = layout.table.address;
    let copy = layout
        .tls
        .map_or(0, |tls| tls.image.address + tls.block.before);
    let copied = layout.relocations.iter().map(|r| (copy + r.at, r.value));
    let taken = layout
        .room
        .iter()
        .flat_map(|room| room.taken.iter().copied());
    let all: Vec<_> = copied.chain(taken).collect();
    let mut bytes = (all.len() as u64).to_le_bytes().to_vec();
    for (place, value) in all {
        bytes.extend(place.wrapping_sub(from).to_le_bytes());
        bytes.extend(value.wrapping_sub(from).to_le_bytes());
    }
    bytes
}

/// A number of zeros. A short run is written, not left as a hole: filesystems store whole blocks.
fn gap<'a>(size: u64) -> Piece<'a> {
    if size < 0x1000 {
        zeros(size)
    } else {
        Piece::Hole(size)
    }
}

struct Body<'a> {
    at: u64,
    pieces: Vec<Piece<'a>>,
}

impl<'a> Body<'a> {
    /// Puts `piece` at `offset` of the file, with zeros before it.
    fn put(&mut self, offset: u64, bytes: impl Into<Cow<'a, [u8]>>) {
        let piece = Piece::Bytes(bytes.into());
        let gap = gap(offset - self.at);
        self.at = offset + piece.size();
        self.pieces.extend([gap, piece]);
    }
}
