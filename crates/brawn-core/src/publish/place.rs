//! Puts brawn's own files into a user's directory. Only files that brawn wrote are replaced.

use super::staged::Staged;
use super::walk::{self, Reached};
use super::write::no_new_file;
use crate::error::{Error, Kind, Result};
use crate::input;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// One file of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The user's cache by the XDG base directory specification: `XDG_CACHE_HOME` if it is an absolute path, else
/// `.cache` in the home directory.
///
/// If the home belongs to another user, it is [`temporary`]: the other user could exchange files in a cache there.
/// This happens in containers of hosted CI (root with the runner's home) and with `sudo`. So it is where the home does not
/// exist, and must not: accounts of services have `/nonexistent`, and Nix builds `/homeless-shelter`.
pub fn cache(xdg_cache_home: Option<PathBuf>, home: Option<PathBuf>) -> Result<PathBuf> {
    let absolute = |path: Option<PathBuf>| path.filter(|p| p.is_absolute());
    let user = rustix::process::geteuid().as_raw();
    let is_own = |home: &Path| fs::metadata(home).is_ok_and(|home| home.uid() == user);
    let of_home = |home: PathBuf| match is_own(&home) {
        true => home.join(".cache").join("brawn"),
        false => temporary(),
    };
    absolute(xdg_cache_home)
        .map(|cache| cache.join("brawn"))
        .or_else(|| absolute(home).map(of_home))
        .ok_or_else(|| {
            Error::usage("neither XDG_CACHE_HOME nor HOME is set")
                .expected("an absolute path in one of them")
                .next("set one of them to a directory of your own")
        })
}

/// The user's directory among temporary files, for users without a usable home.
pub fn temporary() -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    std::env::temp_dir().join(format!("brawn-{user}"))
}

/// Puts `files` into `folder`, which is made if it is missing. Replaces a file only if `is_ours` says that brawn wrote it.
pub fn into_folder(folder: &Path, files: &[File], is_ours: fn(&[u8]) -> bool) -> Result<()> {
    let place = walk::folder_to_write(folder)?;
    files.iter().try_for_each(|file| {
        let path = folder.join(&file.name);
        one(&place, OsStr::new(&file.name), &file.bytes, is_ours).map_err(|e| e.path(&path))
    })
}

/// Fails for `-`: in other programs it means standard output, and nobody wants a file of that name.
pub(super) fn no_stream(path: &Path) -> Result<()> {
    if path != Path::new("-") {
        return Ok(());
    }
    Err(Error::usage("standard output")
        .path(path)
        .expected("the name of a file to write")
        .next("`./-` is a file of that name"))
}

/// Writes one file. Replaces a file only if `is_ours` says that brawn wrote it.
pub fn into_file(path: &Path, bytes: &[u8], is_ours: fn(&[u8]) -> bool) -> Result<()> {
    no_stream(path)?;
    let wrong = |found: &str| {
        let error = Error::usage(found).path(path);
        Err(error.expected("the name of a file to write"))
    };
    if path.file_name().is_none() {
        return wrong("no file name");
    }
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return wrong("not a regular file");
    }
    let place = walk::to_write(path)?;
    one(&place, &place.name, bytes, is_ours).map_err(|e| match e.kind() {
        Kind::Refused => e.path(path).next("choose another name"),
        _ => e.path(path),
    })
}

fn one(
    place: &Reached,
    name: &OsStr,
    bytes: &[u8],
    may_replace: impl Fn(&[u8]) -> bool,
) -> Result<()> {
    let there = input::at(&place.folder, Path::new(name), OFlags::NOFOLLOW);
    match there.and_then(|there| input::all(&there)) {
        Ok(there) if there == bytes => return Ok(()),
        Ok(there) if may_replace(&there) => {}
        Ok(_) => {
            return Err(Error::refused("a file that brawn did not write")
                .expected("nothing, or a file of brawn's")
                .next("choose another directory"));
        }
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(input::failed("cannot read it", e)),
    }
    let failed = |e: std::io::Error| Error::io("cannot write", e);
    let mut staged =
        Staged::new(place.folder.as_fd(), name, 0o644).map_err(|e| no_new_file(&place.path, e))?;
    let written = staged.file().write_all(bytes);
    written
        .and_then(|()| staged.file().sync_all())
        .and_then(|()| Ok(staged.rename()?))
        .map_err(failed)
}

#[cfg(test)]
mod tests;
