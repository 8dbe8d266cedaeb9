//! Notes of any owner, and brawn's own notes.

use super::Image;
use crate::error::{Error, Result, printable};
use crate::note;
use object::Endianness;
use std::ops::Range;

/// A note of any owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyNote<'a> {
    /// Its owner, without the NUL.
    pub owner: &'a [u8],
    /// Its type, whose meaning is the owner's.
    pub kind: u32,
    /// Its contents.
    pub contents: &'a [u8],
}

impl<'a> Image<'a> {
    /// Notes of other owners often break the rules, which is allowed here. brawn's notes may not.
    pub(super) fn read_notes(
        &mut self,
        endian: Endianness,
        data: &'a [u8],
        offset: u64,
        align: u64,
    ) -> Result<()> {
        let before = self.notes.len();
        // The gABI says 4 for every class; GNU's property note has 8.
        let align = if align == 8 { 8 } else { 4 };
        let mut at = 0;
        while let Some((note, whole)) = any_note(data, at, endian, align) {
            if note.owner == note::OWNER && endian == Endianness::Little {
                let place = offset.saturating_add(at as u64);
                self.brawn.extend(note::read(
                    data.get(whole.clone()).unwrap_or_default(),
                    place,
                )?);
            }
            self.notes.push(note);
            at = whole.end;
        }
        // A note that cannot be read would hide a brawn note after it, so that is an error.
        let is_walked = data
            .get(at..)
            .is_none_or(|rest| rest.iter().all(|b| *b == 0));
        if !is_walked && memchr::memmem::find(&data[at..], b"brawn\0").is_some() {
            let found = data.get(at..data.len().min(at + 12)).unwrap_or_default();
            return Err(Error::malformed(format!(
                "note {} begins with `{}`",
                self.notes.len() - before,
                printable(found)
            ))
            .at(offset.saturating_add(at as u64))
            .expected("namesz, descsz and type, then name and desc within the segment"));
        }
        Ok(())
    }
}

/// The notes in a segment or section, up to the first that cannot be read.
pub fn notes(
    data: &[u8],
    endian: Endianness,
    align: u64,
) -> impl Iterator<Item = AnyNote<'_>> + use<'_> {
    let align = if align == 8 { 8 } else { 4 };
    let mut at = 0;
    std::iter::from_fn(move || {
        let (note, whole) = any_note(data, at, endian, align)?;
        at = whole.end;
        Some(note)
    })
}

/// The note at `at` and its range, padding included.
fn any_note(
    data: &[u8],
    at: usize,
    endian: Endianness,
    align: usize,
) -> Option<(AnyNote<'_>, Range<usize>)> {
    use object::Endian as _;
    let word = |n: usize| -> Option<u32> {
        let start = at.checked_add(n * 4)?;
        let raw: [u8; 4] = data.get(start..start.checked_add(4)?)?.try_into().ok()?;
        Some(endian.read_u32(raw))
    };
    let name_size = usize::try_from(word(0)?).ok()?;
    let desc_size = usize::try_from(word(1)?).ok()?;
    let name_at = at.checked_add(12)?;
    let name_end = name_at.checked_add(name_size)?;
    let name = data.get(name_at..name_end)?;
    let desc_at = name_end.checked_next_multiple_of(align)?;
    let desc_end = desc_at.checked_add(desc_size)?;
    let contents = data.get(desc_at..desc_end)?;
    let end = desc_end.checked_next_multiple_of(align)?.min(data.len());
    // Zero padding looks like a note with an empty name.
    if name_size == 0 && desc_size == 0 {
        return None;
    }
    let note = AnyNote {
        owner: name.strip_suffix(b"\0").unwrap_or(name),
        kind: word(2)?,
        contents,
    };
    Some((note, at..end))
}
