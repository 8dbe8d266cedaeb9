//! A file that is to be edited, with brawn's record beside it. Each file is read once and hashed once.

use super::kept;
use super::record::{Record, State};
use super::standing::{lost_original, open_original, original_path, record_of, wrong_original};
use crate::component::Chosen;
use crate::error::Result;
use crate::fingerprint::Fingerprint;
use crate::format::Format;
use crate::input;
use std::cell::OnceCell;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

/// A file's bytes, and the original that brawn made them from.
#[derive(Debug)]
pub struct Source {
    /// The file itself, symlinks resolved: the record lies beside the file, not beside a link to it.
    path: PathBuf,
    bytes: Vec<u8>,
    stat: Metadata,
    record: Option<Record>,
    fingerprint: OnceCell<Fingerprint>,
    original: OnceCell<Option<Vec<u8>>>,
}

impl Source {
    /// Reads the open file of `path`, for callers that change nothing.
    ///
    /// # Errors
    /// The file or its record cannot be read, brawn did not write the record, or it may be somebody else's.
    pub fn read(path: &Path, file: &File) -> Result<Self> {
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let record = record_of(&real, &input::stat(file)?)?;
        Self::of(real, file, record)
    }

    pub(super) fn of(path: PathBuf, file: &File, record: Option<Record>) -> Result<Self> {
        let bytes = input::all(file).map_err(|e| input::failed("cannot read it", e))?;
        Self::with(path, file, record, bytes)
    }

    /// The start of an open file alone, without a record; `None` if it is of one of these formats.
    pub(super) fn other(path: &Path, file: &File, formats: &[Format]) -> Result<Option<Self>> {
        let head = input::other(file, formats).map_err(|e| input::failed("cannot read it", e))?;
        head.map(|head| Self::with(path.to_path_buf(), file, None, head))
            .transpose()
    }

    fn with(path: PathBuf, file: &File, record: Option<Record>, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self {
            path,
            bytes,
            stat: input::stat(file)?,
            record,
            fingerprint: OnceCell::new(),
            original: OnceCell::new(),
        })
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

    /// The parts that it was made with, if brawn made the file from an original and the record says so.
    pub fn chosen(&self) -> Option<&Chosen> {
        let record = self.record.as_ref()?;
        let is_newest = record.is_newest(self.fingerprint());
        record.chosen.as_ref().filter(|_| is_newest)
    }

    fn read_original(&self, record: &Record) -> Result<Vec<u8>> {
        let path = original_path(&self.path);
        let file = open_original(kept::folder(&path)?, &path, &self.stat)?;
        let bytes = input::all(&file).map_err(|e| lost_original(&path, e))?;
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
