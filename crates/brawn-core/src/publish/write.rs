//! Writes files beside others, and copies all attributes that users can set.

use super::kept;
use super::trust::{ACL, has_attribute};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::fingerprint::{Fingerprint, Hashed};
use crate::input;
use rustix::fs::XattrFlags;
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// A file that is too large for memory: its bytes are made while it is written.
pub trait Stream {
    /// Writes all of it.
    fn write(&mut self, to: &mut dyn Write) -> Result<()>;

    /// Reads what was written, and checks it.
    fn check(&mut self, written: &mut dyn Read) -> Result<()>;
}

/// The contents of a new file.
pub(super) enum New<'a, 'b> {
    /// These bytes.
    Content(&'a Content<'b>),
    /// The contents of another file.
    Copy(&'a File),
    /// The bytes that the stream writes.
    Stream(&'a mut dyn Stream),
}

/// Writes to a file, and hashes the bytes.
struct Tee<'a> {
    file: &'a mut File,
    hashed: Hashed,
}

impl Write for Tee<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hashed.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes and syncs `new` to `path`, a name of brawn's own, with the owner, mode and extended
/// attributes of `like`.
pub(super) fn stage(path: &Path, new: New<'_, '_>, like: &File) -> Result<Fingerprint> {
    made(path, new, |file| copy_metadata(like, file))
}

/// Writes and syncs `content` to `path`, a name of brawn's own. Whoever may read `like` may read it, and nobody else; only
/// the owner may write to it.
pub(super) fn readable(path: &Path, content: &Content<'_>, like: &File) -> Result<()> {
    let written = made(path, New::Content(content), |file| {
        let stat = input::stat(like)?;
        copy_owner(&stat, file)?;
        copy_xattrs(like, file, |name| name == ACL.to_bytes())?;
        set_mode(file, stat.mode() & 0o044 | 0o600)
    });
    written.map(drop)
}

/// Writes and syncs `new` to a new file at `path`. Others cannot read it until `own` sets its owner and mode; rights that
/// its directory gives to new files it has none.
fn made(
    path: &Path,
    new: New<'_, '_>,
    own: impl FnOnce(&File) -> Result<()>,
) -> Result<Fingerprint> {
    let mut file = create(path)?;
    let written = fill(&mut file, new).and_then(|fingerprint| {
        remove_acl(&file)?;
        own(&file)?;
        sync(&file)?;
        Ok(fingerprint)
    });
    if written.is_err() {
        // The error to report is the one of the failed write.
        let _ = fs::remove_file(path);
    }
    written.map_err(|e| e.path(path))
}

fn create(path: &Path) -> Result<File> {
    // The file of an interrupted run. The directory is locked, so nobody is writing it now.
    let _ = fs::remove_file(path);
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|e| no_file_beside(path, e))
}

/// The error if brawn cannot make `path`, a name of its own beside the file that it works on in place.
pub(super) fn no_file_beside(path: &Path, e: io::Error) -> Error {
    let next = match e.kind() {
        io::ErrorKind::InvalidFilename => {
            "the file's name is too long for what brawn adds to it: choose a shorter one, or write to another with `-o`"
        }
        _ => next_for(&e),
    };
    Error::io("cannot create it", e).path(path).next(next)
}

/// The error if no new file can be made for `path`, the one that the user named.
pub(super) fn no_new_file(path: &Path, e: io::Error) -> Error {
    let next = match e.kind() {
        io::ErrorKind::NotFound if kept::folder(path).is_ok() => {
            "no file can be made in that directory: choose another"
        }
        _ => next_for(&e),
    };
    let error = Error::io("cannot create a file beside it", e);
    error.path(path).next(next)
}

/// What the user can do if a file cannot be created.
fn next_for(why: &io::Error) -> &'static str {
    match why.kind() {
        io::ErrorKind::NotFound => "there is no such directory: make it first",
        io::ErrorKind::InvalidFilename => {
            "the name is too long for what brawn adds to it while it writes: choose a shorter one"
        }
        io::ErrorKind::AlreadyExists => {
            "names that begin with a dot and end with `.brawn-…` are brawn's here: remove what has them"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on that disk",
        _ => "the directory must be writable: change that, or write to another directory",
    }
}

