//! Opens files for reading: regular files only.
//!
//! A path may lead to anything. Opening a pipe waits for its other end, opening a terminal can make it the process's
//! own, and a device may have no end. So nothing here waits: brawn checks what it has opened before it reads a byte.

use crate::error::Error;
use crate::format::Format;
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
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

/// All of a regular file of one of these formats. Of any other, only the start, which says what it is.
///
/// # Errors
/// Those of [`open`], and of reading.
pub fn read_if(path: &Path, formats: &[Format]) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    match other(&file, formats)? {
        Some(head) => Ok(head),
        None => all(&file),
    }
}

/// The start of an open file, if it is of none of these formats.
pub(crate) fn other(file: &File, formats: &[Format]) -> io::Result<Option<Vec<u8>>> {
    let head = head(file, HEAD)?;
    Ok((!formats.contains(&Format::of(&head))).then_some(head))
}

/// How many bytes say what a file is, and are shown of it.
const HEAD: usize = 4096;

/// The first bytes of a file, at most that many.
///
/// # Errors
/// Those of reading.
pub fn head(file: &File, most: usize) -> io::Result<Vec<u8>> {
    let mut head = vec![0; most];
    let mut filled = 0;
    loop {
        match file.read_at(&mut head[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    head.truncate(filled);
    Ok(head)
}

/// What the filesystem says of an open file.
pub(crate) fn stat(file: &File) -> crate::error::Result<Metadata> {
    file.metadata()
        .map_err(|e| Error::io("cannot look at it", e))
}

/// Whether the error is that nothing has this path.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// The rest of an open regular file, from its current position.
pub(crate) fn all(mut file: &File) -> io::Result<Vec<u8>> {
    let (at, stat) = (file.stream_position()?, file.metadata()?);
    let size = stat.len().saturating_sub(at);
    let mut bytes = match has_holes(&stat) {
        true => {
            let mut bytes = zeros(size)?;
            fill(file, &mut bytes, at, true)?;
            file.seek(SeekFrom::Start(at + size))?;
            bytes
        }
        false => {
            let mut bytes = Vec::new();
            // If memory is short, this fails before a byte is read.
            bytes.try_reserve_exact(length(size)?)?;
            bytes
        }
    };
    file.read_to_end(&mut bytes)?;
    match (bytes.len() as u64) < size {
        true => Err(io::ErrorKind::UnexpectedEof.into()),
        false => Ok(bytes),
    }
}

/// Whether a file is large, and takes much less room on its disk than its size says.
pub fn has_holes(stat: &Metadata) -> bool {
    const LARGE: u64 = 4 << 20;
    stat.len() > LARGE && stat.blocks().saturating_mul(512) < stat.len() - stat.len() / 8
}

/// Memory for so many bytes. It is the kernel's zeroed memory, which takes no room until something else is written to it.
///
/// # Errors
/// There is not enough memory.
pub fn zeros(size: u64) -> io::Result<Vec<u8>> {
    let size = length(size)?;
    // This only checks that there is enough.
    Vec::<u8>::new().try_reserve_exact(size)?;
    Ok(vec![0; size])
}

fn length(size: u64) -> io::Result<usize> {
    usize::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

/// Fills `bytes`, which are [`zeros`], with those of a file from `at` on. If it `has_holes`, nothing is written where only
/// zeros are, so holes take no memory. They are read all the same: where a filesystem says that holes are, data may be that
/// was just written (ZFS until 2.2.2).
///
/// # Errors
/// Those of reading; the file ends before.
pub fn fill(file: &File, bytes: &mut [u8], at: u64, has_holes: bool) -> io::Result<()> {
    const PAGE: usize = 4096;
    if !has_holes {
        return file.read_exact_at(bytes, at);
    }
    let mut scratch = vec![0; 16 * PAGE];
    let mut at = at;
    for part in bytes.chunks_mut(scratch.len()) {
        let read = &mut scratch[..part.len()];
        file.read_exact_at(read, at)?;
        at += read.len() as u64;
        for (to, from) in part.chunks_mut(PAGE).zip(read.chunks(PAGE)) {
            if *from != [0; PAGE][..from.len()] {
                to.copy_from_slice(from);
            }
        }
    }
    Ok(())
}

/// Turns an error of [`open`] into one for the user. `doing` says what could not be done.
pub fn failed(doing: &str, error: io::Error) -> Error {
    let Some(irregular) = irregular(&error) else {
        return Error::io(doing, error);
    };
    let next = match irregular.0 {
        FileType::Fifo => "write it to a file first",
        FileType::Directory => "name a file that is in it",
        _ => "name a file",
    };
    Error::refused(irregular.name().unwrap_or("no regular file"))
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

impl Irregular {
    fn name(&self) -> Option<&'static str> {
        match self.0 {
            FileType::Fifo => Some("a pipe"),
            FileType::Directory => Some("a directory"),
            FileType::CharacterDevice | FileType::BlockDevice => Some("a device"),
            FileType::Socket => Some("a socket"),
            _ => None,
        }
    }
}

impl std::fmt::Display for Irregular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name}, not a regular file"),
            None => f.write_str("not a regular file"),
        }
    }
}

impl std::error::Error for Irregular {}

impl From<Irregular> for io::Error {
    fn from(irregular: Irregular) -> Self {
        Self::new(io::ErrorKind::InvalidInput, irregular)
    }
}

#[cfg(test)]
mod tests;
