//! Follows a path step by step, as the kernel does, and lets the caller check each step. The owner of a directory or
//! link on the way may lead brawn elsewhere.
//!
//! Every directory is opened from the one before, and is checked through its handle. So brawn enters exactly the directory
//! that it checked.

use crate::error::{Error, Result};
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

/// The most links to follow; the kernel has the same limit.
const LINKS: usize = 40;

/// A directory or a link on the way.
pub(super) struct Step<'a> {
    /// Its path, with all links before it resolved.
    pub path: &'a Path,
    /// Its metadata.
    pub stat: &'a Stat,
    /// The metadata of the directory that it is in; for the root, its own.
    pub above: &'a Stat,
    /// Its handle, which is opened with `O_PATH`.
    pub handle: &'a OwnedFd,
}

impl Step<'_> {
    /// Whether it is a link; otherwise it is a directory.
    pub(super) fn is_link(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::Symlink
    }
}

/// What a path may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A directory. With `made`, missing directories are made.
    Folder {
        /// Their mode.
        made: Option<Mode>,
    },
    /// A file, or a name that nothing has yet.
    File,
}

/// Where a path leads.
#[derive(Debug)]
pub(super) struct Reached {
    /// Its path, which has no links.
    pub path: PathBuf,
    /// The directory, or the file's directory, opened with `O_PATH`.
    pub folder: OwnedFd,
    /// That directory's metadata.
    pub stat: Stat,
    /// The file's name in it; empty for a directory.
    pub name: OsString,
}

/// The state of a walk.
#[derive(Default)]
struct Walk {
    /// The directories from the root to here.
    open: Vec<(OwnedFd, Stat)>,
    path: PathBuf,
    /// The parts that are left, the next one last.
    todo: Vec<OsString>,
    links: usize,
}

/// Follows `path`. Calls `check` for each directory and each link.
pub(super) fn follow(
    path: &Path,
    end: End,
    check: &mut dyn FnMut(&Step<'_>) -> Result<()>,
) -> Result<Reached> {
    let doing = match end {
        End::Folder { made } if made == Some(Mode::RWXU) => "cannot create the cache",
        End::Folder { made: Some(_) } => "cannot create the directory",
        _ => "cannot find its directory",
    };
    let made = match end {
        End::Folder { made } => made,
        End::File => None,
    };
    let lost = |e: Errno| Error::io(doing, e).path(path);
    let absolute = std::path::absolute(path)
        .map_err(|e| Error::io("cannot find its directory", e).path(path))?;
    let mut walk = Walk::default();
    walk.start(check).map_err(|e| e.path(path))?;
    walk.push(&absolute);
    while let Some(name) = walk.todo.pop() {
        if name == ".." {
            walk.up();
            continue;
        }
        let is_end = walk.todo.is_empty() && end == End::File;
        let handle = match walk.enter(&name, made) {
            Ok(handle) => handle,
            Err(Errno::NOENT) if is_end => return walk.end(name).map_err(lost),
            Err(e) => return Err(Error::io(doing, e).path(&walk.path.join(&name))),
        };
        let stat = rustix::fs::fstat(&handle).map_err(lost)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if is_end && !matches!(kind, FileType::Symlink | FileType::Directory) {
            return walk.end(name).map_err(lost);
        }
        if !matches!(kind, FileType::Symlink | FileType::Directory) {
            return Err(lost(Errno::NOTDIR));
        }
        let at = walk.path.join(&name);
        check(&Step {
            path: &at,
            stat: &stat,
            above: walk.above().ok_or_else(|| lost(Errno::NOENT))?,
            handle: &handle,
        })?;
        if kind == FileType::Symlink {
            walk.links += 1;
            if walk.links > LINKS {
                return Err(lost(Errno::LOOP));
            }
            let target = rustix::fs::readlinkat(&handle, "", Vec::new()).map_err(lost)?;
            let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
            if target.is_absolute() {
                walk.open.truncate(1);
                walk.path = PathBuf::from("/");
            }
            walk.push(&target);
        } else {
            walk.open.push((handle, stat));
            walk.path = at;
        }
    }
    walk.end(OsString::new()).map_err(lost)
}

impl Walk {
    fn start(&mut self, check: &mut dyn FnMut(&Step<'_>) -> Result<()>) -> Result<()> {
        let failed = |e| Error::io("cannot open the root directory", e);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open("/", flags, Mode::empty()).map_err(failed)?;
        let stat = rustix::fs::fstat(&root).map_err(failed)?;
        self.path = PathBuf::from("/");
        check(&Step {
            path: &self.path,
            stat: &stat,
            above: &stat,
            handle: &root,
        })?;
        self.open.push((root, stat));
        Ok(())
    }

    /// Adds the parts of `path`, to be followed next.
    fn push(&mut self, path: &Path) {
        let names = path.components().rev().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            _ => None,
        });
        self.todo.extend(names);
    }

    fn up(&mut self) {
        // The root is its own parent.
        if self.open.len() > 1 {
            self.open.pop();
            self.path.pop();
        }
    }

    fn above(&self) -> Option<&Stat> {
        self.open.last().map(|(_, stat)| stat)
    }

    /// Opens `name` with `O_PATH`. If it is missing and `made` is set, makes a directory.
    fn enter(&self, name: &OsStr, made: Option<Mode>) -> rustix::io::Result<OwnedFd> {
        let (above, _) = self.open.last().ok_or(Errno::NOENT)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // A directory that is mounted on demand must be opened as a directory to be mounted.
        let open = |flags| rustix::fs::openat(above, name, flags, Mode::empty());
        match open(flags | OFlags::DIRECTORY) {
            Err(Errno::NOTDIR | Errno::LOOP) => open(flags),
            Err(Errno::NOENT) => match made.map(|mode| rustix::fs::mkdirat(above, name, mode)) {
                // Another process may have made it.
                Some(Ok(()) | Err(Errno::EXIST)) => open(flags),
                Some(Err(e)) => Err(e),
                None => Err(Errno::NOENT),
            },
            other => other,
        }
    }

    fn end(self, name: OsString) -> rustix::io::Result<Reached> {
        let path = match name.is_empty() {
            true => self.path,
            false => self.path.join(&name),
        };
        let (folder, stat) = self.open.into_iter().next_back().ok_or(Errno::NOENT)?;
        Ok(Reached {
            path,
            folder,
            stat,
            name,
        })
    }
}

