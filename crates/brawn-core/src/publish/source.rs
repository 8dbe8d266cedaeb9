//! A file that is to be edited, with brawn's record beside it. Each file is read once and hashed once.

use super::record::{Record, State};
use super::standing::{original_path, record_path, wrong_original};
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::input;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// A file's bytes, and the original that brawn made them from.
#[derive(Debug)]
pub struct Source {
    /// The file itself, symlinks resolved: the record lies beside the file, not beside a link to it.
    path: PathBuf,
    bytes: Vec<u8>,
    record: Option<Record>,
    fingerprint: OnceCell<Fingerprint>,
    original: OnceCell<Option<Vec<u8>>>,
}

impl Source {
    /// Reads the file at `path`, for callers that change nothing.
    ///
    /// # Errors
    /// The file or its record cannot be read, or brawn did not write the record.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = input::read(path).map_err(|e| input::failed("cannot read it", e))?;
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let record = Record::read(&record_path(&real))?;
        Ok(Self::new(real, bytes, record))
    }

    pub(super) fn new(path: PathBuf, bytes: Vec<u8>, record: Option<Record>) -> Self {
        Self {
            path,
            bytes,
            record,
            fingerprint: OnceCell::new(),
            original: OnceCell::new(),
        }
    }

    /// The file's contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The original, if brawn made the file from one.
    ///
    /// # Errors
    /// The original cannot be read, or is not the one that the record names.
    pub fn original(&self) -> Result<Option<&[u8]>> {
        if let Some(known) = self.original.get() {
            return Ok(known.as_deref());
        }
        let original = match &self.record {
            Some(record) if record.state(self.fingerprint()) == State::Result => {
                Some(self.read_original(record)?)
            }
            _ => None,
        };
        Ok(self.original.get_or_init(|| original).as_deref())
    }

    fn read_original(&self, record: &Record) -> Result<Vec<u8>> {
        let path = original_path(&self.path);
        let bytes = input::read(&path).map_err(|e| {
            Error::io("cannot read the kept original", e)
                .path(&path)
                .next("install the package that it came from again")
        })?;
        match Fingerprint::of(&(&bytes).into()) == record.original {
            true => Ok(bytes),
            false => Err(wrong_original(&path)),
        }
    }

    /// The file's fingerprint.
    pub(super) fn fingerprint(&self) -> &Fingerprint {
        let of = || Fingerprint::of(&(&self.bytes).into());
        self.fingerprint.get_or_init(of)
    }

    /// Whether the original was read and is the one that the record names.
    pub(super) fn is_original_known(&self) -> bool {
        matches!(self.original.get(), Some(Some(_)))
    }
}
