//! A file that is written beside another one, to replace it.
//!
//! Its name is `.NAME.brawn-out`, and it is locked while it is written. So several processes can write to one directory
//! at once. None of them waits for a lock on the directory, which everybody may hold who can open it. A file of a killed
//! run has no lock: the next run that writes a file of that name removes it.

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd as _, BorrowedFd};

/// How many processes may write the same file at once.
const WRITERS: u32 = 1000;

/// A file that is being written. It is removed if it is dropped before it gets its final name.
#[derive(Debug)]
pub(super) struct Staged<'a> {
    folder: BorrowedFd<'a>,
    /// Its final name.
    wanted: &'a OsStr,
    name: OsString,
    file: File,
    is_done: bool,
}

impl<'a> Staged<'a> {
    /// Makes one in `folder`. Its final name will be `wanted`.
    pub(super) fn new(
        folder: BorrowedFd<'a>,
        wanted: &'a OsStr,
        mode: u32,
    ) -> std::io::Result<Self> {
        for number in 0..WRITERS {
            let mut name = OsString::from(".");
            name.push(wanted);
            if number > 0 {
                name.push(format!(".{number}"));
            }
            name.push(".brawn-out");
            if !remove_left(folder, &name)? {
                continue;
            }
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let mode = Mode::from_raw_mode(mode);
            let file = match rustix::fs::openat(folder, &name, flags, mode) {
                Ok(file) => File::from(file),
                // Another process was faster.
                Err(Errno::EXIST) => continue,
                Err(e) => return Err(e.into()),
            };
            if is_ours(folder, &name, &file)? {
                return Ok(Self {
                    folder,
                    wanted,
                    name,
                    file,
                    is_done: false,
                });
            }
        }
        Err(std::io::ErrorKind::AlreadyExists.into())
    }

    /// The file, for writing and reading.
    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives it its final name, and so replaces the file of that name.
    pub(super) fn rename(mut self) -> rustix::io::Result<()> {
        rustix::fs::renameat(self.folder, &self.name, self.folder, self.wanted)?;
        self.is_done = true;
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            // The error to report is the one of the failed write.
            let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// Removes the file of that name if a killed run left it. Returns whether the name is free now; it is not if another
/// process is writing the file.
fn remove_left(folder: BorrowedFd<'_>, name: &OsStr) -> std::io::Result<bool> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let left = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Ok(left) => left,
        Err(Errno::NOENT) => return Ok(true),
        Err(e @ Errno::NAMETOOLONG) => return Err(e.into()),
        // Another user's file, or not a regular file.
        Err(_) => return Ok(false),
    };
    let lock = rustix::fs::flock(left.as_fd(), FlockOperation::NonBlockingLockExclusive);
    // If files cannot be locked, nobody knows whether it is being written.
    if lock.is_err() || !is_same(folder, name, left.as_fd()) {
        return Ok(false);
    }
    Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty()).is_ok())
}

/// Locks a file that was just made. Returns whether it still has its name: before it was locked, another process may
/// have taken it for the file of a killed run.
fn is_ours(folder: BorrowedFd<'_>, name: &OsStr, file: &File) -> std::io::Result<bool> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(is_same(folder, name, file.as_fd())),
        Err(Errno::WOULDBLOCK) => Ok(false),
        // Network filesystems that cannot lock files: there nobody removes it either.
        Err(Errno::BADF | Errno::NOLCK | Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => {
            Ok(true)
        }
        Err(e) => {
            let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
            Err(e.into())
        }
    }
}

/// Whether the name still belongs to this file.
fn is_same(folder: BorrowedFd<'_>, name: &OsStr, file: BorrowedFd<'_>) -> bool {
    let (Ok(now), Ok(open)) = (
        rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW),
        rustix::fs::fstat(file),
    ) else {
        return false;
    };
    (now.st_dev, now.st_ino) == (open.st_dev, open.st_ino)
}