/// The user that brawn works for.
pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Follows `path` to a file that is to be written. In a directory where everybody may write, a link of another user is
/// not followed: that user could choose which file brawn writes. The kernel has the same rule if
/// `fs.protected_symlinks` is set.
pub(super) fn to_write(path: &Path) -> Result<Reached> {
    let place = follow(path, End::File, &mut own_link)?;
    let bytes = path.as_os_str().as_bytes();
    let is_folder = bytes.ends_with(b"/") || bytes.ends_with(b"/.");
    match is_folder && !place.name.is_empty() {
        true => Err(Error::io("cannot open it", Errno::NOTDIR).path(path)),
        false => Ok(place),
    }
}

/// The same for a directory, which is made if it is missing.
pub(super) fn folder_to_write(path: &Path) -> Result<Reached> {
    let made = Some(Mode::RWXU | Mode::RWXG | Mode::RWXO);
    follow(path, End::Folder { made }, &mut own_link)
}

/// Fails at a link of another user where everybody may lay one.
pub(super) fn own_link(step: &Step<'_>) -> Result<()> {
    let is_shared = step.above.st_mode & 0o1002 == 0o1002;
    let is_known = [user(), step.above.st_uid].contains(&step.stat.st_uid);
    if !step.is_link() || !is_shared || is_known {
        return Ok(());
    }
    Err(Error::refused(format!(
        "a link of user {}, in a directory where everybody may create links",
        step.stat.st_uid
    ))
    .path(step.path)
    .expected("a link of your own, or of the directory's owner")
    .next("name the file that it leads to, if that is the one you mean"))
}

/// Opens a directory again that was opened with `O_PATH`, so that it can be listed and synced.
pub(super) fn listed(folder: &OwnedFd) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(folder.as_fd(), ".", flags, Mode::empty())
}

#[cfg(test)]
mod tests;
