//! Finds the `libc.a`s in a directory.

use brawn_core::{Error, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What a walk through a directory found.
#[derive(Debug, Default)]
pub struct Libcs {
    /// Regular files named `libc.a`, in a stable order.
    pub archives: Vec<PathBuf>,
    /// Symlinks named `libc.a`.  A target inside the directory is found anyway; a target outside
    /// does not belong to the directory.
    pub links: Vec<PathBuf>,
    /// Directories that could not be read.
    pub errors: Vec<Error>,
}

/// Walks `folder`.  Symlinks below it are not followed, so that loops end and nothing outside of
/// it is touched.
pub fn walk(folder: &Path) -> Libcs {
    let mut found = Libcs::default();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        if let Err(error) = list(&folder, &mut found, &mut todo) {
            found.errors.push(error);
        }
    }
    found.archives.sort_unstable();
    found.links.sort_unstable();
    found
}

fn list(folder: &Path, found: &mut Libcs, todo: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |e| Error::io("cannot read the directory", e).path(folder);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            todo.push(entry.path());
        } else if entry.file_name() == OsStr::new("libc.a") {
            if kind.is_symlink() {
                found.links.push(entry.path());
            } else if kind.is_file() {
                found.archives.push(entry.path());
            }
        }
    }
    Ok(())
}
