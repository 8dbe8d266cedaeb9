//! Files that a command writes at a path which the user names: new programs, images, reports. All of them are written in
//! one way.
//!
//! - A file is written under another name and renamed, so nobody sees half of it. A killed run leaves `.NAME.brawn-out`,
//!   which the next one removes.
//! - In a directory where everybody may make files, another user's link is not followed, whatever the kernel's settings.
//! - The file that is replaced gives its owner, but no right that somebody gave to its bytes.

use super::staged::Staged;
use super::standing::{not_kept, original_path, record_path};
use super::walk::{self, Reached};
use super::write::{
    New, Stream, copy_owner, fill, in_place_unsynced, mode_without_acl, no_new_file, put, set_mode,
    sync,
};
use crate::advice::Advice;
use crate::content::Content;
use crate::error::{Error, Kind, Result};
use crate::fingerprint::Fingerprint;
use crate::input;
use crate::shown::shown;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Writes `content` to `out` atomically, and leaves `from` alone. The new file gets the mode of `from`, without setuid and
/// setgid. Of a file that it replaces, it has the owner and nothing else: rights and signatures were given to other bytes.
///
/// In a directory where everybody may write, another user's link is not followed. Nobody waits: if two processes write
/// the same file at once, the last one's stays.
///
/// An existing file is replaced by a synced file, so a power failure leaves the old one or the new one. A new file is
/// not synced, like a compiler's output: `from` is still there to make it again.
pub fn write_elsewhere(from: &Path, out: &Path, content: &Content<'_>) -> Result<()> {
    let next = "change it in place, or write to another file";
    elsewhere(from, out, 0o777, next, |file| put(file, content))
}

/// The same for a file that is made from the program `from`, but is not a program: nobody may execute it.
pub fn write_made_from(from: &Path, out: &Path, content: &Content<'_>) -> Result<()> {
    let next = "write to another file";
    elsewhere(from, out, 0o666, next, |file| put(file, content))
}

/// Like [`write_elsewhere`], for contents that are too large for memory. Returns the new file's fingerprint.
pub fn stream_elsewhere(from: &Path, out: &Path, stream: &mut dyn Stream) -> Result<Fingerprint> {
    let next = "change it in place, or write to another file";
    elsewhere(from, out, 0o777, next, |file| {
        fill(file, New::Stream(stream))
    })
}

/// Writes a report: a file that is made from no other one. The new file gets the permissions of the one that it replaces,
/// or else those that the user's umask gives. A pipe or a device is written to as it is.
///
/// # Errors
/// Those of [`write_elsewhere`]; nobody reads the pipe.
pub fn write_report(out: &Path, bytes: &[u8]) -> Result<()> {
    match there_or_stream(out)? {
        There::Stream => pour(out, bytes),
        There::File => replace(out, None, |file| put(file, &bytes.into())),
    }
}

/// Fails if nothing can be written to `out`, as far as that can be known before: reports take a while to make.
///
/// # Errors
/// Those of [`write_report`].
pub fn check_report(out: &Path) -> Result<()> {
    if there_or_stream(out)? == There::Stream {
        return not_through_others(out);
    }
    let place = place_of(out)?;
    refuse_kept(&place.path).map_err(|e| e.path(out))?;
    // It is removed at once.
    let staged = Staged::new(place.folder.as_fd(), &place.name, 0o600);
    staged.map(drop).map_err(|e| no_new_file(out, e))
}

/// Writes to a pipe or a device.
fn pour(out: &Path, bytes: &[u8]) -> Result<()> {
    not_through_others(out)?;
    let failed = |e: Errno| match e {
        Errno::NXIO => Error::io("nobody reads from it", e)
            .path(out)
            .expected("a file, or a pipe with a reader")
            .next("start its reader first"),
        e => Error::io("cannot write it", e).path(out),
    };
    // This does not wait for a reader.
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(out, flags, Mode::empty()).map_err(failed)?;
    let flags = rustix::fs::fcntl_getfl(&file).map_err(failed)?;
    rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK).map_err(failed)?;
    let mut file = File::from(file);
    file.write_all(bytes)
        .map_err(|e| Error::io("cannot write it", e).path(out))
}

/// Fails for a path through another user's link. What cannot be followed by names, such as `/dev/stdout`, the kernel
/// follows.
fn not_through_others(out: &Path) -> Result<()> {
    match walk::to_write(out) {
        Err(e) if e.kind() == Kind::Refused => Err(e),
        _ => Ok(()),
    }
}

