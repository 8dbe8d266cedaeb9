//! Measures tokenizers' `encode_batch` in Rust, Python and Node with each heap (bench/extensions/README.md).
//!
//! ```text
//! build ─> target/bench-extensions/built/HEAP/ ─ measure ─> bench/results/extensions.json ─ table
//! ```
//!
//! A round is one process of each heap, in a random order; ratios are taken within a round.

mod build;
mod run;
mod table;

pub use build::build;
pub use run::measure;
pub use table::show;

use crate::{Result, context, readme, repository};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The part of the text that is encoded, in bytes: a round of five heaps then takes less than two minutes.
const MAX_TEXT: usize = 2_000_000;
/// How often a process encodes it.
const CALLS: u32 = 50;
const THREADS: [u32; 2] = [1, 2];

/// What a user of tokenizers loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Binding {
    /// A program.
    Rust,
    /// A module that maturin makes a wheel of.
    Python,
    /// A module for `require`.
    Node,
}

impl Binding {
    const ALL: [Self; 3] = [Self::Rust, Self::Python, Self::Node];

    fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Node => "node",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::Node => "Node",
        }
    }
}

/// The heaps, and the features of bench/extensions that choose them.
const HEAPS: [(&str, Option<&str>); 5] = [
    ("system", None),
    ("mimalloc", Some("mimalloc")),
    ("fast", Some("brawn")),
    ("secure", Some("brawn-secure")),
    ("lean", Some("brawn-lean")),
];

/// One process of [`CALLS`] calls: an element of bench/results/extensions.json.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Process {
    /// Counted from 1, over all that were ever measured.
    pub round: u32,
    /// The day, in UTC.
    pub day: String,
    /// Its name, family and model, since virtual machines' names say little. The first 46 rounds lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// The kernel's release.
    pub kernel: String,
    /// How much text is encoded.
    pub bytes: usize,
    /// The binding.
    pub binding: Binding,
    /// One of the heaps' names.
    pub heap: String,
    /// Whose heap it is, as the program itself says.
    pub said: String,
    /// Threads that encode.
    pub threads: u32,
    /// What other processes took of the machine's processors meanwhile, from 0 to 1.
    pub others: f64,
    /// Tokens of the text, which are the same with every heap.
    pub tokens: u64,
    /// The time of each call.
    pub seconds: Vec<f64>,
    /// Resident memory after the last call, whose result is still held.
    pub rss_kib: u64,
}

/// The directory of what is built, and of text and vocabulary, which tools/extensions.sh gets.
fn work() -> PathBuf {
    repository().join("target/bench-extensions")
}

fn sources() -> PathBuf {
    repository().join("bench/extensions")
}

/// What is built: a file, or the directory of Python's package.
fn product(binding: Binding, heap: &str) -> PathBuf {
    let name = match binding {
        Binding::Rust => "program",
        Binding::Python => "extensions_python",
        Binding::Node => "extensions_node.node",
    };
    work().join("built").join(heap).join(name)
}

/// Whether `name` begins with one of the words; without words, everything is chosen.
fn is_chosen(name: &str, words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| name.starts_with(word.as_str()))
}

fn results() -> PathBuf {
    readme::results_folder().join("extensions.json")
}

/// All processes that were ever measured; none if there is no file.
///
/// # Errors
///
/// The file cannot be read, or is not what [`measure`] writes.
pub fn stored() -> Result<Vec<Process>> {
    let path = results();
    match path.exists() {
        true => crate::raw::read_json(&path),
        false => Ok(Vec::new()),
    }
}

/// Writes all of them, a line for each, so that the repository's history shows which came.
fn store(processes: &[Process]) -> Result<()> {
    let lines: serde_json::Result<Vec<_>> = processes.iter().map(serde_json::to_string).collect();
    let lines = lines.map_err(|error| format!("write the raw data: {error}"))?;
    let path = results();
    let new = path.with_extension("json.new");
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    context(std::fs::write(&new, text), "write", &new)?;
    context(std::fs::rename(&new, &path), "replace", &path)
}

#[cfg(test)]
mod tests;
