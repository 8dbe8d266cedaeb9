//! How an archive relates to brawn's record beside it, for callers that change nothing.

use super::kept;
use super::record::{Record, State};
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::shown::shown;
use rustix::io::Errno;
use serde::Serialize;
use std::fs::{File, Metadata};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The suffix of a kept original's name.
const ORIGINAL: &str = ".brawn-original";
/// The suffix of a record's name.
const RECORD: &str = ".brawn.json";

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
/// The record cannot be read, brawn did not write it, or it may be somebody else's.
pub fn standing(path: &Path, bytes: &[u8]) -> Result<Option<Standing>> {
    // The record lies beside the file itself, not beside a link to it.
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let stat = std::fs::metadata(&real).map_err(|e| Error::io("cannot look at it", e))?;
    let Some(record) = record_of(&real, &stat)? else {
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

/// Fails if `path`, which is no link, is what brawn keeps of another file: a new file in its place could not be undone.
pub(super) fn not_kept(path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let endings = [ORIGINAL, RECORD].map(str::as_bytes);
    let mut names = endings
        .iter()
        .filter_map(|ending| name.strip_suffix(*ending));
    let of = names.next().filter(|name| !name.is_empty());
    let Some(of) = of.map(|name| path.with_file_name(std::ffi::OsStr::from_bytes(name))) else {
        return Ok(());
    };
    // Without a record, the name is only a name.
    if std::fs::symlink_metadata(record_path(&of)).is_err() {
        return Ok(());
    }
    Err(Error::refused("brawn keeps it to restore another file")
        .path(path)
        .expected("a file that is nobody's original or record")
        .next(format!("name {} itself", shown(&of))))
}

/// Whether the file at `path` is an original that brawn keeps. This is so if it has such a name, and the record
/// beside it names exactly its contents. Changes nothing.
pub fn is_kept_original(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let Some(name) = kept_original_of(name) else {
        return false;
    };
    let of = path.with_file_name(std::ffi::OsStr::from_bytes(name));
    // If its file is gone, the original's own owner counts.
    let stat = std::fs::metadata(&of).or_else(|_| std::fs::symlink_metadata(path));
    // If one of them cannot be read or does not count, the file is an ordinary one.
    let (Ok(stat), Ok(folder)) = (stat, kept::folder(path)) else {
        return false;
    };
    let Ok(Some(record)) = Record::read(&folder, &record_path(&of), &stat) else {
        return false;
    };
    check_original(&folder, path, &stat, Some(&record)).is_ok()
}

/// The record beside the file at `path`, which is no link and has the metadata `stat`.
pub(super) fn record_of(path: &Path, stat: &Metadata) -> Result<Option<Record>> {
    Record::read(kept::folder(path)?, &record_path(path), stat)
}

/// Opens the kept original at `path`, in the directory `folder`, of the file of `target`.
pub(super) fn open_original(folder: impl AsFd, path: &Path, target: &Metadata) -> Result<File> {
    kept::open(folder, path, target, "the kept original")?
        .ok_or_else(|| lost_original(path, Errno::NOENT.into()))
}

/// The error for a file that is not there. It was given as `path`, and its place is `place`.
pub(super) fn gone(path: &Path, place: &Path, error: std::io::Error) -> Error {
    let gone = Error::io("cannot find it", error).path(path);
    let original = original_path(place);
    match std::fs::symlink_metadata(&original) {
        Ok(stat) if stat.is_file() => gone.next(format!(
            "brawn keeps its original: `mv {} {}` brings that back",
            shown(&original),
            shown(place)
        )),
        _ => gone,
    }
}

/// The error for an original at `path` that cannot be read.
pub(super) fn lost_original(path: &Path, error: std::io::Error) -> Error {
    Error::io("cannot read the kept original", error)
        .path(path)
        .next("install the package that it came from again")
}

/// The same, and it is the one that the record names.
pub(super) fn check_original(
    folder: impl AsFd,
    path: &Path,
    target: &Metadata,
    record: Option<&Record>,
) -> Result<File> {
    let mut file = open_original(folder, path, target)?;
    let fingerprint = Fingerprint::of_open(&mut file).map_err(|e| lost_original(path, e))?;
    match record.is_some_and(|r| r.original != fingerprint) {
        true => Err(wrong_original(path)),
        false => Ok(file),
    }
}

/// The error for an original at `path` that is not the one in the record.
pub(super) fn wrong_original(path: &Path) -> Error {
    Error::restore_refused("the kept original is not the one that the record names")
        .path(path)
        .next("install the package that it came from again")
}

/// Where the original of the file at `path` is kept.
pub(super) fn original_path(path: &Path) -> PathBuf {
    beside(path, ORIGINAL)
}

/// Where brawn keeps the original of the file that `path` leads to, and the record, if there are any.
pub fn kept_beside(path: &Path) -> [PathBuf; 2] {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    [original_path(&real), record_path(&real)]
}

/// Where the record of the file at `path` is.
pub(super) fn record_path(path: &Path) -> PathBuf {
    beside(path, RECORD)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}
