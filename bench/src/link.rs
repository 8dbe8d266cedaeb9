//! What is kept of a link: the command as a user types it, and the archives that the linker opened.

use crate::{Result, context, repository};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The result of a link.
pub(crate) struct Linked {
    /// The command, as a user types it.
    pub command: String,
    /// Every archive that the linker opened.
    pub archives: Vec<PathBuf>,
}

/// The archives in a linker's trace.
pub(crate) fn opened(trace: &str) -> Vec<PathBuf> {
    let files = trace.lines().map(|l| l.split('(').next().unwrap_or(l));
    files
        .filter(|file| file.ends_with(".a"))
        .map(PathBuf::from)
        .collect()
}

/// A command as a user types it, without this machine's paths.
pub(crate) fn shown(command: &Command, work: &Path) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words
        .map(|w| w.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ");
    let root = format!("{}/", repository().display());
    line.replace(&work.display().to_string(), "$WORK")
        .replace(&root, "")
}

/// Copies an archive so that the copy can be written to, whoever owns the original.
pub(crate) fn copy_writable(from: &Path, to: &Path) -> Result<()> {
    let bytes = context(fs::read(from), "read", from)?;
    context(fs::write(to, bytes), "write", to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_commands_hold_no_local_paths() {
        let mut command = Command::new("musl-gcc");
        command
            .arg("bench/workloads/once.c")
            .arg("-o")
            .arg("/some/where/once");
        let shown = shown(&command, Path::new("/some/where"));
        assert_eq!(shown, "musl-gcc bench/workloads/once.c -o $WORK/once");
    }
}
