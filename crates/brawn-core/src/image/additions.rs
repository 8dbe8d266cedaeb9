//! What a file or folder that goes into an image consists of.

use super::entry::{READ, RUN, What, check_place};
use super::settings::Addition;
use crate::error::{Error, Kind, Result, printable};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Something that is found, and where it goes.
#[derive(Debug)]
pub(super) struct Found {
    /// Its path in the image, without the leading slash.
    pub path: String,
    /// Its permissions there.
    pub mode: u32,
    /// Its size in bytes.
    pub size: u64,
    /// What it is.
    pub what: What,
}

/// Lists what `addition` consists of, itself first.
///
/// Of a file's mode only counts whether its owner may run it: all else is chance.
pub(super) fn list(addition: &Addition) -> Result<Vec<Found>> {
    let source = &addition.source;
    let mut place = check_place(&addition.place)?;
    // A link that is named means what it leads to; those inside of a folder stay links.
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
            return Err(Error::refused("neither a file, a folder nor a link")
                .path(&path)
                .next("take it out of what is added"));
        };
        // The image's root is there already.
        if place.is_empty() {
            continue;
        }
        let is_run = !matches!(what, What::File(_)) || stat.mode() & 0o100 != 0;
        all.push(Found {
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

/// What is in the folder at `path`, which goes to `place`.
fn inside(path: &Path, place: &str) -> Result<Vec<(PathBuf, String, fs::Metadata)>> {
    let failed = |e| Error::io("cannot list it", e).path(path);
    let mut all = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| no_text(&path))?;
        let place = check_place(&format!("/{place}/{name}")).map_err(|e| e.path(&path))?;
        // Of the entry, not of what a link leads to.
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
