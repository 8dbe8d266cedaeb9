//! A file that is being written beside the one whose place it takes.
//!
//! It has a name, `.NAME.brawn-out`, and a lock as long as somebody writes it.  So several may write to one folder at
//! once, nobody has to wait for a lock on the folder, which anybody may hold who can look into it, and what a killed
//! run left is known: nobody has it locked.  The next one that writes a file of that name removes it.

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd as _, BorrowedFd};

/// How many may write the same file at once.
const WRITERS: u32 = 1000;

/// A file that is being written; gone when it is dropped before it has its name.
#[derive(Debug)]
pub(super) struct Staged<'a> {
    folder: BorrowedFd<'a>,
    /// The name that it is to have.
    wanted: &'a OsStr,
    name: OsString,
    file: File,
    is_done: bool,
}

impl<'a> Staged<'a> {
    /// Makes one in `folder`, which is to be `wanted` there.
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
                // Somebody was faster.
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

    /// The file itself, to be written and read.
    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives it the name, and takes it from the file that had it.
    pub(super) fn rename(mut self) -> rustix::io::Result<()> {
        rustix::fs::renameat(self.folder, &self.name, self.folder, self.wanted)?;
        self.is_done = true;
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            // The error that is reported is why it could not be written.
            let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// Removes what a killed run left under that name.  Whether there is nothing now: somebody may be writing it.
fn remove_left(folder: BorrowedFd<'_>, name: &OsStr) -> std::io::Result<bool> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let left = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Ok(left) => left,
        Err(Errno::NOENT) => return Ok(true),
        // Another user's, or no file at all.
        Err(_) => return Ok(false),
    };
    let lock = rustix::fs::flock(left.as_fd(), FlockOperation::NonBlockingLockExclusive);
    // Where files cannot be locked, nobody knows whether it is being written.
    if lock.is_err() || !is_same(folder, name, left.as_fd()) {
        return Ok(false);
    }
    Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty()).is_ok())
}

/// Locks a file that was just made.  Whether it still is the one of that name: before it was locked, somebody may have
/// taken it for a left one.
fn is_ours(folder: BorrowedFd<'_>, name: &OsStr, file: &File) -> std::io::Result<bool> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(is_same(folder, name, file.as_fd())),
        Err(Errno::WOULDBLOCK) => Ok(false),
        // Network filesystems that cannot lock: nobody removes it there either.
        Err(Errno::BADF | Errno::NOLCK | Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => {
            Ok(true)
        }
        Err(e) => {
            let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
            Err(e.into())
        }
    }
}

/// Whether the name is still that of the file.
fn is_same(folder: BorrowedFd<'_>, name: &OsStr, file: BorrowedFd<'_>) -> bool {
    let (Ok(now), Ok(open)) = (
        rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW),
        rustix::fs::fstat(file),
    ) else {
        return false;
    };
    (now.st_dev, now.st_ino) == (open.st_dev, open.st_ino)
}
