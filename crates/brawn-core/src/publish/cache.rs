//! Keeps a cache from growing forever. Files are put there by [`place`](super::place).
//!
//! Nothing here is locked. If two processes write the same file, both write the same contents. A file that is removed
//! is made again by the next run that needs it, and a file that was used recently is not removed.

use crate::error::{Error, Result};
use std::fs::{self, File, FileTimes};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How exactly the time of the last use is known. So a build that has nothing to do writes nothing.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Notes that a file or directory of the cache is used now. This fails on a read-only disk, but there nothing can be
/// removed either.
pub fn used(path: &Path) {
    if age(path).is_some_and(|age| age > DAY) {
        let now = FileTimes::new().set_modified(SystemTime::now());
        let _ = File::open(path).and_then(|file| file.set_times(now));
    }
}

/// Makes `link` point at `to`, unless something is there.
pub fn link(to: &Path, link: &Path) -> Result<()> {
    match std::os::unix::fs::symlink(to, link) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => {
            Err(Error::io("cannot create the link", e).path(link))
        }
        _ => Ok(()),
    }
}

/// Keeps the `number` files of `folder` that were used last, and removes all others.
pub fn keep_newest(folder: &Path, number: usize) {
    let mut files: Vec<_> = entries(folder, "")
        .into_iter()
        .filter_map(|path| Some((age(&path)?, path)))
        .collect();
    files.sort_unstable();
    for (_, path) in files.into_iter().skip(number) {
        // Another process may have removed it.
        let _ = fs::remove_file(path);
    }
}

/// Removes everything in `folder` whose name begins with `prefix` and that was not used for the time `unused`.
pub fn remove_unused(folder: &Path, prefix: &str, unused: Duration) {
    for path in entries(folder, prefix) {
        if age(&path).is_none_or(|age| age < unused) {
            continue;
        }
        // Another process may have removed it.
        let _ = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
    }
}

fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter(|e| {
        e.file_name()
            .as_encoded_bytes()
            .starts_with(prefix.as_bytes())
    })
    .map(|e| e.path())
    .collect()
}

/// The time since its last use; `None` if that time is in the future.
fn age(path: &Path) -> Option<Duration> {
    let modified = fs::symlink_metadata(path).and_then(|m| m.modified()).ok()?;
    SystemTime::now().duration_since(modified).ok()
}

#[cfg(test)]
mod tests;
