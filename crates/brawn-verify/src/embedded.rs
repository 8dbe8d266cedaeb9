//! The programs of `conformance/`, embedded in this crate, for machines without a checkout.

use crate::directives::Program;
use std::io::Read as _;
use std::path::Path;
use std::sync::LazyLock;

/// The name and the length of every file.
const TABLE: &[(&str, usize)] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Their texts one after another, as gzip has them: a quarter of their length.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/programs.gz"));

static TEXT: LazyLock<String> = LazyLock::new(|| {
    // If there is no memory for it, this ends brawn with an error; reading would give one that is no reason to panic.
    let mut text = String::with_capacity(TABLE.iter().map(|(_, length)| length).sum());
    // A program's own bytes: they are what the build script wrote.
    let read = flate2::read::GzDecoder::new(PACKED).read_to_string(&mut text);
    read.expect("the embedded programs unpack");
    text
});

/// Every file of `programs/`, by its path there, sorted.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut at = 0;
    TABLE.iter().map(move |(name, length)| {
        let text = &TEXT[at..at + length];
        at += length;
        (*name, text)
    })
}

/// Writes the files into `folder`. Returns the programs among them.
pub fn programs(folder: &Path) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for (name, text) in files() {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        if !name.contains('/') && (name.ends_with(".c") || name.ends_with(".cc")) {
            programs.push(Program::parse(&path, text)?);
        }
    }
    Ok(programs)
}

#[cfg(test)]
mod tests;
