//! The small file beside an archive that says what brawn made of what.

use super::{Content, Target, write};
use crate::error::{Error, Result};
use crate::input;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Version of the record's layout.
const FORMAT: u32 = 1;

/// A file's identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// In bytes.
    pub size: u64,
    /// In hexadecimal digits.
    pub sha256: String,
}

/// A file's bytes on their way, from its first to its last.
#[derive(Clone, Debug, Default)]
pub struct Hashed {
    hash: Sha256,
    size: u64,
}

impl Hashed {
    /// The next ones.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.size += bytes.len() as u64;
    }

    /// What they are together.
    pub fn finish(self) -> Fingerprint {
        Fingerprint {
            size: self.size,
            sha256: hexadecimal(self.hash.finalize().as_ref()),
        }
    }
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

impl Fingerprint {
    pub(super) fn of(content: &Content<'_>) -> Self {
        Self {
            size: content.size(),
            sha256: hexadecimal(content.sha256().as_ref()),
        }
    }

    /// That of the file at `path`, of whatever size.
    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        Self::of_open(&mut input::open(path)?)
    }

    /// That of a file from where it stands.
    pub(super) fn of_open(file: &mut File) -> io::Result<Self> {
        let mut hashed = Hashed::default();
        let mut buffer = vec![0; 1 << 17];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(hashed.finish()),
                Ok(read) => hashed.update(&buffer[..read]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

/// The inode that is being overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InPlace {
    pub(super) device: u64,
    pub(super) inode: u64,
}

/// What a file is to its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The original itself: a run was interrupted, or the package was installed again.
    Original,
    /// A file that brawn made from the original.
    Result,
    /// Neither: somebody else wrote it.
    Changed,
}

/// What brawn made of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    format: u32,
    /// Version of brawn that wrote it last.
    brawn: String,
    /// The file before brawn first touched it.
    pub(super) original: Fingerprint,
    /// Every file that brawn made from it, the newest last.
    results: Vec<Fingerprint>,
    /// Set while a mount point is being overwritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) in_place: Option<InPlace>,
}

impl Record {
    pub(super) fn new(original: Fingerprint) -> Self {
        Self {
            format: FORMAT,
            brawn: env!("CARGO_PKG_VERSION").into(),
            original,
            results: Vec::new(),
            in_place: None,
        }
    }

    pub(super) fn add_result(&mut self, result: Fingerprint) {
        self.brawn = env!("CARGO_PKG_VERSION").into();
        self.results.retain(|r| *r != result);
        self.results.push(result);
    }

    pub(super) fn state(&self, file: &Fingerprint) -> State {
        if self.original == *file {
            State::Original
        } else if self.results.contains(file) {
            State::Result
        } else {
            State::Changed
        }
    }

    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = match input::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(input::failed("cannot read brawn's record", e).path(path)),
        };
        let damaged = |found: String| {
            Error::malformed(format!("brawn's record: {found}"))
                .path(path)
                .next("if the file beside it is what you want, remove the record and the kept original")
        };
        let record: Self = serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        if record.format != FORMAT {
            return Err(damaged(format!("format {}", record.format))
                .expected(format!("{FORMAT}; a newer brawn wrote it")));
        }
        Ok(Some(record))
    }

    /// Writes it beside `target`, atomically.
    pub(super) fn write(&self, target: &Target) -> Result<()> {
        let staged = target.beside(".", ".brawn-record");
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|e| Error::io("cannot write brawn's record", std::io::Error::other(e)))?;
        bytes.push(b'\n');
        write::plain(&staged, &(&bytes).into())?;
        fs::rename(&staged, target.record())
            .map_err(|e| Error::io("cannot write brawn's record", e).path(&target.record()))
    }
}
