//! The benchmark of brawn: builds the workloads of `bench/workloads/` against each libc, runs them
//! side by side, keeps every sample, and reports.
//!
//! ```text
//! catalogue ─ prepare ─> executables ─ measure ─> raw data ─ bars, tables ─> report, README.md
//! ```
//!
//! Measuring is separate from reporting: a report only needs the raw data.
#![forbid(unsafe_code)]

pub mod bars;
pub mod catalogue;
pub mod demo;
pub mod heaps;
pub use brawn_lab::stats::median as stats;
mod link;
pub use brawn_lab::run::machine;
pub mod measure;
mod nginx;
pub mod own;
pub mod pages;
pub mod prepare;
pub mod progress;
pub mod raw;
pub mod readme;
pub mod rule;
mod rust;
/// Tables and figures, as all of brawn's measurements show them.
pub mod show {
    pub use brawn_lab::show::table::*;
    pub use brawn_lab::show::units::*;
}
pub mod tables;
pub mod traced;
pub mod variant;
pub mod versions;
pub mod work;

use std::path::{Path, PathBuf};

/// An error is a fragment of a sentence for people; it begins with what failed.
pub type Result<T> = std::result::Result<T, String>;

/// The repository's directory.
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The lines of a table in text, each with its cells. Blank lines and those that begin with `#` are none.
pub(crate) fn rows<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let lines = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let cells = cells.try_into();
        cells.unwrap_or_else(|_| panic!("not {N} cells: {line}"))
    })
}

/// Adds to an input or output error what was being done.
pub(crate) fn context<T>(result: std::io::Result<T>, what: &str, path: &Path) -> Result<T> {
    result.map_err(|error| format!("{what} {}: {error}", path.display()))
}

/// How many bytes a file has.
pub(crate) fn file_size(path: &Path) -> Result<u64> {
    Ok(context(std::fs::metadata(path), "look at", path)?.len())
}
