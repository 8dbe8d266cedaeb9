//! Notes of any owner, and brawn's own notes.

use super::Image;
use crate::error::{Error, Result, printable};
use crate::note;
use object::Endianness;

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
        // Zero padding looks like a note with an empty name.
        let is_padding = |at: usize| data[at..].starts_with(&[0; 8]);
        while let Some((note, end)) = note::one(data, at, endian, align).filter(|_| !is_padding(at))
        {
            if note.owner == note::OWNER && endian == Endianness::Little {
                // brawn's are aligned to 4 wherever a linker puts them.
                let place = offset.saturating_add(at as u64);
                self.brawn.extend(note::read(&data[at..end], place)?);
            }
            self.notes.push(note);
            at = end;
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
