//! Puts originals back.

use super::exchange::{self, Exchange, Seen};
use super::record::{Record, State};
use super::{InPlace, Target, standing, write};
use crate::advice::Advice;
use crate::error::{Error, Kind, Result};
use crate::fingerprint::Fingerprint;
use crate::shown::shown;
use std::fs::{self, File};
use std::io::Seek as _;
use std::os::unix::fs::MetadataExt as _;

/// What happened to a file that was to be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restored {
    /// The original is back.
    Restored,
    /// The file was already the original (a run was interrupted, or the package was installed again). brawn removed
    /// what it kept beside it.
    AlreadyOriginal,
}

impl Target {
    /// Puts the original back, to the byte, and removes what brawn kept.
    pub fn restore(&self) -> Result<Restored> {
        self.restore_unplaced().map_err(|e| e.path(&self.path))
    }

    fn restore_unplaced(&self) -> Result<Restored> {
        let Some(mut record) = self.record.clone() else {
            return Err(Error::restore_refused(format!(
                "nothing to restore: brawn keeps no original of it (no {})",
                shown(&self.record())
            ))
            .next("if brawn's heap is in it all the same, build or install it again"));
        };
        let now = self.fingerprint()?;
        match record.state(&now) {
            State::Original => {
                self.check_forgotten(&record)?;
                self.forget()?;
                return Ok(Restored::AlreadyOriginal);
            }
            State::Changed => {
                return Err(Error::restore_refused("it is not the file that brawn wrote: something else has replaced or changed it, as a package \
                     upgrade or `strip` does",
                )
                .next(format!(
                    "to keep it as it is, remove {0} and {1}; to have the old original all the same, `mv {0} {2}` \
                     and remove {1}; if it is a new version, patch or rewrite that as before",
                    shown(&self.original()),
                    shown(&self.record()),
                    shown(&self.path)
                )));
            }
            State::Result => {}
        }
        let original = self
            .check_original(Some(&record))
            .map_err(|e| self.no_original(e))?;
        self.unchanged(&self.first_seen(), &now)?;
        write::copy_rights(&self.file, &original).map_err(|e| e.path(&self.original()))?;
        match self.put_back(&original, &record, &now) {
            Ok(Exchange::Renamed) => {}
            Ok(Exchange::MountPoint) => {
                self.take_original_back()?;
                record.in_place = Some(InPlace {
                    device: self.stat.dev(),
                    inode: self.stat.ino(),
                });
                record.write(self)?;
                self.sync_folder()?;
                write::in_place(&self.path, now.size, &original)?;
            }
            Ok(Exchange::Stuck(error)) => return Err(error),
            Err(error) => {
                // If this fails, the next run does it; the error to report is the first one.
                let _ = self.take_original_back();
                return Err(error);
            }
        }
        self.folder.sync_all().map_err(|e| {
            Error::io(
                "the original is back, but may be lost if power fails: cannot sync its directory",
                e,
            )
            .next(format!(
                "check the disk, then run {} again",
                Advice::Restore(None)
            ))
        })?;
        self.forget()?;
        Ok(Restored::Restored)
    }

    /// Lets the original, which was checked, change places with the file, whose contents are `now`.
    fn put_back(&self, original: &File, record: &Record, now: &Fingerprint) -> Result<Exchange> {
        let checked = rustix::fs::fstat(original);
        let checked = Seen::from(&checked.map_err(|e| Error::io("cannot look at it", e))?);
        self.lend_original()?;
        // What is put in the file's place is what was checked.
        let swap = self.swap();
        let name = swap.file_name().unwrap_or_default();
        let is_checked = self.named(name).is_ok_and(|n| n.is_same_file(&checked));
        if !is_checked && !self.has(name, &record.original) {
            return Err(exchange::changed());
        }
        self.exchange(&self.first_seen(), now)
    }

    /// The error if there is nothing to restore from, whatever the reason.
    fn no_original(&self, error: Error) -> Error {
        match error.kind() {
            Kind::Io | Kind::Refused => {
                Error::restore_refused(error.without_path().to_string()).path(&self.original())
            }
            _ => error,
        }
    }

    /// Fails if the file under the original's name is one that nobody else has: neither the original, nor what brawn
    /// made from it.  A run that was killed while it restored may have put a newer version there.
    fn check_forgotten(&self, record: &Record) -> Result<()> {
        let path = self.original();
        match standing::check_original(&self.folder, &path, &self.stat, None) {
            Ok(mut kept) => {
                kept.rewind()
                    .map_err(|e| Error::io("cannot read it", e).path(&path))?;
                let found = Fingerprint::of_open(&mut kept);
                let found = found.map_err(|e| Error::io("cannot read it", e).path(&path))?;
                match record.state(&found) {
                    State::Original | State::Result => Ok(()),
                    State::Changed => Err(Error::restore_refused("the file itself is the original, but under the original's name is another file",
                    )
                    .path(&path)
                    .next("look at it; then remove it, or put it in the file's place")),
                }
            }
            Err(e) if e.os() == Some(std::io::ErrorKind::NotFound) => Ok(()),
            Err(e) => Err(self.no_original(e)),
        }
    }

    /// Removes what brawn kept. The original goes first: without its record nobody would know what it is.
    fn forget(&self) -> Result<()> {
        for path in [self.original(), self.record()] {
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(Error::io("cannot remove it", e).path(&path)),
            }
            self.sync_folder()?;
        }
        Ok(())
    }
}
