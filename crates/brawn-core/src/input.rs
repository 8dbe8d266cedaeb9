//! Opens files for reading: regular files only.
//!
//! A path may lead to anything. Opening a pipe waits for its other end, opening a terminal can make it the process's
//! own, and a device may have no end. So nothing here waits: brawn checks what it has opened before it reads a byte.

use crate::error::{Error, Kind};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a regular file for reading; links are followed.
///
/// # Errors
/// The error of the system. [`is_irregular`] tells whether the path is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    at(rustix::fs::CWD, path, OFlags::empty())
}

/// The same for a path below an open directory, with further flags.
pub(crate) fn at(folder: impl std::os::fd::AsFd, path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match rustix::fs::openat(&folder, path, flags, Mode::empty()) {
        Ok(file) => file,
        // The kernel says this of a socket, and of a device without a driver.
        Err(Errno::NXIO) => {
            let look = rustix::fs::statat(&folder, path, rustix::fs::AtFlags::empty());
            let kind = look.map_or(FileType::Unknown, |s| FileType::from_raw_mode(s.st_mode));
            return Err(Irregular(kind).into());
        }
        Err(e) => return Err(e.into()),
    };
    regular(FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode))?;
    Ok(file.into())
}

/// Fails with [`open`]'s error for anything that is not a regular file.
pub(crate) fn regular(kind: FileType) -> io::Result<()> {
    match kind {
        FileType::RegularFile => Ok(()),
        kind => Err(Irregular(kind).into()),
    }
}

/// The error for a directory.
pub(crate) fn folder() -> Error {
    failed("cannot open it", Irregular(FileType::Directory).into())
}

/// All of a regular file; links are followed.
///
/// # Errors
/// Those of [`open`], and of reading.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    all(&open(path)?)
}

/// The rest of an open regular file, from its current position.
pub(crate) fn all(mut file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // If memory is short, this fails before a byte is read.
    let size = usize::try_from(file.metadata()?.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    bytes.try_reserve_exact(size)?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Turns an error of [`open`] into one for the user. `doing` says what could not be done.
pub fn failed(doing: &str, error: io::Error) -> Error {
    match irregular(&error) {
        Some(Irregular(FileType::Fifo)) => irregular_error("a pipe", "write it to a file first"),
        Some(Irregular(FileType::Directory)) => {
            irregular_error("a directory", "name a file that is in it")
        }
        Some(Irregular(kind)) => {
            let found = match kind {
                FileType::CharacterDevice | FileType::BlockDevice => "a device",
                FileType::Socket => "a socket",
                _ => "no regular file",
            };
            irregular_error(found, "name a file")
        }
        None => Error::io(doing, error),
    }
}

fn irregular_error(found: &str, next: &str) -> Error {
    Error::new(Kind::Refused, found)
        .expected("a regular file")
        .next(next)
}

/// Whether [`open`] failed because the path is not a regular file.
pub fn is_irregular(error: &io::Error) -> bool {
    irregular(error).is_some()
}

fn irregular(error: &io::Error) -> Option<&Irregular> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

/// A file that is not a regular file.
#[derive(Debug)]
struct Irregular(FileType);

impl std::fmt::Display for Irregular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            FileType::Fifo => "a pipe, not a regular file",
            FileType::Directory => "a directory, not a regular file",
            FileType::CharacterDevice | FileType::BlockDevice => "a device, not a regular file",
            FileType::Socket => "a socket, not a regular file",
            _ => "not a regular file",
        })
    }
}

impl std::error::Error for Irregular {}

impl From<Irregular> for io::Error {
    fn from(irregular: Irregular) -> Self {
        Self::new(io::ErrorKind::InvalidInput, irregular)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::CWD;

    #[test]
    fn nothing_but_regular_files_is_opened_and_nothing_waits() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(CWD, path("pipe"), FileType::Fifo, mode, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        std::os::unix::fs::symlink(path("pipe"), path("link")).unwrap();
        std::fs::write(path("file"), "bytes").unwrap();
        std::os::unix::fs::symlink(path("file"), path("good")).unwrap();
        for (path, what) in [
            (path("pipe"), "a pipe"),
            (path("link"), "a pipe"),
            (path("socket"), "a socket"),
            (root.path().into(), "a directory"),
            ("/dev/zero".into(), "a device"),
            ("/dev/tty".into(), "a device"),
        ] {
            let error = read(&path).unwrap_err();
            assert!(is_irregular(&error), "{}: {error}", path.display());
            let error = failed("cannot read it", error);
            assert!(error.to_string().starts_with(what), "{error}");
            assert_eq!(error.kind(), Kind::Refused);
        }
        assert_eq!(read(&path("good")).unwrap(), b"bytes");
        let error = failed("cannot read it", read(&path("none")).unwrap_err());
        assert_eq!(error.kind(), Kind::Io);
    }
}
