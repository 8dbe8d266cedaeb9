//! Writes new bytes to a file. A kill at any moment leaves either the whole old file or the whole new one.
//!
//! These files may lie beside `libc.a`, all with names made from its name:
//!
//! | name | what it is |
//! |---|---|
//! | `libc.a.brawn-original` | the file before brawn first touched it: the same inode (hard link) where the filesystem allows, else a copy |
//! | `libc.a.brawn.json` | the record: SHA-256 of that original, and of every file that brawn made from it |
//! | `.libc.a.brawn-new`, `.libc.a.brawn-keep`, `.libc.a.brawn-record` | files being written; the next run removes them |
//! | `.libc.a.brawn-swap` | the file that changes places with `libc.a`, and then what came out: the next run looks at it (`recover.rs`) |
//! | `libc.a.brawn-newer` | a newer version that came out when a run was killed; brawn never removes it |
//! | `.libc.a.brawn-out` | a file being written to another path; the next run that writes that file removes it |
//!
//! The order is:
//!
//! 1. Write and sync the new file.
//! 2. Write and sync the record. It names the original and the result, so it is true before and after the exchange.
//! 3. Keep and sync the original.
//! 4. Exchange the names of the new file, now `.libc.a.brawn-swap`, and the old one. If what comes out is not the file that
//!    was read, exchange them again: somebody has put a newer version there.
//!
//! A lock on the directory keeps a second brawn out meanwhile.
//!
//! A rename cannot replace a mount point (EBUSY). So brawn overwrites a mount point in place. Before that, the record
//! notes the inode that is going to be incomplete for a while. If the write is interrupted, the next run finds that
//! note and writes the original back.

pub mod cache;
mod exchange;
mod file;
mod kept;
mod lock;
mod output;
pub mod place;
pub mod private;
mod record;
mod recover;
mod restore;
pub mod run_cache;
mod source;
mod staged;
mod standing;
pub mod trust;
mod walk;
mod write;

use crate::component::Chosen;
use crate::content::Content;
use crate::fingerprint::Fingerprint;
pub use file::{Edited, Notice, Outcome, To, file, open};
pub use output::{check_report, stream_elsewhere, write_elsewhere, write_made_from, write_report};
pub use restore::Restored;
pub use source::Source;
pub use standing::{Standing, is_kept_original, kept_beside, kept_original_of, standing};
pub use write::Stream;

use crate::error::{Error, Result};
use crate::input;
use crate::shown::shown;
use exchange::Exchange;
use record::{InPlace, Record, State};
use rustix::fs::{AtFlags, OFlags};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use write::New;

/// A file to change; its directory is locked.
///
/// It is opened once. What is read, what is kept, and what is replaced is this one file, whatever others put in its place
/// meanwhile.
#[derive(Debug)]
pub struct Target {
    /// The file itself, symlinks resolved.
    path: PathBuf,
    /// Its directory, open and locked.
    folder: File,
    /// The file, open for reading.
    file: File,
    /// What it was when it was opened.
    stat: Metadata,
    /// The record that brawn keeps beside it.
    record: Option<Record>,
    /// Whether opening it rolled back an interrupted write.
    recovered: bool,
    /// Where a newer version of it lies, which another program had put there while a run worked that was then killed.
    newer: Option<PathBuf>,
}

/// What happened to a target.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Published {
    /// Where the original is kept.
    #[serde(serialize_with = "crate::shown::path")]
    pub original: PathBuf,
    /// How many other hard links to the old file there are: they keep the old contents.
    pub other_links: u64,
    /// Whether it was overwritten in place, since it is a mount point.
    pub in_place: bool,
}