fn failed(e: io::Error) -> Error {
    Error::io("cannot write", e).next("the old file is unchanged")
}

pub(super) fn put(file: &mut File, content: &Content<'_>) -> Result<()> {
    content.write(file).map_err(failed)
}

/// Writes `new`, and hashes it, which takes as long as all else of writing.
pub(super) fn fill(file: &mut File, new: New<'_, '_>) -> Result<Fingerprint> {
    match new {
        New::Content(content) => {
            put(file, content)?;
            Ok(Fingerprint::of(content))
        }
        New::Copy(mut from) => {
            from.rewind().map_err(failed)?;
            pour(&mut from, file).map_err(failed)?;
            file.rewind().map_err(failed)?;
            Fingerprint::of_open(file).map_err(failed)
        }
        New::Stream(stream) => {
            let tee = Tee {
                file: &mut *file,
                hashed: Hashed::default(),
            };
            let mut to = BufWriter::with_capacity(1 << 17, tee);
            stream.write(&mut to)?;
            let tee = to.into_inner().map_err(|e| failed(e.into_error()))?;
            let fingerprint = tee.hashed.finish();
            file.rewind().map_err(failed)?;
            stream.check(file)?;
            Ok(fingerprint)
        }
    }
}

/// Writes the rest of `from` to `to`.
fn pour(from: &mut dyn Read, to: &mut File) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => to.write_all(&buffer[..read])?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

pub(super) fn sync(file: &File) -> Result<()> {
    file.sync_all()
        .map_err(|e| Error::io("cannot sync", e).next("the old file is unchanged"))
}

/// Gives `to` the owner, mode and extended attributes of `from`.
fn copy_metadata(from: &File, to: &File) -> Result<()> {
    let old = input::stat(from)?;
    copy_owner(&old, to)?;
    copy_xattrs(from, to, |_| true)?;
    // This comes after the owner, since changing the owner clears set-id bits; and after the attributes, since an ACL
    // there may reduce the group's bits.
    set_mode(to, old.mode() & 0o7777)
}

/// Gives the file `to` the owner, mode and access list of `from`, if somebody has changed those since `to` was a copy of it.
/// Bits that run a program as somebody else stay only where both have them: they were given to other bytes.
pub(super) fn copy_rights(from: &File, to: &File) -> Result<()> {
    let (now, old) = (input::stat(from)?, input::stat(to)?);
    let list = |file: &File| xattr(file, ACL).ok();
    let rights = |stat: &fs::Metadata| (stat.uid(), stat.gid(), stat.mode() & 0o7777);
    if rights(&now) == rights(&old) && list(from) == list(to) {
        return Ok(());
    }
    copy_owner(&now, to)?;
    // Until all is done, nobody has more than before.
    set_mode(to, now.mode() & old.mode() & 0o777)?;
    remove_acl(to)?;
    copy_xattrs(from, to, |name| name == ACL.to_bytes())?;
    set_mode(to, now.mode() & (0o777 | old.mode() & 0o7000))
}

/// Removes the access list that a file has from the directory where it was made: the file that it replaces may have none.
fn remove_acl(file: &File) -> Result<()> {
    // Most file systems and files have none, and some let nobody ask for its removal.
    if !has_attribute(file, ACL).unwrap_or(false) {
        return Ok(());
    }
    rustix::fs::fremovexattr(file, ACL).map_err(|e| Error::io("cannot remove its access list", e))
}

