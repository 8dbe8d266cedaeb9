//! Writing files beside others, with everything about them that users set.

use super::Content;
use crate::error::{Error, Result};
use rustix::fs::XattrFlags;
use rustix::io::Errno;
use std::ffi::CString;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// How a new file took the old one's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exchange {
    /// By rename.
    Renamed,
    /// Not at all: the old file is a mount point.
    MountPoint,
}

/// Writes and syncs `content` to `path`, a name of brawn's own, with the owner, mode and extended
/// attributes of `like`.
pub(super) fn stage(path: &Path, content: &Content<'_>, like: &File) -> Result<()> {
    // Not readable for others until its owner and mode are set.
    let mut file = create(path, 0o600)?;
    let written = fill(&mut file, content)
        .and_then(|()| copy_metadata(like, &file))
        .and_then(|()| sync(&file));
    if written.is_err() {
        // The error that is reported is why it could not be written.
        let _ = fs::remove_file(path);
    }
    written.map_err(|e| e.path(path))
}

/// Writes and syncs `content` to `path`, a name of brawn's own.
pub(super) fn plain(path: &Path, content: &Content<'_>) -> Result<()> {
    let mut file = create(path, 0o644)?;
    let written = fill(&mut file, content).and_then(|()| sync(&file));
    if written.is_err() {
        // As above.
        let _ = fs::remove_file(path);
    }
    written.map_err(|e| e.path(path))
}

/// Writes `content` to `path`, a name of brawn's own, with that mode.
fn fresh(path: &Path, content: &Content<'_>, mode: u32) -> Result<()> {
    let mut file = create(path, 0o600)?;
    let written = fill(&mut file, content).and_then(|()| {
        file.set_permissions(fs::Permissions::from_mode(mode))
            .map_err(|e| Error::io("cannot set the file's mode", e))
    });
    if written.is_err() {
        // As above.
        let _ = fs::remove_file(path);
    }
    written.map_err(|e| e.path(path))
}

fn create(path: &Path, mode: u32) -> Result<File> {
    // What an interrupted run left behind; the folder is locked, so that nobody is writing it.
    let _ = fs::remove_file(path);
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .map_err(|e| {
            let error = Error::io("cannot create a file beside it", e).path(path);
            error.next("the folder must be writable; `-o` writes elsewhere")
        })
}

fn fill(file: &mut File, content: &Content<'_>) -> Result<()> {
    content
        .write(file)
        .map_err(|e| Error::io("cannot write", e).next("the old file is unchanged"))
}

fn sync(file: &File) -> Result<()> {
    file.sync_all()
        .map_err(|e| Error::io("cannot sync", e).next("the old file is unchanged"))
}

/// Gives `to` the owner, mode and extended attributes of `from`.
fn copy_metadata(from: &File, to: &File) -> Result<()> {
    let old = from
        .metadata()
        .map_err(|e| Error::io("cannot look at it", e))?;
    let new = to
        .metadata()
        .map_err(|e| Error::io("cannot look at it", e))?;
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        std::os::unix::fs::fchown(to, Some(old.uid()), Some(old.gid())).map_err(|e| {
            Error::io("cannot keep the file's owner", e)
                .expected(format!("owner {} and group {}", old.uid(), old.gid()))
                .next("run brawn as that user or as root, or write elsewhere with `-o`")
        })?;
    }
    copy_xattrs(from, to)?;
    // After the owner, whose change clears set-id bits; after the attributes, whose ACL may narrow
    // the group's bits.
    to.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))
        .map_err(|e| Error::io("cannot keep the file's mode", e))
}

fn copy_xattrs(from: &File, to: &File) -> Result<()> {
    let failed = |name: &str, errno: Errno| {
        Error::io(format!("cannot keep the extended attribute {name}"), errno)
            .next("run brawn as root, or write elsewhere with `-o`")
    };
    let mut names = vec![0u8; 4096];
    let length = loop {
        match rustix::fs::flistxattr(from, &mut names[..]) {
            Ok(length) => break length,
            Err(Errno::RANGE) if names.len() < 1 << 20 => names.resize(names.len() * 2, 0),
            Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
            Err(errno) => return Err(failed("list", errno)),
        }
    };
    for name in names[..length].split(|b| *b == 0).filter(|n| !n.is_empty()) {
        let shown = crate::error::printable(name);
        let c_name = CString::new(name).map_err(|_| failed(&shown, Errno::INVAL))?;
        let old = xattr(from, &c_name).map_err(|e| failed(&shown, e))?;
        // Security modules set theirs by themselves.
        if xattr(to, &c_name).is_ok_and(|new| new == old) {
            continue;
        }
        rustix::fs::fsetxattr(to, &c_name, &old, XattrFlags::empty())
            .map_err(|e| failed(&shown, e))?;
    }
    Ok(())
}

