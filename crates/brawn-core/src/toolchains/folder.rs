//! Directories. Each is read once, and gives its entries in a stable order.

use crate::error::Error;
use crate::input::is_missing;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The entries of a directory; empty if there is no such directory.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    names: Vec<OsString>,
}

impl Folder {
    /// Reads a directory. If it is missing or cannot be read, it counts as empty.
    pub(super) fn open(path: &Path) -> Self {
        Self::reported(path, &mut Vec::new())
    }

    /// Reads a directory. If it exists and cannot be read, that is an error.
    pub(super) fn reported(path: &Path, errors: &mut Vec<Error>) -> Self {
        let read = || -> std::io::Result<Vec<OsString>> {
            std::fs::read_dir(path)?
                .map(|entry| Ok(entry?.file_name()))
                .collect()
        };
        let mut names = read().unwrap_or_else(|e| {
            if !is_missing(&e) {
                errors.push(Error::io("cannot read the directory", e).path(path));
            }
            Vec::new()
        });
        names.sort_unstable();
        Self {
            path: path.to_path_buf(),
            names,
        }
    }

    /// All its entries.
    pub(super) fn paths(self) -> impl Iterator<Item = PathBuf> {
        let Self { path, names } = self;
        names.into_iter().map(move |name| path.join(name))
    }

    /// The entries whose name is UTF-8 and for which `is_wanted` holds, each with its name.
    pub(super) fn named(
        self,
        is_wanted: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = (String, PathBuf)> {
        let Self { path, names } = self;
        names
            .into_iter()
            .filter_map(|name| name.into_string().ok())
            .filter(move |name| is_wanted(name))
            .map(move |name| {
                let path = path.join(&name);
                (name, path)
            })
    }
}
