//! A user's toolchain for C or C++: one command that compiles and links, as it is typed, and what is added to its lines.

use brawn_core::component::Component;
use brawn_core::link_args::{self, shell};
use brawn_core::{Error, Result};
use brawn_payload::Payload;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long one call may take: zig compiles all of musl at its first use.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// A command that compiles and links.
#[derive(Clone, Debug, Default)]
pub struct Toolchain {
    /// The command, word by word.
    pub words: Vec<String>,
    /// What ends each line that links: brawn's objects, or nothing.
    pub objects: Vec<String>,
}

impl Toolchain {
    /// Made from the words of the command.
    pub fn new(words: &[String]) -> Self {
        Self {
            words: words.to_vec(),
            objects: Vec::new(),
        }
    }

    /// The command, quoted for a shell.
    pub fn typed(&self) -> String {
        shell(&self.words)
    }

    /// The command with more words, quoted for a shell.
    pub fn line(&self, more: &[String]) -> String {
        shell(&[&self.words[..], more].concat())
    }

    /// The same command with `objects` at the end of lines that link.
    #[must_use]
    pub fn with(&self, objects: Vec<String>) -> Self {
        let words = self.words.clone();
        Self { words, objects }
    }

    /// The same command with the payload's objects there. `write` gets each file's path in `folder`, and its bytes.
    ///
    /// # Errors
    /// The payload does not go there, or a file could not be written.
    pub fn with_payload(
        &self,
        payload: &Payload,
        folder: &Path,
        write: impl Fn(&Path, &[u8]) -> Result<()>,
    ) -> Result<Self> {
        let link = link_args::link(payload, Component::ALL, folder)?;
        for file in link_args::files(payload, &link)? {
            write(&folder.join(&file.name), &file.bytes)?;
        }
        Ok(self.with(link.flags.cc))
    }

    /// The same command without the words for which `is_dropped` holds.
    #[must_use]
    pub fn without(&self, is_dropped: impl Fn(&str) -> bool) -> Self {
        let mut toolchain = self.clone();
        // The first word is the command itself.
        let mut number = 0;
        toolchain.words.retain(|word| {
            number += 1;
            number == 1 || !is_dropped(word)
        });
        toolchain
    }

    /// The same command with `word` before the first word that begins with `start`, if there is one.
    #[must_use]
    pub fn before(&self, start: &str, word: &str) -> Self {
        let mut toolchain = self.clone();
        if let Some(at) = self.words.iter().skip(1).position(|w| w.starts_with(start)) {
            toolchain.words.insert(at + 1, word.to_owned());
        }
        toolchain
    }

    /// The command with its words, for temporary files in `folder`: it may be killed, and then leaves them.
    ///
    /// # Errors
    /// It has no words.
    pub fn command(&self, folder: &Path) -> Result<Command> {
        let (program, words) = self
            .words
            .split_first()
            .ok_or_else(|| Error::usage("an empty command"))?;
        let mut command = Command::new(program);
        command.args(words).env("TMPDIR", folder);
        Ok(command)
    }
}

/// Runs a command that must succeed, and returns its output.
///
/// # Errors
/// The command with what it said.
pub fn checked(command: &mut Command) -> std::result::Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "{command:?}: {}\n{}",
        output.status,
        stderr.trim_end()
    ))
}

#[cfg(test)]
mod tests;
