//! The directory that a benchmark builds in: emptied before each run, so nobody else's files may be there.

use crate::{Result, context};
use std::fs;
use std::path::Path;

/// The file that says a directory is the benchmark's.
const MARK: &str = ".brawn-bench";

/// Makes a directory the benchmark's own, or confirms that it is.
///
/// # Errors
///
/// It has files, and was not made here.
pub fn claim(folder: &Path) -> Result<()> {
    context(fs::create_dir_all(folder), "create", folder)?;
    let mut entries = context(fs::read_dir(folder), "list", folder)?;
    if !folder.join(MARK).exists() && entries.next().is_some() {
        return Err(format!(
            "{}: has files, and the benchmark did not make it; everything in it would be removed. \
             Name a directory that is empty or does not exist",
            folder.display()
        ));
    }
    mark(folder)
}

/// Makes a directory the benchmark's own, whatever is in it.
///
/// # Errors
///
/// It cannot be made or written to.
pub fn mark(folder: &Path) -> Result<()> {
    context(fs::create_dir_all(folder), "create", folder)?;
    let mark = folder.join(MARK);
    context(fs::write(&mark, ""), "write", &mark)
}

/// Removes everything in a directory, which must be one that [`claim`] accepts.
///
/// # Errors
///
/// It is not the benchmark's, or cannot be removed.
pub fn empty(folder: &Path) -> Result<()> {
    claim(folder)?;
    context(fs::remove_dir_all(folder), "remove", folder)?;
    claim(folder)
}

/// Removes a file or a directory, if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false if path.exists() => fs::remove_file(path),
        false => return Ok(()),
    };
    context(removed, "remove", path)
}

/// Makes a directory, without what an earlier one had.
pub(crate) fn renew(folder: &Path) -> Result<()> {
    remove(folder)?;
    context(fs::create_dir_all(folder), "create", folder)
}

#[cfg(test)]
mod tests;
