//! Lists the files of a file or directory that is added to an image.

use super::entry::{READ, RUN, What, check_place};
use super::settings::Addition;
use crate::error::{Error, Kind, Result, printable};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A file, directory or link that was found, and its place in the image.
#[derive(Debug)]
pub(super) struct Added {
    /// Its path in the image, without the leading slash.
    pub path: String,
    /// Its permissions there.
    pub mode: u32,
    /// Its size in bytes.
    pub size: u64,
    /// Its kind and contents.
    pub what: What,
}

/// Lists everything in `addition`, beginning with itself.
///
/// Of a file's mode only one thing counts: whether its owner may execute it. Everything else is accidental.
pub(super) fn list(addition: &Addition) -> Result<Vec<Added>> {
    let source = &addition.source;
    let mut place = check_place(&addition.place)?;
    // If the user names a link, its target is meant. Links inside of a directory stay links.
    let stat = fs::metadata(source).map_err(|e| Error::io("cannot look at it", e).path(source))?;
    if !stat.is_dir() && (addition.place.ends_with('/') || place.is_empty()) {
        let name = source.file_name().unwrap_or_default();
        let name = name.to_str().ok_or_else(|| no_text(source))?;
        place = check_place(&format!("/{place}/{name}"))?;
    }
    let mut all = Vec::new();
    let mut open = vec![(source.clone(), place, stat)];
    while let Some((path, place, stat)) = open.pop() {
        let what = if stat.is_dir() {
            open.extend(inside(&path, &place)?);
            What::Folder
        } else if stat.is_file() {
            What::File(path)
        } else if stat.is_symlink() {
            let target =
                fs::read_link(&path).map_err(|e| Error::io("cannot read it", e).path(&path))?;
            let target = target.into_os_string().into_string();
            What::Link(target.map_err(|_| no_text(&path))?)
        } else {
            return Err(Error::refused("neither a file, a directory nor a link")
                .path(&path)
                .next("take it out of what is added"));
        };
        // The image's root already exists.
        if place.is_empty() {
            continue;
        }
        let is_run = !matches!(what, What::File(_)) || stat.mode() & 0o100 != 0;
        all.push(Added {
            path: place,
            mode: if is_run { RUN } else { READ },
            size: match what {
                What::File(_) => stat.len(),
                _ => 0,
            },
            what,
        });
    }
    Ok(all)
}

/// The contents of the directory at `path`, which is put at `place`.
fn inside(path: &Path, place: &str) -> Result<Vec<(PathBuf, String, fs::Metadata)>> {
    let failed = |e| Error::io("cannot list it", e).path(path);
    let mut all = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| no_text(&path))?;
        let place = check_place(&format!("/{place}/{name}")).map_err(|e| e.path(&path))?;
        // Of the entry itself, not of a link's target.
        let stat = entry
            .metadata()
            .map_err(|e| Error::io("cannot look at it", e).path(&path))?;
        all.push((path, place, stat));
    }
    Ok(all)
}

fn no_text(path: &Path) -> Error {
    let name = printable(path.as_os_str().as_bytes());
    Error::new(Kind::Refused, format!("`{name}` is not UTF-8"))
        .path(path)
        .next("rename it")
}
