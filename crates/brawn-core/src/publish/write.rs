//! Writing files beside others, with everything about them that users set.

use super::{Content, Fingerprint, Hashed};
use crate::error::{Error, Result};
use rustix::fs::XattrFlags;
use rustix::io::Errno;
use std::ffi::CString;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write};
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

/// A file that is too large for memory: made as it is written.
pub trait Stream {
    /// Writes all of it.
    fn write(&mut self, to: &mut dyn Write) -> Result<()>;

    /// Holds what was written, read again, against what it ought to be.
    fn check(&mut self, written: &mut dyn Read) -> Result<()>;
}

/// What a new file is to hold.
pub(super) enum New<'a, 'b> {
    /// These bytes.
    Content(&'a Content<'b>),
    /// What another file holds.
    Copy(&'a File),
    /// What that writes.
    Stream(&'a mut dyn Stream),
}

impl<'a, 'b> From<&'a Content<'b>> for New<'a, 'b> {
    fn from(content: &'a Content<'b>) -> Self {
        Self::Content(content)
    }
}

/// What goes to a file, hashed.
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
pub(super) fn stage<'a, 'b>(
    path: &Path,
    new: impl Into<New<'a, 'b>>,
    like: &File,
) -> Result<Fingerprint>
where
    'b: 'a,
{
    // Not readable for others until its owner and mode are set.
    let mut file = create(path, 0o600)?;
    let written = fill(&mut file, new.into()).and_then(|fingerprint| {
        copy_metadata(like, &file)?;
        sync(&file)?;
        Ok(fingerprint)
    });
    if written.is_err() {
        // The error that is reported is why it could not be written.
        let _ = fs::remove_file(path);
    }
    written.map_err(|e| e.path(path))
}

/// Writes and syncs `content` to `path`, a name of brawn's own.
pub(super) fn plain(path: &Path, content: &Content<'_>) -> Result<()> {
    let mut file = create(path, 0o644)?;
    let written = fill(&mut file, content.into()).and_then(|_| sync(&file));
    if written.is_err() {
        // As above.
        let _ = fs::remove_file(path);
    }
    written.map_err(|e| e.path(path))
}

/// Writes `new` to `path`, a name of brawn's own, with that mode.
fn fresh(path: &Path, new: New<'_, '_>, mode: u32) -> Result<Fingerprint> {
    let mut file = create(path, 0o600)?;
    let written = fill(&mut file, new).and_then(|fingerprint| {
        file.set_permissions(fs::Permissions::from_mode(mode))
            .map_err(|e| Error::io("cannot set the file's mode", e))?;
        Ok(fingerprint)
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
        .read(true)
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .map_err(|e| {
            let next = match e.kind() {
                io::ErrorKind::NotFound => "there is no such folder: make it first",
                _ => "the folder must be writable; `-o` writes elsewhere",
            };
            let error = Error::io("cannot create a file beside it", e);
            error.path(path).next(next)
        })
}

fn fill(file: &mut File, new: New<'_, '_>) -> Result<Fingerprint> {
    let failed = |e| Error::io("cannot write", e).next("the old file is unchanged");
    match new {
        New::Content(content) => {
            content.write(file).map_err(failed)?;
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

/// Writes what is left of `from` to `to`.
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

/// Overwrites the `old_size` bytes of the file at `path` with those of the file `new`.
///
/// What lies beyond the old end comes first: if the disk is full, cutting the file back leaves the
/// old one whole, and the bytes within need no new space.
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

/// Writes `content` to `out`, atomically, leaving `from` alone.  A new file gets the mode of `from`;
/// one that is there is replaced, and keeps its owner, mode and extended attributes.
///
/// What is there is replaced by a synced file, so that a power failure leaves the old or the new one.  A new file is as
/// a compiler's output is: not synced, since `from` is there to make it again.
pub fn write_elsewhere(from: &Path, out: &Path, content: &Content<'_>) -> Result<()> {
    let next = "leave `-o` out to patch it where it is";
    elsewhere(from, out, content.into(), 0o777, next).map(|_| ())
}

/// The same for what is no program itself, but made from the one at `from`: nobody may run it.
pub fn write_made_from(from: &Path, out: &Path, content: &Content<'_>) -> Result<()> {
    let next = "name another file after `-o`";
    elsewhere(from, out, content.into(), 0o666, next).map(|_| ())
}

/// As [`write_elsewhere`] for what is too large for memory, with what it then is.
pub fn stream_elsewhere(from: &Path, out: &Path, stream: &mut dyn Stream) -> Result<Fingerprint> {
    let next = "leave `-o` out to patch it where it is";
    elsewhere(from, out, New::Stream(stream), 0o777, next)
}

/// Writes it with those of the permissions of `from` that are in `mask`; `next` is what to do instead of writing over
/// the input.
fn elsewhere(
    from: &Path,
    out: &Path,
    new: New<'_, '_>,
    mask: u32,
    next: &str,
) -> Result<Fingerprint> {
    super::place::no_stream(out)?;
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
                    .next(next),
            );
        }
    }
    let folder = match real.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("/"),
    };
    // A folder that is not there has no second writer either, and is told of below.
    let locked = match File::open(folder) {
        Ok(handle) => {
            // Another brawn's writing to this folder is over in seconds.
            super::lock(&handle, || ()).map_err(|e| e.path(folder))?;
            Some(handle)
        }
        Err(_) => None,
    };
    let mut name = std::ffi::OsString::from(".");
    name.push(real.file_name().unwrap_or_default());
    name.push(".brawn-new");
    let staged = real.with_file_name(name);
    let written = if there.is_some() {
        let like = File::open(&real).map_err(|e| Error::io("cannot open it", e).path(out))?;
        stage(&staged, new, &like)?
    } else {
        fresh(&staged, new, stat.mode() & mask)?
    };
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
        return Ok(written);
    }
    if let Some(folder_handle) = &locked {
        folder_handle
            .sync_all()
            .map_err(|e| Error::io("cannot sync the folder", e).path(folder))?;
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::time::Duration;

    /// Writes the half, says so, and goes on when somebody else is done, or has had the time to.
    struct Slow(Sender<()>, Receiver<()>);

    impl Stream for Slow {
        fn write(&mut self, to: &mut dyn Write) -> Result<()> {
            let write = |to: &mut dyn Write, half: &[u8]| {
                to.write_all(half).map_err(|e| Error::io("cannot write", e))
            };
            write(to, b"of one ")?;
            self.0.send(()).unwrap();
            let other = self.1.recv_timeout(Duration::from_millis(500));
            assert_eq!(other, Err(RecvTimeoutError::Timeout), "both write");
            write(to, b"piece")
        }

        fn check(&mut self, written: &mut dyn Read) -> Result<()> {
            let mut all = String::new();
            written.read_to_string(&mut all).unwrap();
            assert_eq!(all, "of one piece");
            Ok(())
        }
    }

    #[test]
    fn two_that_write_the_same_file_take_turns() {
        let folder = tempfile::tempdir().unwrap();
        let (from, out) = (folder.path().join("from"), folder.path().join("out"));
        fs::write(&from, "").unwrap();
        let (begun, has_begun) = channel();
        let (done, is_done) = channel();
        let (from, out) = (&from, &out);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                has_begun.recv().unwrap();
                write_elsewhere(from, out, &b"the other"[..].into()).unwrap();
                // Nobody listens any more.
                let _ = done.send(());
            });
            stream_elsewhere(from, out, &mut Slow(begun, is_done)).unwrap();
        });
        assert_eq!(fs::read(out).unwrap(), b"the other");
    }
}
