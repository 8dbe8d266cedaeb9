//! What brawn keeps beside a file, and when it counts.
//!
//! In a directory where others may create files, anybody may have put a record or an original there. It counts only if
//! nobody could have written it who could not write the file itself: it is a regular file of the file's owner, of the
//! user that brawn works for, or of root, and others may not write to it. A link never counts.

use super::walk::user;
use crate::error::{Error, Result};
use crate::input;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Opens the file at `path`, which is in the directory `folder` and which brawn keeps for the file of `target`. `None` if
/// there is nothing. `what` is its name for messages.
///
/// # Errors
/// It cannot be opened, or it does not count.
pub(super) fn open(
    folder: impl AsFd,
    path: &Path,
    target: &Metadata,
    what: &str,
) -> Result<Option<File>> {
    let name = Path::new(path.file_name().unwrap_or_default());
    let file = match input::at(folder, name, OFlags::NOFOLLOW) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        // No file can have this name, so there is none.
        Err(e) if e.kind() == io::ErrorKind::InvalidFilename => return Ok(None),
        Err(e) if Errno::from_io_error(&e) == Some(Errno::LOOP) => {
            return Err(unbelieved(path, what, "a link".into(), target));
        }
        Err(e) => return Err(Error::io(format!("cannot read {what}"), e).path(path)),
    };
    let failed = |e| Error::io("cannot look at it", e).path(path);
    let stat = file.metadata().map_err(failed)?;
    let is_owner = [target.uid(), user(), 0].contains(&stat.uid());
    if !is_owner || stat.mode() & writers(target, stat.gid()) != 0 {
        let found = format!(
            "a file of user {}, mode {:o}",
            stat.uid(),
            stat.mode() & 0o7777
        );
        return Err(unbelieved(path, what, found, target));
    }
    Ok(Some(file))
}

/// Opens the directory of the file at `path`.
pub(super) fn folder(path: &Path) -> Result<OwnedFd> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(folder.unwrap_or(Path::new(".")), flags, Mode::empty())
        .map_err(|e| Error::io("cannot open its directory", e).path(path))
}

/// The bits of those who may not write to a kept file of group `group`: all others but those who may write to the file
/// of `target`.
fn writers(target: &Metadata, group: u32) -> u32 {
    let others = 0o002 & !target.mode();
    match group == target.gid() {
        true => others | 0o020 & !target.mode(),
        false => others | 0o020,
    }
}

fn unbelieved(path: &Path, what: &str, found: String, target: &Metadata) -> Error {
    let mut owners = vec![target.uid(), user(), 0];
    owners.sort_unstable();
    owners.dedup();
    let owners: Vec<_> = owners.iter().map(u32::to_string).collect();
    Error::refused(format!("{what} may be somebody else's: {found}"))
        .path(path)
        .expected(format!(
            "a file of user {} to which nobody else may write",
            owners.join(" or ")
        ))
        .next("look at it; then remove it, or work in a directory of your own")
}
