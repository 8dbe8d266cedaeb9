//! Puts a new file in the place of the one that was read, and of no other.
//!
//! Another program may replace the file while brawn works: a package manager, a compiler. Its new version must not be
//! lost. So the two files change places in one step, and brawn looks at what came out. If that is not the file that was
//! read, they change back. If brawn is killed before, what came out lies under a name of its own, `.NAME.brawn-swap`, and the next
//! run looks at it (`recover.rs`).

use super::Target;
use crate::error::{Error, Kind, Result};
use crate::fingerprint::Fingerprint;
use crate::input;
use crate::shown::shown;
use rustix::fs::{AtFlags, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// How a new file replaced the old one.
#[derive(Debug)]
pub(super) enum Exchange {
    /// By its name.
    Renamed,
    /// Not at all yet: the old file is a mount point.
    MountPoint,
    /// It has, but what came out is a newer version, which could not be put back.
    Stuck(Error),
}

/// Everything by which a file is known without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    inode: (u64, u64),
    size: i64,
    modified: (i64, u64),
    /// The time of the last change of any kind; new names count, too.
    changed: (i64, u64),
}

impl From<&Metadata> for Seen {
    fn from(stat: &Metadata) -> Self {
        let nanoseconds = |n: i64| u64::try_from(n).unwrap_or_default();
        Self {
            inode: (stat.dev(), stat.ino()),
            size: i64::try_from(stat.size()).unwrap_or(i64::MAX),
            modified: (stat.mtime(), nanoseconds(stat.mtime_nsec())),
            changed: (stat.ctime(), nanoseconds(stat.ctime_nsec())),
        }
    }
}

impl From<&Stat> for Seen {
    fn from(stat: &Stat) -> Self {
        Self {
            inode: (stat.st_dev, stat.st_ino),
            size: stat.st_size,
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
        }
    }
}

impl Seen {
    /// Whether it is the same file with the same bytes, perhaps under other names.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.inode, self.size, self.modified) == (other.inode, other.size, other.modified)
    }
}

impl Target {
    /// What was known of the file when it was opened.
    pub(super) fn first_seen(&self) -> Seen {
        (&self.stat).into()
    }

    /// What is known of the open file now.
    pub(super) fn seen(&self) -> Result<Seen> {
        let stat = rustix::fs::fstat(&self.file);
        Ok((&stat.map_err(|e| Error::io("cannot look at it", e))?).into())
    }

    /// Fails if the file of the target's name is not the one that was `seen` with the contents `read`.
    pub(super) fn unchanged(&self, seen: &Seen, read: &Fingerprint) -> Result<()> {
        let now = self.named(self.name());
        match now.is_ok_and(|now| now == *seen) || self.has(self.name(), read) {
            true => Ok(()),
            false => Err(changed()),
        }
    }

    /// Puts the file of [`Target::swap`] in the place of the target, which was `seen` with the contents `read`. Afterwards
    /// nothing has that name, unless the target is a mount point.
    ///
    /// If another version has come in between, it stays, and this fails. Then, as after any other failure, the new file is
    /// under that name, or nothing is.
    pub(super) fn exchange(&self, seen: &Seen, read: &Fingerprint) -> Result<Exchange> {
        let swap = self.swap();
        let new = swap.file_name().unwrap_or_default();
        let failed = |e: Errno| {
            let error = Error::io("cannot rename the new file over it", e);
            match e {
                // Also in a directory with the sticky bit.
                Errno::PERM => error.next("only its owner may change it, and nobody while `lsattr` shows `i` or `a` for it"),
                _ => error,
            }
        };
        let mut placed = self.named(new).map_err(failed)?;
        match self.change_places(new) {
            Ok(()) => {}
            Err(Errno::BUSY) => return Ok(Exchange::MountPoint),
            Err(Errno::NOENT) => return Err(changed()),
            // The filesystem cannot do it. Then a moment is left between the last look and the rename.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                self.unchanged(seen, read)?;
                let folder = &self.folder;
                return match rustix::fs::renameat(folder, new, folder, self.name()) {
                    Ok(()) => Ok(Exchange::Renamed),
                    Err(Errno::BUSY) => Ok(Exchange::MountPoint),
                    Err(e) => Err(failed(e)),
                };
            }
            Err(e) => return Err(failed(e)),
        }
        match self.look_at_what_came_out(new, &mut placed, seen, read) {
            Ok(true) => Ok(Exchange::Renamed),
            Ok(false) => Err(changed()),
            Err(e) => Ok(Exchange::Stuck(self.stuck(new, e))),
        }
    }

    /// Lets the file and the one under the name `new` change places.
    fn change_places(&self, new: &OsStr) -> rustix::io::Result<()> {
        let folder = &self.folder;
        rustix::fs::renameat_with(folder, new, folder, self.name(), RenameFlags::EXCHANGE)
    }

    /// Whether what came out is the file that was read, which is then removed. Otherwise it goes back.
    fn look_at_what_came_out(
        &self,
        new: &OsStr,
        placed: &mut Seen,
        seen: &Seen,
        read: &Fingerprint,
    ) -> rustix::io::Result<bool> {
        let mut out = self.named(new)?;
        if out.is_same_file(seen) || self.has(new, read) {
            // If this fails, the next run removes it.
            let _ = rustix::fs::unlinkat(&self.folder, new, AtFlags::empty());
            return Ok(true);
        }
        // If an even newer version comes out then, that one goes back, and so on.
        loop {
            match self.change_places(new) {
                Ok(()) => {}
                // Somebody has removed the new file.
                Err(Errno::NOENT) => match self.rename_if_free(new, self.name()) {
                    Ok(()) => return Ok(false),
                    // And now put another one there.
                    Err(Errno::EXIST) => continue,
                    Err(e) => return Err(e),
                },
                Err(e) => return Err(e),
            }
            let came = self.named(new)?;
            if came.is_same_file(placed) {
                return Ok(false);
            }
            (*placed, out) = (out, came);
        }
    }

    /// The error for a newer version under the name `new` that could not be put back.
    fn stuck(&self, new: &OsStr, e: Errno) -> Error {
        let lies = self.path.with_file_name(new);
        Error::io(
            "it changed while brawn was working on it, and cannot be put back",
            e,
        )
        .next(format!(
            "the newer version is {}: rename it yourself, or run brawn again, which keeps it",
            shown(&lies)
        ))
    }

    /// What is known of a name in the directory.
    pub(super) fn named(&self, name: &OsStr) -> rustix::io::Result<Seen> {
        let stat = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok((&stat).into())
    }

    /// Whether the file of a name in the directory has the contents `read`. On overlay filesystems a file may become
    /// another inode by being linked, and a file that is written again with the same bytes is not a newer version.
    pub(super) fn has(&self, name: &OsStr, read: &Fingerprint) -> bool {
        let file = input::at(self.folder.as_fd(), Path::new(name), OFlags::NOFOLLOW);
        let Ok(mut file) = file else {
            return false;
        };
        file.metadata().is_ok_and(|stat| stat.len() == read.size)
            && Fingerprint::of_open(&mut file).is_ok_and(|now| now == *read)
    }
}

/// The error for a file that another program has replaced or changed meanwhile.
pub(super) fn changed() -> Error {
    Error::new(Kind::Io, "it changed while brawn was working on it")
        .next("the newer version stays as it is; try again")
}

#[cfg(test)]
mod tests;
