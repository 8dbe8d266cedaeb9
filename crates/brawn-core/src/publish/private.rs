//! A directory in the user's cache whose files end up in programs or are run. `link-args`, `preload`, `cargo` and
//! `run` all have such directories, and one rule holds for all of them.
//!
//! Nobody else may change what is in one, or exchange a directory on the way to it. So every directory from the root on
//! must belong to root or the user, and others must not be able to write to it. A sticky directory such as `/tmp` is
//! allowed, since users can only rename their own files there. The last two directories (`CACHE/brawn/NAME`) must be the
//! user's alone. brawn walks to it with open handles, reads and writes files through its own handle, and
//! hands on a path without links.

use super::place::File as Wanted;
use super::staged::Staged;
use super::trust::ACL;
use super::walk::{self, End, Step, user};
use crate::error::{Error, Result};
use crate::input;
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// A directory that only the user can change.
#[derive(Debug)]
pub struct PrivateFolder {
    folder: OwnedFd,
    path: PathBuf,
}

impl PrivateFolder {
    /// Opens the directory `name` below `cache`, the directory of [`cache`](super::place::cache). Makes it if it is
    /// missing.
    ///
    /// # Errors
    /// It cannot be made, or another user could change what is in it.
    pub fn open(cache: &Path, name: &str) -> Result<Self> {
        Self::enter(cache, name, true)
    }

    /// The same for one that already exists.
    ///
    /// # Errors
    /// It is not there, or another user could change what is in it.
    pub fn find(cache: &Path, name: &str) -> Result<Self> {
        Self::enter(cache, name, false)
    }

    fn enter(cache: &Path, name: &str, made: bool) -> Result<Self> {
        let made = made.then_some(Mode::RWXU);
        let end = End::Folder { made };
        let outer = walk::follow(cache, end, &mut check)?;
        check_own(&outer.path, &outer.stat)?;
        // If users have a link in their own cache, they mean its target.
        let inner = walk::follow(&outer.path.join(name), end, &mut check)?;
        check_own(&inner.path, &inner.stat)?;
        let failed = |e: Errno| Error::io("cannot open the cache", e).path(&inner.path);
        let folder = walk::listed(&inner.folder).map_err(failed)?;
        if inner.stat.st_mode & 0o777 != 0o700 {
            rustix::fs::fchmod(&folder, Mode::RWXU).map_err(failed)?;
        }
        Ok(Self {
            folder,
            path: inner.path,
        })
    }