/// The mode's bits for the owner, the file's group and everybody else.  With an access list, the middle ones of the mode are
/// the most that anybody in the list has; what the file's group has stands in the list.
pub(super) fn mode_without_acl(file: &File, stat: &fs::Metadata) -> u32 {
    /// `ACL_GROUP_OBJ` of <linux/posix_acl.h>.
    const GROUP: u16 = 4;
    let mode = stat.mode() & 0o777;
    let list = xattr(file, ACL).unwrap_or_default();
    // A version of 4 bytes, then entries: what it is about and the rights, 2 bytes each, and 4 bytes that say who.
    let entries = list.get(4..).unwrap_or_default().chunks_exact(8);
    let word = |entry: &[u8], at: usize| u16::from_le_bytes([entry[at], entry[at + 1]]);
    let group = entries.into_iter().find(|entry| word(entry, 0) == GROUP);
    let most = group.map_or(7, |entry| u32::from(word(entry, 2)));
    mode & (0o707 | (most & 7) << 3)
}

pub(super) fn set_mode(file: &File, mode: u32) -> Result<()> {
    file.set_permissions(fs::Permissions::from_mode(mode))
        .map_err(|e| Error::io("cannot set the file's mode", e))
}

pub(super) fn copy_owner(from: &fs::Metadata, to: &File) -> Result<()> {
    let now = input::stat(to)?;
    if (from.uid(), from.gid()) == (now.uid(), now.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(to, Some(from.uid()), Some(from.gid())).map_err(|e| {
        Error::io("cannot keep the file's owner", e)
            .expected(format!("owner {} and group {}", from.uid(), from.gid()))
            .next("run brawn as that user or as root, or write to another file")
    })
}

/// Copies those attributes whose names are `wanted`.
fn copy_xattrs(from: &File, to: &File, wanted: impl Fn(&[u8]) -> bool) -> Result<()> {
    let failed = |name: &str, errno: Errno| {
        Error::io(format!("cannot keep the extended attribute {name}"), errno)
            .next("run brawn as root, or write to another file")
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
    for name in names[..length]
        .split(|b| *b == 0)
        .filter(|n| !n.is_empty() && wanted(n))
    {
        let shown = crate::error::printable(name);
        let c_name = CString::new(name).map_err(|_| failed(&shown, Errno::INVAL))?;
        let old = xattr(from, &c_name).map_err(|e| failed(&shown, e))?;
        // Security modules set their attributes themselves.
        if xattr(to, &c_name).is_ok_and(|new| new == old) {
            continue;
        }
        rustix::fs::fsetxattr(to, &c_name, &old, XattrFlags::empty())
            .map_err(|e| failed(&shown, e))?;
    }
    Ok(())
}

fn xattr(file: &File, name: &CStr) -> rustix::io::Result<Vec<u8>> {
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

/// Overwrites the `old_size` bytes of the file at `path` with those of the file `new`.
///
/// What lies beyond the old end comes first: if the disk is full, cutting the file back leaves the old one whole, and
/// the bytes within need no new space.
pub(super) fn in_place(path: &Path, old_size: u64, mut new: &File) -> Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .open(path)
        .map_err(|e| Error::io("cannot open the mount point for writing", e).path(path))?;
    let mut grow = |file: &mut File| -> io::Result<u64> {
        let size = new.metadata()?.len();
        file.seek(SeekFrom::Start(old_size))?;
        new.seek(SeekFrom::Start(old_size))?;
        pour(&mut new, file)?;
        file.sync_all()?;
        Ok(size)
    };
    let grown = grow(&mut file);
    let size = grown.map_err(|error| {
        let message = match file.set_len(old_size) {
            Ok(()) => "the old file is unchanged",
            Err(_) => "run brawn again: it puts the original back",
        };
        Error::io("cannot write", error).path(path).next(message)
    })?;
    let mut overwrite = |file: &mut File| -> io::Result<()> {
        file.rewind()?;
        new.rewind()?;
        pour(&mut new.take(old_size), file)?;
        file.set_len(size)?;
        file.sync_all()
    };
    overwrite(&mut file).map_err(|e| {
        Error::io("cannot overwrite the mount point", e)
            .path(path)
            .next("run brawn again: it puts the original back")
    })
}

/// The error if the new file is in place, but its directory could not be synced.
pub(super) fn in_place_unsynced(error: io::Error) -> Error {
    Error::io("the new file is in place, but may be lost if power fails: cannot sync its directory", error)
        .next("check the disk, then run `sync`: if power fails before that, the old file may be there again")
}
