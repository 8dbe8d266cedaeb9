//! Repairs what a killed run left behind.
//!
//! Files that were being written are removed: nothing else ever has their names. But what changed places with the target may
//! be a newer version of it, which another program had put there. So its name is not removed before its contents were
//! compared with the record, which was written before.

use super::record::{Record, State};
use super::{Target, write};
use crate::error::{Error, Kind, Result};
use crate::fingerprint::Fingerprint;
use crate::input;
use crate::shown::shown;
use rustix::fs::{AtFlags, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// How many newer versions are kept beside one file.
const NEWER: u32 = 1000;

impl Target {
    /// Repairs what an interrupted run left behind.
    pub(super) fn recover(&mut self) -> Result<()> {
        for suffix in [".brawn-new", ".brawn-keep", ".brawn-record"] {
            // If the directory cannot be written, the error is reported when something is to be written.
            let _ = fs::remove_file(self.beside(".", suffix));
        }
        self.record = Record::read(&self.folder, &self.record(), &self.stat)?;
        self.newer = self.look_at_swap()?;
        let Some((mut record, torn)) = self
            .record
            .clone()
            .and_then(|r| r.in_place.map(|torn| (r, torn)))
        else {
            return Ok(());
        };
        let now = self.fingerprint()?;
        if record.state(&now) == State::Changed {
            if (self.stat.dev(), self.stat.ino()) != (torn.device, torn.inode) {
                return Err(Error::restore_refused("a write in place was interrupted, and the file that is here now is another one",
                )
                .next(format!(
                    "mount that file here again, or, if it is gone, remove {} and {}",
                    shown(&self.original()),
                    shown(&self.record())
                )));
            }
            let original = self.check_original(Some(&record))?;
            write::in_place(&self.path, now.size, &original)?;
            self.recovered = true;
            self.stat = input::stat(&self.file)?;
        }
        record.in_place = None;
        record.write(self)?;
        self.record = Some(record);
        self.sync_folder()
    }

    /// The name under which a file changes places with the target.
    pub(super) fn swap(&self) -> PathBuf {
        self.beside(".", ".brawn-swap")
    }

    /// Gives the complete new file `from` the name under which it changes places.
    pub(super) fn rename_to_swap(&self, from: &Path) -> Result<()> {
        self.rename_if_free(name(from), name(&self.swap()))
            .map_err(|e| not_free(&self.swap(), e))
    }

    /// Gives the kept original, too, the name under which it changes places: by a link, so that it stays where it is until
    /// the target is the original. Where there are no hard links, the original is renamed.
    pub(super) fn lend_original(&self) -> Result<()> {
        let (from, to) = (self.original(), self.swap());
        let folder = &self.folder;
        match rustix::fs::linkat(folder, name(&from), folder, name(&to), AtFlags::empty()) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(not_free(&to, Errno::EXIST)),
            Err(_) => self
                .rename_if_free(name(&from), name(&to))
                .map_err(|e| not_free(&to, e)),
        }
    }

    /// Undoes [`Self::lend_original`], if nothing has changed places.
    pub(super) fn take_original_back(&self) -> Result<()> {
        let folder = &self.folder;
        let (swap, original) = (self.swap(), self.original());
        match self.rename_if_free(name(&swap), name(&original)) {
            Err(Errno::EXIST) => rustix::fs::unlinkat(folder, name(&swap), AtFlags::empty()),
            renamed => renamed,
        }
        .or_else(|e| match e {
            Errno::NOENT => Ok(()),
            e => Err(Error::io("cannot rename the kept original back", e).path(&swap)),
        })
    }

    /// Looks at what lies under the name for changing places. What the record knows is removed; the original is first put
    /// back where it is kept, if it is not there. Anything else is a newer version of the target: it is kept under another
    /// name, which is returned.
    fn look_at_swap(&self) -> Result<Option<PathBuf>> {
        let swap = self.swap();
        match self.named(name(&swap)) {
            Ok(_) => {}
            // Nothing can have a name that is too long.
            Err(Errno::NOENT | Errno::NAMETOOLONG) => return Ok(None),
            Err(e) => return Err(Error::io("cannot look at it", e).path(&swap)),
        }
        match self.state_of(name(&swap)) {
            // If the directory cannot be written, the error is reported when something is to be written.
            Some(State::Original) => {
                let original = self.original();
                let is_kept = self.named(name(&original)).is_ok();
                if !is_kept || self.state_of(name(&original)) == Some(State::Original) {
                    let _ = self.take_original_back();
                }
                Ok(None)
            }
            Some(State::Result) => {
                let _ = rustix::fs::unlinkat(&self.folder, name(&swap), AtFlags::empty());
                Ok(None)
            }
            Some(State::Changed) | None => self.keep_newer(&swap).map(Some),
        }
    }

    /// How the file of a name relates to the record; `None` if there is no record, or the file cannot be read. Only a file of
    /// a size that is known is read.
    fn state_of(&self, name: &OsStr) -> Option<State> {
        use std::os::fd::AsFd as _;
        let record = self.record.as_ref()?;
        let file = input::at(self.folder.as_fd(), Path::new(name), OFlags::NOFOLLOW);
        let mut file = file.ok()?;
        let size = file.metadata().ok()?.len();
        if !record.has_size(size) {
            return Some(State::Changed);
        }
        Some(record.state(&Fingerprint::of_open(&mut file).ok()?))
    }

    /// Renames a newer version to a name that brawn never removes.
    fn keep_newer(&self, swap: &Path) -> Result<PathBuf> {
        for number in 0..NEWER {
            let ending = match number {
                0 => ".brawn-newer".to_owned(),
                number => format!(".brawn-newer.{number}"),
            };
            let newer = self.beside("", &ending);
            match self.rename_if_free(name(swap), name(&newer)) {
                Ok(()) => return Ok(newer),
                Err(Errno::EXIST) => {}
                // It stays where it is. To write, brawn needs this name, and then says that it is taken.
                Err(_) => return Ok(swap.to_path_buf()),
            }
        }
        Err(not_free(swap, Errno::EXIST))
    }

    /// Renames within the directory, if nothing has the new name.
    pub(super) fn rename_if_free(&self, from: &OsStr, to: &OsStr) -> rustix::io::Result<()> {
        let folder = &self.folder;
        match rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
            // The filesystem cannot do it. The lock keeps other brawns out, and nobody else makes such names.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match self.named(to) {
                Ok(_) => Err(Errno::EXIST),
                Err(Errno::NOENT) => rustix::fs::renameat(folder, from, folder, to),
                Err(e) => Err(e),
            },
            renamed => renamed,
        }
    }
}

fn name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// The error if a file cannot be given the name for changing places.
fn not_free(swap: &Path, error: Errno) -> Error {
    match error {
        Errno::EXIST => Error::new(Kind::Refused, "brawn needs this name, and something has it")
            .path(swap)
            .expected("no such file")
            .next("look at it: it may be a newer version of the file; then move it away"),
        e => Error::io("cannot rename the new file", e).path(swap),
    }
}

#[cfg(test)]
mod tests;
