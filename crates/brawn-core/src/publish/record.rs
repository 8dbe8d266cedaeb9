//! The small file beside an archive that records which files brawn made from which original.

use super::{Target, kept, write};
use crate::component::Chosen;
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::input;
use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::os::fd::AsFd;
use std::path::Path;

/// Version of the record's layout.
const FORMAT: u32 = 1;

/// The inode that is being overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InPlace {
    pub(super) device: u64,
    pub(super) inode: u64,
}

/// How a file relates to its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The original itself: a run was interrupted, or the package was installed again.
    Original,
    /// A file that brawn made from the original.
    Result,
    /// Neither: another program wrote it.
    Changed,
}

/// Which files brawn made from which original.
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
    /// The parts of libc that the newest result was made with, where the file does not say this itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) chosen: Option<Chosen>,
}

impl Record {
    pub(super) fn new(original: Fingerprint) -> Self {
        Self {
            format: FORMAT,
            brawn: env!("CARGO_PKG_VERSION").into(),
            original,
            results: Vec::new(),
            in_place: None,
            chosen: None,
        }
    }

    pub(super) fn add_result(&mut self, result: Fingerprint) {
        self.brawn = env!("CARGO_PKG_VERSION").into();
        self.results.retain(|r| *r != result);
        self.results.push(result);
    }

    /// Whether it is the file that brawn made last.
    pub(super) fn is_newest(&self, file: &Fingerprint) -> bool {
        self.results.last() == Some(file)
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

    /// Whether a file that it knows has this size.
    pub(super) fn has_size(&self, size: u64) -> bool {
        self.original.size == size || self.results.iter().any(|result| result.size == size)
    }

    /// Reads the one at `path`, in the directory `folder`, beside the file of `target`. `None` if there is none.
    pub(super) fn read(folder: impl AsFd, path: &Path, target: &Metadata) -> Result<Option<Self>> {
        let Some(file) = kept::open(folder, path, target, "brawn's record")? else {
            return Ok(None);
        };
        let bytes =
            input::all(&file).map_err(|e| Error::io("cannot read brawn's record", e).path(path))?;
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

    /// Writes it beside `target`, atomically. Whoever may read the target may read its record.
    pub(super) fn write(&self, target: &Target) -> Result<()> {
        let staged = target.beside(".", ".brawn-record");
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|e| Error::io("cannot write brawn's record", std::io::Error::other(e)))?;
        bytes.push(b'\n');
        write::readable(&staged, &(&bytes).into(), &target.file)?;
        fs::rename(&staged, target.record())
            .map_err(|e| Error::io("cannot write brawn's record", e).path(&target.record()))
    }
}
