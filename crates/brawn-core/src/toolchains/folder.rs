//! Folders, read once and in a stable order.

use super::is_missing;
use crate::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What is in a folder; nothing, where there is none.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    names: Vec<OsString>,
}

impl Folder {
    /// Reads one whose absence, or closed door, says nothing to anybody.
    pub(super) fn open(path: &Path) -> Self {
        Self::reported(path, &mut Vec::new())
    }

    /// Reads one that must be readable if it is there.
    pub(super) fn reported(path: &Path, errors: &mut Vec<Error>) -> Self {
        let read = || -> std::io::Result<Vec<OsString>> {
            std::fs::read_dir(path)?
                .map(|entry| Ok(entry?.file_name()))
                .collect()
        };
        let mut names = read().unwrap_or_else(|e| {
            if !is_missing(&e) {
                errors.push(Error::io("cannot read the folder", e).path(path));
            }
            Vec::new()
        });
        names.sort();
        Self {
            path: path.to_path_buf(),
            names,
        }
    }

    /// Everything in it.
    pub(super) fn paths(self) -> impl Iterator<Item = PathBuf> {
        let Self { path, names } = self;
        names.into_iter().map(move |name| path.join(name))
    }

    /// What is in it by a name that is text and that `is_wanted` wants, with that name.
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
