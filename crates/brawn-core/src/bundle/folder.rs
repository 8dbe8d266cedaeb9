//! An unpacked bundle, as `swift sdk install` leaves it.

use super::path::{Link, Tree, resolve};
use super::sdk::{self, Files, Target};
use super::{Alone, Limits, manifest};
use crate::error::{Error, Result};
use crate::input::{self, is_missing};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The `libc.a`s of an unpacked bundle.
#[derive(Clone, Debug)]
pub struct Unpacked {
    /// Each archive once, with the targets that link it.
    pub archives: Vec<(PathBuf, Vec<Target>)>,
    /// Targets without a `libc.a` that brawn can patch.
    pub alone: Vec<Alone>,
}

/// The directory of the bundle that `folder` is or is inside of.
///
/// A bundle has an `info.json` with an artifact that is an SDK. A directory with a bundle's name is taken for one
/// without looking.
pub fn bundle(folder: &Path) -> Option<PathBuf> {
    let real = folder.canonicalize().ok()?;
    if is_named(&real) {
        return Some(real);
    }
    // Any directory above may have a file `info.json`: it may be as large as a disk, or a pipe.
    let is_bundle = |folder: &&Path| {
        let files = Folder(folder);
        let json = resolve(&files, b"", b"", b"info.json").and_then(|path| files.json(&path));
        let json = json.ok().flatten();
        json.is_some_and(|json| manifest::variants(&json).is_ok_and(|all| !all.is_empty()))
    };
    let found = real.ancestors().find(is_bundle)?;
    Some(found.to_path_buf())
}

/// Whether a directory has a bundle's name.
pub fn is_named(folder: &Path) -> bool {
    folder.extension() == Some(OsStr::new("artifactbundle"))
}

/// Reads the bundle in the directory `root`.
///
/// # Errors
/// As [`super::plan`]'s, without those about the archives themselves: they have not been read yet.
pub fn read(root: &Path) -> Result<Unpacked> {
    let files = Folder(root);
    let places = sdk::places(&files, b"").map_err(|e| e.path(root))?;
    if places.is_empty() {
        let error = Error::not_applicable("its info.json has no target of a Swift SDK");
        return Err(error
            .expected("an artifact of type `swiftSDK`")
            .path(&root.join("info.json")));
    }
    let (archives, alone) = super::by_archive(places, |path| Ok(files.at(path)))?;
    Ok(Unpacked { archives, alone })
}

struct Folder<'a>(&'a Path);

impl Folder<'_> {
    fn at(&self, path: &[u8]) -> PathBuf {
        self.0.join(OsStr::from_bytes(path))
    }

    fn size(&self, path: &Path) -> Result<Option<u64>> {
        match std::fs::symlink_metadata(path) {
            Ok(metadata) => Ok(metadata.is_file().then_some(metadata.len())),
            Err(e) if is_missing(&e) => Ok(None),
            Err(e) => Err(Error::io("cannot look at it", e).path(path)),
        }
    }
}

impl Tree for Folder<'_> {
    fn link(&self, path: &[u8]) -> Result<Option<Link>> {
        let path = self.at(path);
        match std::fs::read_link(&path) {
            Ok(target) => Ok(Some(Link::Symbolic(
                target.into_os_string().into_encoded_bytes(),
            ))),
            // It is not a link.
            Err(e) if e.kind() == std::io::ErrorKind::InvalidInput || is_missing(&e) => Ok(None),
            Err(e) => Err(Error::io("cannot look at it", e).path(&path)),
        }
    }
}

impl Files for Folder<'_> {
    fn json(&self, path: &[u8]) -> Result<Option<Vec<u8>>> {
        let path = self.at(path);
        let Some(size) = self.size(&path)? else {
            return Ok(None);
        };
        if size > Limits::USUAL.json {
            return Err(Error::refused(format!("a file of {size} bytes"))
                .expected(format!("at most {}", Limits::USUAL.json))
                .path(&path));
        }
        let bytes = input::read(&path);
        bytes
            .map(Some)
            .map_err(|e| input::failed("cannot read it", e).path(&path))
    }

    fn has_libc(&self, path: &[u8]) -> Result<bool> {
        Ok(self.size(&self.at(path))?.is_some())
    }
}

#[cfg(test)]
mod tests;
