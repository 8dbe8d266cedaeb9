//! Reads the provenance note that `docs/note.md` specifies.

use crate::error::{Error, Result};
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
    pub fn printable(self) -> Self {
        let clean = |text: String| crate::error::printable(text.as_bytes());
        Self {
            brawn: clean(self.brawn),
            component: clean(self.component),
            function: clean(self.function),
            serves: clean(self.serves),
            engine: clean(self.engine),
            profile: clean(self.profile),
            architecture: clean(self.architecture),
            compiler: clean(self.compiler),
            source: clean(self.source),
        }
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
        let truncated = || {
            Error::malformed("note runs past the end of its section")
                .at(place)
                .expected("namesz, descsz and type, then name and desc within the section")
        };
        let word = |n: usize| -> Option<u32> {
            let start = at.checked_add(n.checked_mul(4)?)?;
            let raw = bytes.get(start..start.checked_add(4)?)?;
            Some(u32::from_le_bytes(raw.try_into().ok()?))
        };
        // Linkers pad between notes with zeros when sections of different alignment meet.
        if bytes
            .get(at..)
            .is_some_and(|rest| rest.len() < 12 && rest.iter().all(|b| *b == 0))
        {
            break;
        }
        let (Some(namesz), Some(descsz), Some(kind)) = (word(0), word(1), word(2)) else {
            return Err(truncated());
        };
        let name_at = at.checked_add(12).ok_or_else(truncated)?;
        let (name, desc_at) = padded(bytes, name_at, namesz).ok_or_else(truncated)?;
        let (desc, next) = padded(bytes, desc_at, descsz).ok_or_else(truncated)?;
        if name.strip_suffix(b"\0") == Some(OWNER) && kind == TYPE {
            notes.push(parse(desc, place)?);
        }
        at = next;
    }
    Ok(notes)
}

/// The `size` bytes at `at`, and where the next field begins. The last field of a section may lack its padding.
fn padded(bytes: &[u8], at: usize, size: u32) -> Option<(&[u8], usize)> {
    let end = at.checked_add(usize::try_from(size).ok()?)?;
    let field = bytes.get(at..end)?;
    let next = end.checked_add(3)? & !3;
    Some((field, next))
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
        let field = match key {
            "brawn" => &mut note.brawn,
            "component" => &mut note.component,
            "function" => &mut note.function,
            "serves" => &mut note.serves,
            "engine" => &mut note.engine,
            "profile" => &mut note.profile,
            "architecture" => &mut note.architecture,
            "compiler" => &mut note.compiler,
            "source" => &mut note.source,
            _ => continue,
        };
        *field = value.to_string();
    }
    Ok(note)
}

#[cfg(test)]
mod tests;
