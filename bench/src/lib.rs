//! The benchmark of brawn: builds the workloads of `bench/workloads/` against each libc, runs them
//! side by side, keeps every sample, and reports.
//!
//! ```text
//! catalogue ─ prepare ─> executables ─ measure ─> raw data ─ bars, tables ─> report, README.md
//! ```
//!
//! Running is apart from reporting: a report needs the raw data only.
#![forbid(unsafe_code)]

pub mod bars;
pub mod catalogue;
pub mod demo;
pub mod launch;
pub mod libc_page;
pub mod machine;
pub mod measure;
pub mod own;
pub mod prepare;
pub mod progress;
pub mod raw;
pub mod readme;
mod rust;
pub mod show;
pub mod stats;
pub mod tables;
pub mod variant;

use std::path::{Path, PathBuf};

/// An error is a sentence fragment for a person; what failed stands first.
pub type Result<T> = std::result::Result<T, String>;

/// The repository's folder.
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Adds what was being done to an input or output error.
pub(crate) fn context<T>(result: std::io::Result<T>, what: &str, path: &Path) -> Result<T> {
    result.map_err(|error| format!("{what} {}: {error}", path.display()))
}
