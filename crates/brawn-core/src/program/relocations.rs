//! Relocations of the initial thread-locals. The program applies them to its own image, so a copy of it needs them
//! too.

use crate::elf::dynamic::{
    DT_JMPREL, DT_PLTRELSZ, DT_REL, DT_RELA, DT_RELASZ, DT_RELR, DT_RELRSZ, DT_RELSZ, entries, word,
};
use crate::elf::program::{Placement, Program, Segment};
use crate::error::{Error, Result};
use object::elf;
use std::ops::Range;

/// A word of the image that holds an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relative {
    /// Its place in the image, in bytes.
    pub at: u64,
    /// The address that it holds, before the program is moved.
    pub value: u64,
}

/// The addresses in the program's initial thread-locals, by place. None if the program is loaded at a fixed address:
/// then the words are already right.
///
/// Errors: malformed tables; refused for any relocation there that is not a relative one of a whole word.
pub fn of_image(program: &Program<'_>, tls: &Segment) -> Result<Vec<Relative>> {
    let Some(dynamic) = program.segment(elf::PT_DYNAMIC) else {
        return Ok(Vec::new());
    };
    if program.placement == Placement::Fixed || tls.file_size == 0 {
        return Ok(Vec::new());
    }
    let reader = Reader {
        program,
        image: tls.filled(),
        found: Vec::new(),
    };
    reader.read(dynamic)
}

struct Reader<'a, 'p> {
    program: &'p Program<'a>,
    image: Range<u64>,
    found: Vec<Relative>,
}

impl<'a> Reader<'a, '_> {
    fn read(mut self, dynamic: &Segment) -> Result<Vec<Relative>> {
        let bytes = self.program.part(dynamic.offset, dynamic.file_size);
        let entries: Vec<_> = entries(bytes).collect();
        let of = |tag: u64| entries.iter().find(|e| e.0 == tag).map_or(0, |e| e.1);
        if let Some(table) = self.table(of(DT_RELR), of(DT_RELRSZ))? {
            self.relr(table)?;
        }
        for (at, size, entry) in [
            (DT_RELA, DT_RELASZ, 24),
            (DT_JMPREL, DT_PLTRELSZ, 24),
            (DT_REL, DT_RELSZ, 16),
        ] {
            if let Some(table) = self.table(of(at), of(size))? {
                self.explicit(table, entry)?;
            }
        }
        self.found.sort_by_key(|r| r.at);
        Ok(self.found)
    }

    /// The bytes of a table that the dynamic section mentions.
    fn table(&self, address: u64, size: u64) -> Result<Option<&'a [u8]>> {
        if address == 0 || size == 0 {
            return Ok(None);
        }
        let table = self.program.at(address, size).ok_or_else(|| {
            Error::malformed(format!(
                "{size:#x} bytes of relocations at address {address:#x}"
            ))
            .expected("an address that the file fills")
        })?;
        Ok(Some(table))
    }

    /// Whether the word at `place` is in the image. A word that is only partly in it is an error.
    fn is_of_image(&self, place: u64) -> Result<bool> {
        let end = place.saturating_add(8);
        if place >= self.image.end || end <= self.image.start {
            return Ok(false);
        }
        if place < self.image.start || end > self.image.end {
            return Err(
                Error::refused(format!("a relocation at address {place:#x}"))
                    .expected("one inside of the thread-locals' image or outside"),
            );
        }
        Ok(true)
    }

    fn explicit(&mut self, table: &[u8], entry: usize) -> Result<()> {
        let relative = self.program.architecture.facts().relative;
        for bytes in table.chunks_exact(entry) {
            let place = word(bytes, 0);
            if !self.is_of_image(place)? {
                continue;
            }
            let kind = word(bytes, 8);
            if entry != 24 || kind != u64::from(relative) {
                let found = format!("a relocation of type {} at address {place:#x}", kind as u32);
                return Err(Error::refused(found)
                    .expected("relative ones alone in the thread-locals' image"));
            }
            self.add(place, word(bytes, 16))?;
        }
        Ok(())
    }

    /// ELF gABI, "Relative Relocation Table": an address, then words in which each bit, except the lowest, stands for
    /// one of the next 63 words.
    fn relr(&mut self, table: &[u8]) -> Result<()> {
        let mut next = 0u64;
        for entry in table.as_chunks::<8>().0 {
            let entry = u64::from_le_bytes(*entry);
            if entry & 1 == 0 {
                self.in_place(entry)?;
                next = entry.wrapping_add(8);
                continue;
            }
            // Most words are far from the image.
            if next < self.image.end && next.saturating_add(63 * 8) > self.image.start {
                for bit in (0..63).filter(|bit| entry >> (bit + 1) & 1 == 1) {
                    self.in_place(next + 8 * bit)?;
                }
            }
            next = next.wrapping_add(63 * 8);
        }
        Ok(())
    }

    /// A relocation whose addend is at its place.
    fn in_place(&mut self, place: u64) -> Result<()> {
        if !self.is_of_image(place)? {
            return Ok(());
        }
        let bytes = self.program.at(place, 8).ok_or_else(|| {
            Error::malformed(format!("a relocation at address {place:#x}"))
                .expected("an address that the file fills")
        })?;
        self.add(place, word(bytes, 0))
    }

    fn add(&mut self, place: u64, value: u64) -> Result<()> {
        let at = place - self.image.start;
        // If a table lists the same word again and again, brawn's table would become larger than the file.
        if self.found.len() as u64 > self.image.end - self.image.start {
            return Err(Error::malformed(
                "more relocations of thread-locals than bytes",
            ));
        }
        self.found.push(Relative { at, value });
        Ok(())
    }
}