impl Target {
    /// Resolves `path`, locks its directory, and repairs what an interrupted run left behind.
    ///
    /// If another brawn holds the lock, `waiting` is called before this one waits.
    pub fn open(path: &Path, waiting: impl FnOnce(&Path)) -> Result<Self> {
        let place = walk::to_write(path)?;
        let failed = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::NotFound => standing::gone(path, &place.path, e),
            _ => input::failed("cannot open it", e).path(path),
        };
        if place.name.is_empty() {
            return Err(input::folder().path(path));
        }
        standing::not_kept(&place.path)?;
        let folder = place.path.parent().unwrap_or(Path::new("/"));
        let handle = walk::listed(&place.folder)
            .map_err(|e| Error::io("cannot open its directory", e).path(folder))?;
        let handle = File::from(handle);
        lock::lock(&handle, lock::PATIENCE, || waiting(folder)).map_err(|e| e.path(folder))?;
        let file = input::at(&handle, Path::new(&place.name), OFlags::NOFOLLOW).map_err(failed)?;
        let stat = file.metadata().map_err(failed)?;
        let mut target = Self {
            path: place.path,
            folder: handle,
            file,
            stat,
            record: None,
            recovered: false,
            newer: None,
        };
        target.recover().map_err(|e| e.path(path))?;
        Ok(target)
    }

    /// The file itself, symlinks resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, for a look at its metadata.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The file's bytes, with the record beside it.
    pub fn read(&self) -> Result<Source> {
        Source::of(self.path.clone(), &self.file, self.record.clone())
    }

    /// The file's bytes from the first one on, for files that are too large for memory.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn again(&self) -> io::Result<impl Read + use<>> {
        Ok(Again(self.file.try_clone()?, 0))
    }

    /// The path at which the original is or would be kept.
    pub fn original(&self) -> PathBuf {
        standing::original_path(&self.path)
    }

    /// Replaces `old`, the result of [`Target::read`], by `new`.
    ///
    /// `has_payload` says that `old` already has a payload of brawn's: then it must not replace an original that is
    /// kept.
    ///
    /// `chosen` is kept in the record, for [`Source::chosen`].
    pub fn publish(
        &self,
        old: &Source,
        new: &Content<'_>,
        has_payload: bool,
        chosen: Option<&Chosen>,
    ) -> Result<Published> {
        let is_checked = old.is_original_known();
        self.publish_unplaced(
            old.fingerprint(),
            New::Content(new),
            has_payload,
            is_checked,
            chosen,
        )
        .map(|(published, _)| published)
        .map_err(|e| e.path(&self.path))
    }

    /// Records what was chosen for a file that stays as brawn made it last.
    pub(super) fn note_chosen(&self, old: &Source, chosen: Option<&Chosen>) -> Result<()> {
        let known = self.record.as_ref();
        let Some(known) = known.filter(|r| r.is_newest(old.fingerprint())) else {
            return Ok(());
        };
        if chosen.is_none() || known.chosen.as_ref() == chosen {
            return Ok(());
        }
        let mut record = known.clone();
        record.chosen = chosen.cloned();
        record.write(self).map_err(|e| e.path(&self.path))
    }

    /// As `publish`, for a file that is too large for memory. Returns the new file's fingerprint; `old` is the fingerprint
    /// of the file as it was read.
    pub fn publish_stream(
        &self,
        old: &Fingerprint,
        new: &mut dyn Stream,
        has_payload: bool,
    ) -> Result<(Published, Fingerprint)> {
        self.publish_unplaced(old, New::Stream(new), has_payload, false, None)
            .map_err(|e| e.path(&self.path))
    }

    fn publish_unplaced(
        &self,
        before: &Fingerprint,
        new: New<'_, '_>,
        has_payload: bool,
        is_original_checked: bool,
        chosen: Option<&Chosen>,
    ) -> Result<(Published, Fingerprint)> {
        let known = self.record.as_ref();
        let state = known.map(|r| r.state(before));
        let is_kept = self.is_kept(state, has_payload, is_original_checked)?;
        let mut record = match (known, state) {
            (Some(known), Some(State::Result | State::Original)) => known.clone(),
            _ => Record::new(before.clone()),
        };

        // An interrupted run may already have kept this inode as the original.
        let own_links = 1 + u64::from(self.is_original(&self.stat));
        let other_links = self.stat.nlink().saturating_sub(own_links);
        let staged = self.beside(".", ".brawn-new");
        let prepare = || {
            let after = write::stage(&staged, new, &self.file)?;
            self.unchanged(&self.first_seen(), before)?;
            record.add_result(after.clone());
            record.chosen = chosen.cloned();
            record.write(self)?;
            if !is_kept {
                self.keep(before)?;
            }
            // A further name is a change, too.
            let seen = self.seen()?;
            self.rename_to_swap(&staged)?;
            self.sync_folder()?;
            self.unchanged(&seen, before)?;
            Ok((self.exchange(&seen, before)?, after))
        };
        let (exchange, after) = match prepare() {
            Ok(done) => done,
            Err(error) => {
                self.abandon(&staged, state.is_none());
                return Err(error);
            }
        };
        let in_place = match exchange {
            Exchange::Renamed => false,
            Exchange::MountPoint => true,
            // What lies where is not known: the next run looks.
            Exchange::Stuck(error) => return Err(error),
        };
        if in_place {
            let swap = self.swap();
            if let Err(error) = self.overwrite(&mut record, before, &swap) {
                // An incomplete file needs the record's note and the original; a whole file needs neither.
                if Fingerprint::of_file(&self.path).is_ok_and(|now| now == *before) {
                    record.in_place = None;
                    // As in `abandon`.
                    let _ = record.write(self);
                    self.abandon(&staged, state.is_none());
                }
                return Err(error);
            }
            // If this fails, the next run removes the file.
            let _ = fs::remove_file(&swap);
        }
        self.folder.sync_all().map_err(write::in_place_unsynced)?;
        // Overwriting in place changes the contents of all links.
        let other_links = if in_place { 0 } else { other_links };
        let published = Published {
            original: self.original(),
            other_links,
            in_place,
        };
        Ok((published, after))
    }

    /// Whether the original is already kept. Fails if the file there must not be replaced.
    fn is_kept(
        &self,
        state: Option<State>,
        has_payload: bool,
        is_original_checked: bool,
    ) -> Result<bool> {
        match state {
            None if fs::symlink_metadata(self.original()).is_ok() => Err(Error::refused(format!(
                "{} is there without its record",
                shown(&self.original())
            ))
            .expected("both or neither")
            .next("move it away, then patch again")),
            Some(State::Changed) if has_payload => Err(self.changed_with_payload()),
            Some(State::Result) => {
                if !is_original_checked {
                    self.check_original(self.record.as_ref())?;
                }
                Ok(true)
            }
            None | Some(State::Original | State::Changed) => Ok(false),
        }
    }

    /// Removes what the preparation left behind. If that fails, the next run does it; the error that led here is the
    /// one to report. Nothing has changed places, or it has changed back.
    fn abandon(&self, staged: &Path, first_time: bool) {
        let _ = fs::remove_file(staged);
        let _ = fs::remove_file(self.swap());
        let _ = fs::remove_file(self.beside(".", ".brawn-keep"));
        let _ = fs::remove_file(self.beside(".", ".brawn-record"));
        if first_time {
            let _ = fs::remove_file(self.original());
            let _ = fs::remove_file(self.record());
        }
    }

    /// Keeps the file as the original: as a hard link if possible, so that `restore` brings back all its attributes.
    /// `read` is what was read of it.
    fn keep(&self, read: &Fingerprint) -> Result<()> {
        if self.is_original(&self.stat) {
            return Ok(());
        }
        let keep = self.beside(".", ".brawn-keep");
        let name = keep.file_name().unwrap_or_default();
        let (folder, flags) = (&self.folder, AtFlags::empty());
        let is_read = match rustix::fs::linkat(folder, self.name(), folder, name, flags) {
            Ok(()) => {
                let inode = |stat: &rustix::fs::Stat| (stat.st_dev, stat.st_ino);
                let kept = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
                let is_same = kept.is_ok_and(|kept| {
                    rustix::fs::fstat(&self.file).is_ok_and(|open| inode(&open) == inode(&kept))
                });
                is_same || self.has(name, read)
            }
            // The filesystem has no hard links, or does not allow them to other users' files.
            Err(_) => self.copy_to(&keep)? == *read,
        };
        if !is_read {
            return Err(exchange::changed());
        }
        self.file
            .sync_all()
            .map_err(|e| Error::io("cannot sync the original", e))?;
        let original = self.original();
        fs::rename(&keep, &original).map_err(|e| write::no_file_beside(&original, e))
    }

    /// Copies the file, with its times.
    fn copy_to(&self, copy: &Path) -> Result<Fingerprint> {
        let copied = write::stage(copy, New::Copy(&self.file), &self.file)?;
        write::copy_times(copy, &self.file)?;
        Ok(copied)
    }

    /// Overwrites a mount point, which contains `old`, with the contents of the file `new`. While it is incomplete,
    /// the record has a note.
    fn overwrite(&self, record: &mut Record, old: &Fingerprint, new: &Path) -> Result<()> {
        let stat = &self.stat;
        let original = self.original();
        // If the original were a hard link, it would be overwritten too.
        if self.is_original(stat) {
            let keep = self.beside(".", ".brawn-keep");
            self.copy_to(&keep)?;
            fs::rename(&keep, &original).map_err(|e| write::no_file_beside(&original, e))?;
        }
        record.in_place = Some(InPlace {
            device: stat.dev(),
            inode: stat.ino(),
        });
        record.write(self)?;
        self.sync_folder()?;
        let new = input::open(new).map_err(|e| Error::io("cannot open it", e).path(new))?;
        write::in_place(&self.path, old.size, &new)?;
        record.in_place = None;
        record.write(self)
    }

    /// The kept original. Fails if it is not the one that the record names.
    fn check_original(&self, record: Option<&Record>) -> Result<File> {
        standing::check_original(&self.folder, &self.original(), &self.stat, record)
    }

    /// The file's current fingerprint.
    fn fingerprint(&self) -> Result<Fingerprint> {
        let mut file = Again(self.file.try_clone().map_err(read_failed)?, 0);
        Fingerprint::of_open(&mut file).map_err(read_failed)
    }

    fn changed_with_payload(&self) -> Error {
        Error::refused("it holds a payload of brawn's, but is not a file that brawn wrote here")
            .expected("the file as brawn wrote it, or one without a payload")
            .next(format!(
                "put the original back with `mv {} {}`, remove {}, and patch again",
                shown(&self.original()),
                shown(&self.path),
                shown(&self.record())
            ))
    }

    /// Whether the kept original is a hard link to the inode of `stat`.
    fn is_original(&self, stat: &fs::Metadata) -> bool {
        fs::symlink_metadata(self.original())
            .is_ok_and(|kept| (kept.ino(), kept.dev()) == (stat.ino(), stat.dev()))
    }

    fn record(&self) -> PathBuf {
        standing::record_path(&self.path)
    }

    /// Its name in its directory.
    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    fn beside(&self, before: &str, after: &str) -> PathBuf {
        let mut name = OsString::from(before);
        name.push(self.name());
        name.push(after);
        self.path.with_file_name(name)
    }

    fn sync_folder(&self) -> Result<()> {
        self.folder
            .sync_all()
            .map_err(|e| Error::io("cannot sync its directory", e))
    }
}

fn read_failed(error: io::Error) -> Error {
    Error::io("cannot read it", error)
}

/// Reads an open file from the first byte on, wherever others read it.
struct Again(File, u64);

impl Read for Again {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read_at(to, self.1)?;
        self.1 += read as u64;
        Ok(read)
    }
}

/// Whether brawn keeps a record beside the file that `path` leads to: not beside a link to it.
pub fn has_record(path: &Path) -> bool {
    let [_, record] = kept_beside(path);
    record.exists()
}
