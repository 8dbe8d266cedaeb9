//! What a file is, and whether it is worth replacing its heap: plain data for tables and scripts.

use crate::archive::read::Archive;
use crate::elf::image::Image;
use crate::elf::system::System;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use crate::identify::heap::{FoundHeap, Sure};
use crate::identify::{Identity, Libc, Linkage, Memory, executable};
use crate::note::Note;
use crate::report::package;
use crate::signatures::Build;
use serde::Serialize;

mod archive;
pub(in crate::report) mod by_code;
mod verdict;

crate::named! {
    /// The verdict on a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict {
        /// One heap, which is not musl's own.
        Fine = "fine",
        /// musl's own heap.
        #[serde(rename = "slow heap")]
        SlowHeap = "slow heap",
        /// musl's own heap beside another, or two payloads.
        Mixed = "mixed",
        /// A file that brawn does nothing with.
        #[serde(rename = "not musl")]
        NotMusl = "not musl",
        /// Too little is known about it.
        Unknown = "unknown",
    }
}

/// The report on a file. The names of these fields are a public interface: scripts read them.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// `elf` or `archive`.
    pub format: &'static str,
    /// The architecture, as in `x86_64`.
    pub architecture: String,
    /// The libc that it contains or needs.
    pub libc: Libc,
    /// That libc's version, if known.
    pub libc_version: Option<String>,
    /// How it takes part in a program.
    pub linkage: Linkage,
    /// The dynamic linker that it asks for.
    pub interpreter: Option<String>,
    /// The operating system that it is for, if not Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<System>,
    /// Its heap: the names of `heaps`, joined by ` + `; `none` or `unknown` if that is empty.
    pub heap: String,
    /// Its memory functions.
    pub memory: Memory,
    /// Where brawn's memory functions come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_note: Option<Note>,
    /// The note of brawn's other functions of libc.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub libc_note: Option<Note>,
    /// The verdict.
    pub verdict: Verdict,
    /// How reliable the verdict is.
    pub sure: Sure,
    /// The reason for the verdict, in a sentence.
    pub why: String,
    /// All heaps. If it is known which heap `malloc` uses, that heap comes first.
    pub heaps: Vec<FoundHeap>,
    /// The evidence for the rest.
    pub evidence: Vec<String>,
    /// Functions of libc that an archive lacks because another heap was put in the place of musl's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What the user can do about it; `FILE` stands for the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Finds out what `bytes` are.
pub fn inspect(bytes: &[u8]) -> Result<Inspection> {
    look(bytes, None)
}

/// The same. If a static program is stripped and shows no other sign of a heap, this also compares its code with
/// musl's builds: the user's `builds` and those of the database.
///
/// Errors: as [`inspect`].
pub fn inspect_with(bytes: &[u8], builds: &[Build]) -> Result<Inspection> {
    look(bytes, Some(builds))
}

/// [`inspect`] for a caller that has read the ELF file already.
pub fn inspect_image(image: &Image<'_>) -> Inspection {
    report("elf", executable::identify(image))
}

/// [`inspect_with`] for a caller that has read the ELF file of these `bytes` already.
pub fn inspect_image_with(image: &Image<'_>, bytes: &[u8], builds: &[Build]) -> Result<Inspection> {
    let mut identity = executable::identify(image);
    by_code::add(bytes, builds, &mut identity)?;
    Ok(report("elf", identity))
}

fn look(bytes: &[u8], builds: Option<&[Build]>) -> Result<Inspection> {
    match Format::of(bytes) {
        Format::Archive | Format::ThinArchive => {
            let archive = Archive::read(bytes)?;
            Ok(report("archive", archive::identify(&archive)?))
        }
        Format::Elf => {
            let image = Image::read(bytes, 0)?;
            match builds {
                Some(builds) => inspect_image_with(&image, bytes, builds),
                None => Ok(inspect_image(&image)),
            }
        }
        Format::Bitcode => Err(Error::not_applicable("LLVM bitcode")
            .at(0)
            .expected("an ELF file or an archive")
            .next("inspect the program that is linked from it")),
        Format::Other if bytes.is_empty() => {
            Err(Error::malformed("an empty file").expected("an ELF file or an archive"))
        }
        _ => Err(match Format::closed(bytes) {
            Some(what) => package::closed(what),
            None => Error::not_applicable(format!(
                "file begins with `{}`",
                printable(&bytes[..bytes.len().min(8)])
            ))
            .at(0)
            .expected("an ELF file or an archive"),
        }),
    }
}

fn report(format: &'static str, identity: Identity) -> Inspection {
    let verdict::Answer {
        verdict,
        sure,
        why,
        next,
    } = verdict::of(&identity);
    let names: Vec<&str> = identity.heaps.iter().map(|h| h.heap.name()).collect();
    let heap = match names.as_slice() {
        [] if identity.has_symbols => "none".to_string(),
        [] => "unknown".to_string(),
        names => names.join(" + "),
    };
    Inspection {
        format,
        architecture: identity.architecture,
        libc: identity.libc,
        libc_version: identity.libc_version,
        linkage: identity.linkage,
        interpreter: identity.interpreter,
        system: identity.system,
        heap,
        memory: identity.memory,
        memory_note: identity.memory_notes.into_iter().next(),
        libc_note: identity.libc_notes.into_iter().next(),
        verdict,
        sure,
        why,
        heaps: identity.heaps,
        evidence: identity.evidence,
        missing: identity.missing,
        hint: identity.hint.or(next),
    }
}

#[cfg(test)]
mod tests;