fn xattr(file: &File, name: &CString) -> rustix::io::Result<Vec<u8>> {
    let mut value = vec![0u8; 256];
    loop {
        match rustix::fs::fgetxattr(file, name, &mut value[..]) {
            Ok(length) => {
                value.truncate(length);
                return Ok(value);
            }
            // 64 KiB is the kernel's limit.
            Err(Errno::RANGE) if value.len() < 1 << 17 => value.resize(value.len() * 2, 0),
            Err(errno) => return Err(errno),
        }
    }
}

/// Gives the file at `path` the modification time of `like`.
pub(super) fn copy_times(path: &Path, like: &File) -> Result<()> {
    let set = || {
        let modified = like.metadata()?.modified()?;
        File::open(path)?.set_times(FileTimes::new().set_modified(modified))
    };
    set().map_err(|e| Error::io("cannot keep the file's time", e).path(path))
}

/// Renames `staged` over `path`.
pub(super) fn exchange(staged: &Path, path: &Path) -> Result<Exchange> {
    match fs::rename(staged, path) {
        Ok(()) => Ok(Exchange::Renamed),
        Err(e) if e.kind() == std::io::ErrorKind::ResourceBusy => Ok(Exchange::MountPoint),
        Err(e) => Err(Error::io("cannot rename the new file over it", e)),
    }
}

/// Overwrites the `old_size` bytes of the file at `path` with `new`.
///
/// What lies beyond the old end comes first: if the disk is full, cutting the file back leaves the
/// old one whole, and the bytes within need no new space.
pub(super) fn in_place(path: &Path, old_size: usize, new: &[u8]) -> Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .open(path)
        .map_err(|e| Error::io("cannot open the mount point for writing", e).path(path))?;
    let (head, tail) = new.split_at(old_size.min(new.len()));
    let grown = file
        .seek(SeekFrom::Start(old_size as u64))
        .and_then(|_| file.write_all(tail))
        .and_then(|()| file.sync_all());
    if let Err(error) = grown {
        let message = match file.set_len(old_size as u64) {
            Ok(()) => "the old file is unchanged",
            Err(_) => "run brawn again: it puts the original back",
        };
        return Err(Error::io("cannot write", error).path(path).next(message));
    }
    file.seek(SeekFrom::Start(0))
        .and_then(|_| file.write_all(head))
        .and_then(|()| file.set_len(new.len() as u64))
        .and_then(|()| file.sync_all())
        .map_err(|e| {
            Error::io("cannot overwrite the mount point", e)
                .path(path)
                .next("run brawn again: it puts the original back")
        })
}

/// Writes `content` to `out`, atomically, leaving `from` alone.  A new file gets the mode of `from`;
/// one that is there is replaced, and keeps its owner, mode and extended attributes.
///
/// What is there is replaced by a synced file, so that a power failure leaves the old or the new one.  A new file is as
/// a compiler's output is: not synced, since `from` is there to make it again.
pub fn write_elsewhere(from: &Path, out: &Path, content: &Content<'_>) -> Result<()> {
    let real = fs::canonicalize(out).unwrap_or_else(|_| out.to_path_buf());
    let source = File::open(from).map_err(|e| Error::io("cannot open it", e).path(from))?;
    let stat = source
        .metadata()
        .map_err(|e| Error::io("cannot look at it", e).path(from))?;
    let there = match fs::metadata(&real) {
        Ok(there) => Some(there),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(Error::io("cannot look at it", e).path(out)),
    };
    if let Some(there) = &there {
        if !there.is_file() {
            return Err(Error::new(crate::Kind::Usage, "not a regular file")
                .path(out)
                .expected("a file name after `-o`"));
        }
        if (there.dev(), there.ino()) == (stat.dev(), stat.ino()) {
            return Err(
                Error::new(crate::Kind::Usage, "`-o` names the input itself")
                    .path(out)
                    .next("leave `-o` out to patch it where it is"),
            );
        }
    }
    let mut name = std::ffi::OsString::from(".");
    name.push(real.file_name().unwrap_or_default());
    name.push(".brawn-new");
    let staged = real.with_file_name(name);
    if there.is_some() {
        let like = File::open(&real).map_err(|e| Error::io("cannot open it", e).path(out))?;
        stage(&staged, content, &like)?;
    } else {
        fresh(&staged, content, stat.mode() & 0o777)?;
    }
    match exchange(&staged, &real) {
        Ok(Exchange::Renamed) => {}
        Ok(Exchange::MountPoint) => {
            // The error that is reported is why it could not take its place.
            let _ = fs::remove_file(&staged);
            return Err(Error::new(crate::Kind::Io, "it is a mount point")
                .path(out)
                .next("write to another name"));
        }
        Err(error) => {
            // As above.
            let _ = fs::remove_file(&staged);
            return Err(error.path(out));
        }
    }
    if there.is_none() {
        return Ok(());
    }
    let folder = match real.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("/"),
    };
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|e| Error::io("cannot sync the folder", e).path(folder))
}