/// Writes what `fill` puts into the new file, with the permissions of `from` that are in `mask`. If `out` is the input
/// itself, `next` is the advice.
fn elsewhere<T>(
    from: &Path,
    out: &Path,
    mask: u32,
    next: &str,
    fill: impl FnOnce(&mut File) -> Result<T>,
) -> Result<T> {
    let source = input::open(from).map_err(|e| input::failed("cannot open it", e).path(from))?;
    let stat = input::stat(&source).map_err(|e| e.path(from))?;
    if let Some(there) = there(out)?
        && (there.dev(), there.ino()) == (stat.dev(), stat.ino())
    {
        let error = Error::usage("the file to write is the input itself");
        return Err(error.path(out).next(next));
    }
    replace(out, Some(mode_without_acl(&source, &stat) & mask), fill)
}

/// Refuses to write over a file of which brawn keeps an original: that would no longer be this file's.
fn refuse_kept(path: &Path) -> Result<()> {
    let is_there = |path: &Path| fs::symlink_metadata(path).is_ok();
    if !is_there(path) || !is_there(&record_path(path)) {
        return Ok(());
    }
    let found = format!("brawn keeps its original, {}", shown(&original_path(path)));
    Err(Error::refused(found)
        .expected("a file that brawn did not change in place")
        .next(format!(
            "{}, or write to another file",
            Advice::Restore(None)
        )))
}

/// Writes what `fill` puts into the new file. Without a `mode`, it gets that of the file that it replaces.
fn replace<T>(
    out: &Path,
    mode: Option<u32>,
    fill: impl FnOnce(&mut File) -> Result<T>,
) -> Result<T> {
    super::place::no_stream(out)?;
    there(out)?;
    let place = place_of(out)?;
    refuse_kept(&place.path).map_err(|e| e.path(out))?;
    // Checked again, through the directory that it is written to.
    let like = match input::at(&place.folder, Path::new(&place.name), OFlags::NOFOLLOW) {
        Ok(like) => Some(like.metadata()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        // It may be written to, but not read.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            Some(fs::symlink_metadata(&place.path))
        }
        Err(e) => return Err(input::failed("cannot open it", e).path(out)),
    };
    let like = like.transpose();
    let like = like.map_err(|e| Error::io("cannot look at it", e).path(out))?;
    let mode = mode.or(like.as_ref().map(|like| like.mode() & 0o777));
    // Others cannot read it until its owner and mode are set.
    let first = if mode.is_some() { 0o600 } else { 0o666 };
    let mut staged = Staged::new(place.folder.as_fd(), &place.name, first)
        .map_err(|e| no_new_file(&place.path, e))?;
    let finish = |file: &File| {
        if let Some(like) = &like {
            copy_owner(like, file)?;
        }
        mode.map_or(Ok(()), |mode| set_mode(file, mode))?;
        like.as_ref().map_or(Ok(()), |_| sync(file))
    };
    let written = fill(staged.file()).and_then(|written| finish(staged.file()).map(|()| written));
    let written = written.map_err(|e| e.path(out))?;
    staged.rename().map_err(|e| match e {
        Errno::BUSY => Error::new(Kind::Io, "it is a mount point")
            .path(out)
            .next("write to another name"),
        e => Error::io("cannot rename the new file over it", e).path(out),
    })?;
    // A directory that can be written to but not listed cannot be synced.
    if let (Some(_), Ok(folder)) = (like, walk::listed(&place.folder)) {
        rustix::fs::fsync(folder).map_err(|e| in_place_unsynced(e.into()).path(out))?;
    }
    Ok(written)
}

fn place_of(out: &Path) -> Result<Reached> {
    let place = walk::to_write(out).map_err(|e| match e.os() {
        Some(io::ErrorKind::NotFound) => no_new_file(out, Errno::NOENT.into()),
        _ => e,
    })?;
    not_kept(&place.path)?;
    Ok(place)
}

/// What is at a path to write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum There {
    Stream,
    File,
}

fn there_or_stream(out: &Path) -> Result<There> {
    match fs::metadata(out) {
        Ok(there) if !there.is_file() && !there.is_dir() => Ok(There::Stream),
        _ => there(out).map(|_| There::File),
    }
}

/// The metadata of the file at `out`; `None` if there is nothing. Fails if it is not a regular file.
fn there(out: &Path) -> Result<Option<fs::Metadata>> {
    let no_file = |found: &str| {
        Error::usage(found)
            .path(out)
            .expected("the name of a file to write")
    };
    match fs::metadata(out) {
        Ok(there) if there.is_file() => Ok(Some(there)),
        Ok(_) => Err(no_file("not a regular file")),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let is_folder = out.as_os_str().as_encoded_bytes().ends_with(b"/");
            match is_folder {
                true => Err(no_file("the name of a directory")),
                false => Ok(None),
            }
        }
        // For links that the kernel does not follow, and files that cannot be looked at, the walk reports the error.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(e) => Err(Error::io("cannot look at it", e).path(out)),
    }
}

#[cfg(test)]
mod tests;