    /// Its path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The contents of a file in it, if the file is a regular one of the user's and nobody else may write to it.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut file = input::at(&self.folder, Path::new(name), OFlags::NOFOLLOW).ok()?;
        let stat = rustix::fs::fstat(&file).ok()?;
        if stat.st_uid != user() || stat.st_mode & 0o022 != 0 {
            return None;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Puts `files` there. Its name says exactly which files it has, so everything else under their names is
    /// damage and is replaced: an empty file, a pipe, a link.
    ///
    /// They cannot be written, or have other contents after they were written.
    /// They cannot be written, or what was written is not what is there then.
    pub fn place(&self, files: &[Wanted]) -> Result<()> {
        files.iter().try_for_each(|file| {
            let path = self.path.join(&file.name);
            self.one(file).map_err(|e| e.path(&path))
        })
    }

    fn one(&self, file: &Wanted) -> Result<()> {
        let is_there = || {
            self.read(&file.name)
                .is_some_and(|there| there == file.bytes)
        };
        if is_there() {
            return Ok(());
        }
        let failed = |e: std::io::Error| Error::io("cannot write to the cache", e);
        let name = OsStr::new(&file.name);
        let mut staged = Staged::new(self.folder.as_fd(), name, 0o600).map_err(failed)?;
        let written = staged.file().write_all(&file.bytes);
        written
            .and_then(|()| {
                rustix::fs::fchmod(staged.file(), Mode::from_raw_mode(0o644))?;
                staged.file().sync_all()
            })
            .map_err(failed)?;
        match staged.rename() {
            Ok(()) => {}
            Err(Errno::ISDIR) => {
                return Err(Error::refused("a directory")
                    .expected("a file of brawn's, or nothing")
                    .next("remove it"));
            }
            Err(e) => return Err(failed(e.into())),
        }
        if is_there() {
            return Ok(());
        }
        Err(Error::refused("it is not what brawn wrote there just now")
            .next("find out what else writes to the cache"))
    }
}

/// Makes the directory `path`, or opens it if it is there, for programs that brawn builds and runs. Returns its path without links.
///
/// Links on the way are followed as for every file that brawn writes, and directories by the same rule: where everybody may
/// make them, another user's might be exchanged later. The last one must be the user's, and others must not be able to write to it.
pub fn own_folder(path: &Path) -> Result<PathBuf> {
    let made = Some(Mode::from_raw_mode(0o755));
    let place = walk::follow(path, End::Folder { made }, &mut |step| {
        walk::own_link(step)?;
        let is_open = |stat: &Stat| stat.st_mode & 0o002 != 0;
        let is_sticky = |stat: &Stat| stat.st_mode & 0o1000 != 0;
        let is_known = [0, user(), step.above.st_uid].contains(&step.stat.st_uid);
        let is_wrong = !step.is_link() && is_open(step.stat) && !is_sticky(step.stat);
        match is_wrong || is_open(step.above) && !is_known {
            true => Err(exchangeable(step.path, step.stat)),
            false => Ok(()),
        }
    })?;
    let stat = &place.stat;
    let for_group = stat.st_mode & 0o020 != 0 && !is_trusted_group(stat.st_gid, &place.folder);
    if stat.st_uid == user() && stat.st_mode & 0o002 == 0 && !for_group {
        return Ok(place.path);
    }
    Err(exchangeable(path, stat))
}

fn exchangeable(path: &Path, stat: &Stat) -> Error {
    let found = format!(
        "user {}, mode {:o}: others could change the programs that are built there",
        stat.st_uid,
        stat.st_mode & 0o7777
    );
    Error::refused(found)
        .path(path)
        .expected("a directory of your own, where nobody else may write")
        .next("name one elsewhere that is not there yet: brawn makes it")
}

impl AsFd for PrivateFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// Checks that nobody else can exchange what a directory or link on the way leads to.
fn check(step: &Step<'_>) -> Result<()> {
    let stat = step.stat;
    let is_trusted = [0, user()].contains(&stat.st_uid);
    if step.is_link() {
        if is_trusted {
            return Ok(());
        }
        let found = format!("a link of user {} on the way to the cache", stat.st_uid);
        return Err(unsafe_place(found, step.path));
    }
    let is_sticky = stat.st_mode & 0o1000 != 0;
    let for_group = stat.st_mode & 0o020 != 0 && !is_trusted_group(stat.st_gid, step.handle);
    if is_trusted && (is_sticky || (stat.st_mode & 0o002 == 0 && !for_group)) {
        return Ok(());
    }
    Err(unsafe_folder(step.path, stat))
}

fn check_own(path: &Path, stat: &Stat) -> Result<()> {
    let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    if is_folder && stat.st_uid == user() && stat.st_mode & 0o022 == 0 {
        return Ok(());
    }
    Err(unsafe_folder(path, stat))
}

/// Whether the members of a group may be trusted with programs that the user runs. This holds for root's group and
/// for the user's private group, which many systems have for each user. An access list could name further users.
fn is_trusted_group(group: u32, folder: &OwnedFd) -> bool {
    let listed = walk::listed(folder).is_ok_and(|folder| {
        let mut value = [0u8; 4];
        let asked = rustix::fs::fgetxattr(&folder, ACL, &mut value[..]);
        !matches!(asked, Err(Errno::NODATA | Errno::NOTSUP))
    });
    let read = |path: &str| input::read(Path::new(path)).ok();
    let text = |path: &str| read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let (Some(users), Some(groups)) = (text("/etc/passwd"), text("/etc/group")) else {
        return false;
    };
    !listed && (group == 0 || is_private_group(group, user(), &users, &groups))
}

/// Whether only `user` is in `group`, by the lines of `/etc/passwd` and `/etc/group`.
fn is_private_group(group: u32, user: u32, users: &str, groups: &str) -> bool {
    let number = |field: Option<&&str>| field.and_then(|text| text.parse().ok());
    let mut own = None;
    for line in users.lines() {
        let line: Vec<&str> = line.split(':').collect();
        if number(line.get(2)) == Some(user) {
            own = own.or(line.first().copied());
        } else if number(line.get(3)) == Some(group) {
            return false;
        }
    }
    let mut is_known = false;
    for line in groups.lines() {
        let line: Vec<&str> = line.split(':').collect();
        if number(line.get(2)) != Some(group) {
            continue;
        }
        is_known = true;
        let members = line.get(3).unwrap_or(&"").split(',').map(str::trim);
        if members.filter(|m| !m.is_empty()).any(|m| Some(m) != own) {
            return false;
        }
    }
    is_known && own.is_some()
}

fn unsafe_folder(path: &Path, stat: &Stat) -> Error {
    let found = format!(
        "a directory of user {}, mode {:o}, is not a safe place for files that end up in programs, or for a directory with \
         such files",
        stat.st_uid,
        stat.st_mode & 0o7777
    );
    unsafe_place(found, path)
}

fn unsafe_place(found: String, path: &Path) -> Error {
    Error::refused(found)
        .path(path)
        .expected(format!(
            "one in which only user {} or root may put things",
            user()
        ))
        .next("name a directory elsewhere in XDG_CACHE_HOME")
}

#[cfg(test)]
mod tests;
