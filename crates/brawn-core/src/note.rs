//! Reads notes of any owner, and the provenance note that `docs/note.md` specifies.

use crate::error::{Error, Result};
use object::{Endian as _, Endianness};
use serde::Serialize;

/// The section that holds the note in objects and unstripped executables.
pub const SECTION: &[u8] = b".note.brawn";
/// The owner's name, without its NUL.
pub(crate) const OWNER: &[u8] = b"brawn";
/// The one note type there is so far.
const TYPE: u32 = 1;

/// What one note says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Note {
    /// Version of brawn.
    pub brawn: String,
    /// Which part of libc it replaces: `heap`, `memory` or `libc`. `supplied` marks a function that libc lacked.
    pub component: String,
    /// The name of the supplied function.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// Who uses the heap if not libc: `rust` means the Rust code of a shared object or dynamic program.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub serves: String,
    /// The heap's engine and its version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// The heap's variant.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub profile: String,
    /// The architecture that it runs on.
    pub architecture: String,
    /// The compiler that built it.
    pub compiler: String,
    /// SHA-256 over its sources, in hex.
    pub source: String,
}

impl Note {
    /// Whether it is the note of the memory functions.
    pub fn is_memory(&self) -> bool {
        self.component == "memory"
    }

    /// Whether it is the note of the other functions of libc.
    pub fn is_libc(&self) -> bool {
        self.component == "libc"
    }

    /// Whether it is the note of a function that the archive lacked.
    pub fn is_supplied(&self) -> bool {
        self.component == "supplied"
    }

    /// Whether it is a heap's note: true for every note that is none of the others.
    pub fn is_heap(&self) -> bool {
        !self.is_memory() && !self.is_libc() && !self.is_supplied()
    }

    /// Whether it is the note of a heap that only Rust code uses, beside libc's own heap.
    pub fn serves_rust(&self) -> bool {
        self.serves == "rust"
    }

    /// The same without anything that a terminal would act on: anybody may have written the note.
    pub fn printable(mut self) -> Self {
        for (_, text) in self.fields() {
            *text = crate::error::printable(text.as_bytes());
        }
        self
    }

    /// The fields, each with its name in the note.
    fn fields(&mut self) -> [(&'static str, &mut String); 9] {
        [
            ("brawn", &mut self.brawn),
            ("component", &mut self.component),
            ("function", &mut self.function),
            ("serves", &mut self.serves),
            ("engine", &mut self.engine),
            ("profile", &mut self.profile),
            ("architecture", &mut self.architecture),
            ("compiler", &mut self.compiler),
            ("source", &mut self.source),
        ]
    }
}

/// Those of `notes` that are heaps' notes.
pub fn heaps(notes: &[Note]) -> impl Iterator<Item = Note> {
    notes.iter().filter(|note| note.is_heap()).cloned()
}

/// Reads every brawn note in `bytes`, the contents of an `SHT_NOTE` section or `PT_NOTE` segment.
///
/// `offset` is where `bytes` begins in its file, for errors. Notes of other owners and of types that this version
/// does not know are skipped.
pub fn read(bytes: &[u8], offset: u64) -> Result<Vec<Note>> {
    let mut notes = Vec::new();
    let mut at = 0usize;
    while at < bytes.len() {
        let place = offset.saturating_add(at as u64);
        let Some((note, end)) = one(bytes, at, Endianness::Little, 4) else {
            // Linkers pad between notes with zeros when sections of different alignment meet.
            if bytes[at..].iter().all(|b| *b == 0) {
                break;
            }
            return Err(Error::malformed("note runs past the end of its section")
                .at(place)
                .expected("namesz, descsz and type, then name and desc within the section"));
        };
        // The NUL of its owner's name counts.
        let has_nul = usize::from(bytes[at]) == OWNER.len() + 1;
        if note.owner == OWNER && has_nul && note.kind == TYPE {
            notes.push(parse(note.contents, place)?);
        }
        at = end;
    }
    Ok(notes)
}

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

/// The note at `at`, and where the next one begins. The last note of a section may lack its padding.
pub(crate) fn one(
    data: &[u8],
    at: usize,
    endian: Endianness,
    align: usize,
) -> Option<(AnyNote<'_>, usize)> {
    let word = |n: usize| -> Option<u32> {
        let start = at.checked_add(n * 4)?;
        let raw: [u8; 4] = data.get(start..start.checked_add(4)?)?.try_into().ok()?;
        Some(endian.read_u32(raw))
    };
    let (name_size, desc_size, kind) = (word(0)?, word(1)?, word(2)?);
    let name_at = at.checked_add(12)?;
    let name_end = name_at.checked_add(usize::try_from(name_size).ok()?)?;
    let name = data.get(name_at..name_end)?;
    let desc_at = name_end.checked_next_multiple_of(align)?;
    let desc_end = desc_at.checked_add(usize::try_from(desc_size).ok()?)?;
    let contents = data.get(desc_at..desc_end)?;
    let end = desc_end.checked_next_multiple_of(align)?.min(data.len());
    let owner = name.strip_suffix(b"\0").unwrap_or(name);
    let note = AnyNote {
        owner,
        kind,
        contents,
    };
    Some((note, end))
}

fn parse(desc: &[u8], offset: u64) -> Result<Note> {
    let text = std::str::from_utf8(desc)
        .map_err(|_| Error::malformed("brawn note is not UTF-8").at(offset))?;
    let mut note = Note::default();
    for line in text.trim_end_matches('\0').lines() {
        let (key, value) = line.split_once('=').ok_or_else(|| {
            Error::malformed(format!("line {line:?} in the brawn note"))
                .at(offset)
                .expected("key=value")
        })?;
        let mut fields = note.fields().into_iter();
        if let Some((_, field)) = fields.find(|(name, _)| *name == key) {
            *field = value.to_string();
        }
    }
    Ok(note)
}

#[cfg(test)]
mod tests;
