//! The programs and their jobs: the lines of `programs.txt`.

use crate::rows;
use std::sync::LazyLock;

/// A program and its job.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub title: &'static str,
    /// Source files, with blanks between them. `*` in a file's name stands for any letters.
    pub(super) sources: &'static str,
    /// Files that `sources` matches, but that are left out.
    pub(super) without: &'static str,
    pub(super) flags: &'static str,
    pub(super) arguments: &'static str,
    /// A shorter job, for tests.
    pub quick: &'static str,
    /// Whether its output depends only on its input.
    pub(super) is_exact: bool,
}

/// All of them.
pub static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
    let program = |row: [&'static str; 8]| {
        let [
            name,
            title,
            sources,
            without,
            flags,
            arguments,
            quick,
            output,
        ] = row;
        Program {
            name,
            title,
            sources,
            without,
            flags,
            arguments,
            quick,
            is_exact: output == "same",
        }
    };
    rows(include_str!("programs.txt")).map(program).collect()
});
