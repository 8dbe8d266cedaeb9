//! What a file is, and whether its heap is worth replacing: plain data for tables and scripts.

use crate::archive::read::Archive;
use crate::elf::image::Image;
use crate::elf::system::System;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use crate::identify::heap::{Found, Sure};
use crate::identify::{Identity, Libc, Linkage, Memory, executable};
use crate::note::Note;
use crate::signatures::Build;
use serde::Serialize;

mod archive;
pub(in crate::report) mod by_code;
mod verdict;

/// What a user makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Verdict {
    /// One heap, and not musl's own.
    #[serde(rename = "fine")]
    Fine,
    /// musl's own heap.
    #[serde(rename = "slow heap")]
    SlowHeap,
    /// musl's own heap beside another, or a payload twice.
    #[serde(rename = "mixed")]
    Mixed,
    /// Nothing that brawn is for.
    #[serde(rename = "not musl")]
    NotMusl,
    /// Too little is known.
    #[serde(rename = "unknown")]
    Unknown,
}

impl Verdict {
    /// The words for tables, the same as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::SlowHeap => "slow heap",
            Self::Mixed => "mixed",
            Self::NotMusl => "not musl",
            Self::Unknown => "unknown",
        }
    }
}

/// What a file is.  The names of these fields are published: scripts read them.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `elf` or `archive`.
    pub format: &'static str,
    /// The architecture, as in `x86_64`.
    pub architecture: String,
    /// Whose libc it holds or needs.
    pub libc: Libc,
    /// That libc's version, where it can be known.
    pub libc_version: Option<String>,
    /// How it takes part in a program.
    pub linkage: Linkage,
    /// The dynamic linker that it asks for.
    pub interpreter: Option<String>,
    /// The operating system that it is for, where that is another than Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<System>,
    /// Whose heap: names of `heaps`, joined by ` + `; `none` or `unknown` where that is empty.
    pub heap: String,
    /// Whose memory functions.
    pub memory: Memory,
    /// Where brawn's are from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_note: Option<Note>,
    /// The note of other functions of libc, where they are brawn's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub libc_note: Option<Note>,
    /// What to make of it.
    pub verdict: Verdict,
    /// How far the verdict can be relied on.
    pub sure: Sure,
    /// The verdict in a sentence.
    pub why: String,
    /// Every heap, the one that `malloc` means first where that is known.
    pub heaps: Vec<Found>,
    /// What says the rest.
    pub evidence: Vec<String>,
    /// Functions of libc that an archive lacks since another heap was put in the place of musl's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What to do about it; `FILE` stands for the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Says what `bytes` are.
pub fn inspect(bytes: &[u8]) -> Result<Report> {
    look(bytes, None)
}

/// The same, by musl's code, too, where a static program is stripped and nothing else in it tells of a heap: `builds`, which
/// are the user's, and those of the database.
///
/// Errors: as [`inspect`].
pub fn inspect_with(bytes: &[u8], builds: &[Build]) -> Result<Report> {
    look(bytes, Some(builds))
}

fn look(bytes: &[u8], builds: Option<&[Build]>) -> Result<Report> {
    match Format::of(bytes) {
        Format::Archive | Format::ThinArchive => {
            let archive = Archive::read(bytes)?;
            Ok(report("archive", archive::identify(&archive)?))
        }
        Format::Elf => {
            let image = Image::read(bytes, 0)?;
            let mut identity = executable::identify(&image);
            if let Some(builds) = builds {
                by_code::add(bytes, builds, &mut identity)?;
            }
            Ok(report("elf", identity))
        }
        Format::Bitcode => Err(Error::not_applicable("LLVM bitcode")
            .at(0)
            .expected("an ELF file or an archive")
            .next("inspect what is linked from it")),
        Format::Other if bytes.is_empty() => {
            Err(Error::malformed("an empty file").expected("an ELF file or an archive"))
        }
        Format::Zip | Format::Gzip | Format::Tar | Format::Other => {
            Err(Error::not_applicable(format!(
                "file begins with `{}`",
                printable(&bytes[..bytes.len().min(8)])
            ))
            .at(0)
            .expected("an ELF file or an archive"))
        }
    }
}

fn report(format: &'static str, identity: Identity) -> Report {
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
    Report {
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
