//! Changes of a file, by their places in the old file.

use crate::content::{Content, Piece};
use crate::error::{Error, Result};
use std::ops::Range;

/// The changes. All other bytes are kept.
#[derive(Clone, Debug, Default)]
pub struct Edits<'a> {
    /// How many bytes come before the old file's first byte.
    shift: u64,
    list: Vec<Edit<'a>>,
}

#[derive(Clone, Debug)]
struct Edit<'a> {
    /// The bytes that are removed; empty if bytes are only added.
    old: Range<u64>,
    new: Vec<Piece<'a>>,
}

impl<'a> Edits<'a> {
    /// No changes yet, for a file before which `shift` bytes are put.
    pub fn behind(shift: u64) -> Self {
        Self {
            shift,
            list: Vec::new(),
        }
    }

    /// Replaces the bytes at `offset` by `bytes`, of which there are as many.
    pub fn replace(&mut self, offset: u64, bytes: Vec<u8>) {
        let old = offset..offset + bytes.len() as u64;
        self.change(old, vec![Piece::Bytes(bytes.into())]);
    }

    /// Puts `pieces` before the byte at `offset`, and after everything that was put there before.
    pub fn insert(&mut self, offset: u64, pieces: Vec<Piece<'a>>) {
        self.change(offset..offset, pieces);
    }

    /// Removes these bytes.
    pub fn remove(&mut self, range: Range<u64>) {
        self.change(range, Vec::new());
    }

    fn change(&mut self, old: Range<u64>, new: Vec<Piece<'a>>) {
        self.list.push(Edit { old, new });
    }

    /// The place in the new file of the old byte at `offset`. A place that is not in the old file wraps around.
    pub fn moved(&self, offset: u64) -> u64 {
        let before = self.list.iter().filter(|e| e.old.end <= offset);
        before.fold(offset.wrapping_add(self.shift), |at, edit| {
            let size: u64 = edit.new.iter().map(Piece::size).sum();
            at.wrapping_sub(edit.old.end - edit.old.start)
                .wrapping_add(size)
        })
    }

    /// The new file, without the part before the old file's first byte.
    ///
    /// Errors: two changes of one byte, or a change after the file's end.
    pub fn apply(mut self, old: &'a [u8]) -> Result<Content<'a>> {
        self.list.sort_by_key(|e| (e.old.start, e.old.end));
        let mut pieces = Vec::new();
        let mut done = 0;
        for edit in self.list {
            let kept = (edit.old.start >= done)
                .then(|| old.get(done as usize..edit.old.start as usize))
                .flatten()
                .filter(|_| edit.old.end <= old.len() as u64)
                .ok_or_else(|| {
                    let found = format!("a change of {:#x} bytes", edit.old.end - edit.old.start);
                    Error::refused(found)
                        .at(edit.old.start)
                        .expected(format!("one between {done:#x} and {:#x}", old.len()))
                })?;
            keep(kept, &mut pieces);
            done = edit.old.end;
            pieces.extend(edit.new);
        }
        let rest = old.get(done as usize..).unwrap_or_default();
        keep(rest, &mut pieces);
        pieces.retain(|piece| piece.size() > 0);
        Ok(Content(pieces))
    }
}

/// The shortest run of zeros that becomes a hole, in bytes. Linkers leave such runs between segments.
const HOLE: usize = 1 << 12;

/// Adds `bytes`; long runs of zeros in them become holes.
fn keep<'a>(mut bytes: &'a [u8], pieces: &mut Vec<Piece<'a>>) {
    let is_zero = |part: &[u8]| part.iter().all(|b| *b == 0);
    let mut looked = 0;
    // Most parts begin with a byte that is not zero.
    while let Some(part) = bytes.get(looked..looked + HOLE) {
        if !is_zero(part) {
            looked += HOLE;
            continue;
        }
        let (before, behind) = bytes.split_at(looked);
        let end = behind.iter().position(|b| *b != 0).unwrap_or(behind.len());
        pieces.push(Piece::Bytes(before.into()));
        pieces.push(Piece::Hole(end as u64));
        (bytes, looked) = (&behind[end..], 0);
    }
    pieces.push(Piece::Bytes(bytes.into()));
}

#[cfg(test)]
mod tests;
