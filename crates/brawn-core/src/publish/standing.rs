//! How an archive relates to brawn's record beside it, for callers that change nothing.

use super::record::{Record, State};
use crate::error::{Error, Kind, Result};
use crate::fingerprint::Fingerprint;
use crate::input;
use serde::Serialize;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The suffix of a kept original's name.
const ORIGINAL: &str = ".brawn-original";

/// How an archive relates to the record beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It is exactly the file that brawn wrote.
    Written,
    /// It is the original that brawn kept: for example, its package was installed again.
    Original,
    /// Neither: an update or another tool wrote it.
    Changed,
    /// A write in place was interrupted; the next `patch` or `restore` puts the original back.
    Torn,
}

/// How the file at `path`, with the contents `bytes`, relates to the record beside it; `None` without a record.
/// Changes nothing.
///
/// # Errors
/// The record cannot be read, or brawn did not write it.
pub fn standing(path: &Path, bytes: &[u8]) -> Result<Option<Standing>> {
    // The record lies beside the file itself, not beside a link to it.
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let Some(record) = Record::read(&record_path(&real))? else {
        return Ok(None);
    };
    Ok(Some(match record.state(&Fingerprint::of(&bytes.into())) {
        State::Original => Standing::Original,
        State::Result => Standing::Written,
        State::Changed if record.in_place.is_some() => Standing::Torn,
        State::Changed => Standing::Changed,
    }))
}

/// If `name` is the name of a kept original: the name of its file.
pub fn kept_original_of(name: &[u8]) -> Option<&[u8]> {
    name.strip_suffix(ORIGINAL.as_bytes())
}

/// Whether the file at `path` is an original that brawn keeps. This is so if it has such a name, and the record
/// beside it names exactly its contents. Changes nothing.
pub fn is_kept_original(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let Some(name) = kept_original_of(name) else {
        return false;
    };
    let of = path.with_file_name(std::ffi::OsStr::from_bytes(name));
    // If the record cannot be read, the file counts as an ordinary one.
    let Ok(Some(record)) = Record::read(&record_path(&of)) else {
        return false;
    };
    Fingerprint::of_file(path).is_ok_and(|found| found == record.original)
}

/// Opens the kept original at `path`. Fails if it is not the one that the record names.
pub(super) fn check_original(path: &Path, record: Option<&Record>) -> Result<File> {
    let open = || {
        let mut file = input::open(path)?;
        let fingerprint = Fingerprint::of_open(&mut file)?;
        Ok((file, fingerprint))
    };
    let (file, fingerprint) = open().map_err(|e: std::io::Error| {
        Error::io("cannot read the kept original", e)
            .path(path)
            .next("install the package that it came from again")
    })?;
    match record.is_some_and(|r| r.original != fingerprint) {
        true => Err(wrong_original(path)),
        false => Ok(file),
    }
}

/// The error for an original at `path` that is not the one in the record.
pub(super) fn wrong_original(path: &Path) -> Error {
    Error::new(
        Kind::RestoreRefused,
        "the kept original is not the one that the record names",
    )
    .path(path)
    .next("install the package that it came from again")
}

/// Where the original of the file at `path` is kept.
pub(super) fn original_path(path: &Path) -> PathBuf {
    beside(path, ORIGINAL)
}

/// Where the record of the file at `path` is.
pub(super) fn record_path(path: &Path) -> PathBuf {
    beside(path, ".brawn.json")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}
