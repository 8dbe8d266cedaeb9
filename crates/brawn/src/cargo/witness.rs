//! The files that a result about cargo's flags depends on.

use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// The file.
    pub path: PathBuf,
    /// Size, seconds and nanoseconds of its last change, device and inode; none if it was not there.
    state: Option<(u64, i64, i64, u64, u64)>,
}

impl Witness {
    /// The file as it is.
    pub fn of(path: &Path) -> Self {
        let state = std::fs::metadata(path)
            .ok()
            .map(|m| (m.size(), m.mtime(), m.mtime_nsec(), m.dev(), m.ino()));
        Self {
            path: path.into(),
            state,
        }
    }

    /// Whether it still is as it was.
    pub fn still_holds(&self) -> bool {
        *self == Self::of(&self.path)
    }
}
