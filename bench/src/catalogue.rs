//! What is measured: the workloads, their arguments, and the number of rounds.

use crate::{rows, variant::Variant};
use std::sync::LazyLock;

/// How one measurement is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Run the program and measure the process.
    Run,
    /// Run the program, and stop it at its exit to read its peak memory.
    Peak,
    /// Look at the stripped executable.
    Size,
    /// Time `brawn patch` on a large archive.
    Patch,
}

/// A measurement.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name on the command line and in the raw data.
    pub id: &'static str,
    /// The workload's source file without its extension.
    pub workload: &'static str,
    /// The program's arguments, with blanks between them.
    pub arguments: &'static str,
    /// Its arguments with `--quick`.
    pub quick: &'static str,
    /// The number of rounds, unless the command line gives another.
    pub rounds: usize,
    /// How it is measured.
    pub kind: Kind,
    /// Its title in the tables.
    pub title: &'static str,
    /// The variants that are compared.
    pub variants: &'static [Variant],
}

/// The rounds of a quick run, which only shows that everything works.
pub const QUICK_ROUNDS: usize = 3;

/// A program with every variant, for a module that runs it itself.
pub(crate) const fn by_itself(workload: &'static str, title: &'static str) -> Entry {
    Entry {
        id: workload,
        workload,
        arguments: "",
        quick: "",
        rounds: 1,
        kind: Kind::Run,
        title,
        variants: &Variant::ALL,
    }
}

/// This program takes long to build, so it is only measured if `--only` names it.
pub const WASMTIME: &str = "wasmtime";

/// Everything that is measured: the lines of `catalogue.txt`.
pub static CATALOGUE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let read = |row: [&'static str; 8]| {
        let [
            id,
            workload,
            arguments,
            quick,
            rounds,
            kind,
            variants,
            title,
        ] = row;
        Some(Entry {
            id,
            workload,
            arguments,
            quick,
            rounds: rounds.parse().ok()?,
            kind: match kind {
                "run" => Kind::Run,
                "peak" => Kind::Peak,
                "size" => Kind::Size,
                "patch" => Kind::Patch,
                _ => return None,
            },
            title,
            variants: Variant::group(variants)?,
        })
    };
    let entries = rows(include_str!("catalogue.txt"));
    let entry = |row| read(row).unwrap_or_else(|| panic!("catalogue.txt: {row:?}"));
    entries.map(entry).collect()
});

/// The measurement of that name.
pub fn entry(id: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|e| e.id == id)
}

#[cfg(test)]
mod tests;
