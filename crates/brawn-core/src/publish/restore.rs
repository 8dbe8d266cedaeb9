//! Puts originals back.

use super::record::State;
use super::write::{self, Exchange};
use super::{InPlace, Target};
use crate::advice::Advice;
use crate::error::{Error, Kind, Result};
use crate::shown::shown;
use std::fs;
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
            return Err(Error::new(
                Kind::RestoreRefused,
                format!(
                    "nothing to restore: brawn keeps no original of it (no {})",
                    shown(&self.record())
                ),
            )
            .next("if brawn's heap is in it all the same, build or install it again"));
        };
        let now = self.fingerprint()?;
        match record.state(&now) {
            State::Original => {
                self.forget()?;
                return Ok(Restored::AlreadyOriginal);
            }
            State::Changed => {
                return Err(Error::new(
                    Kind::RestoreRefused,
                    "it is not the file that brawn wrote: something else has replaced or changed it, as a package \
                     upgrade does",
                )
                .next(format!(
                    "to keep it as it is, remove {0} and {1}; to have the old original all the same, `mv {0} {2}` \
                     and remove {1}; to patch or rewrite it, run brawn again",
                    shown(&self.original()),
                    shown(&self.record()),
                    shown(&self.path)
                )));
            }
            State::Result => {}
        }
        let original = self.check_original(Some(&record)).map_err(|e| {
            // Any error here means that there is nothing to restore from.
            if e.kind() == Kind::Io {
                Error::new(Kind::RestoreRefused, e.without_path().to_string())
                    .path(&self.original())
            } else {
                e
            }
        })?;
        match write::exchange(&self.original(), &self.path)? {
            Exchange::Renamed => {}
            Exchange::MountPoint => {
                let stat =
                    fs::metadata(&self.path).map_err(|e| Error::io("cannot look at it", e))?;
                record.in_place = Some(InPlace {
                    device: stat.dev(),
                    inode: stat.ino(),
                });
                record.write(self)?;
                self.sync_folder()?;
                write::in_place(&self.path, now.size, &original)?;
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
