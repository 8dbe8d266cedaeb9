//! Asks cargo which flags its targets get, and rustc what these flags mean.

use super::change::Change;
use super::line::{Line, here};
use super::record::{Call, TOOLCHAIN, VARIABLE};
use brawn_core::publish::place::File;
use brawn_core::publish::{cache, private::PrivateFolder};
use brawn_core::{Error, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::NamedTempFile;

/// The directory of the package that cargo looks at.
const PACKAGE: &str = "cargo-package";

/// How the names of files begin into which calls are recorded, and how long those of a killed run stay.
const SCRATCH: &str = ".scratch-";
const LEFT: Duration = Duration::from_secs(24 * 60 * 60);

/// What rustc is for a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The target's name; `None` for the host's where none was asked for.
    pub target: Option<String>,
    /// The flags that cargo gives it.
    pub flags: Vec<String>,
    /// Where its libraries are.
    pub sysroot: PathBuf,
    /// Whether programs are linked statically with musl.
    pub is_static_musl: bool,
}

/// What cargo did.
#[derive(Debug, Default)]
pub struct Answers {
    /// The compiler.
    pub rustc: PathBuf,
    /// The compiler's own target.
    pub host: String,
    /// The targets, the host's where none was asked for.
    pub targets: Vec<Answer>,
    /// rustup's name of the toolchain.
    pub toolchain: Option<String>,
}

impl Answers {
    /// rustc's answer for a target.
    pub fn of(&self, target: &str) -> Option<&Answer> {
        let is_it = |answer: &&Answer| self.name(answer) == target;
        self.targets.iter().find(is_it)
    }

    /// The name of an answer's target.
    pub fn name<'a>(&'a self, answer: &'a Answer) -> &'a str {
        answer.target.as_deref().unwrap_or(&self.host)
    }

    /// The names of all targets.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.targets.iter().map(|answer| self.name(answer))
    }

    /// Whether there is an answer for the target.  cargo gives rustc another name for some targets.
    fn has(&self, target: &str) -> bool {
        target == "host-tuple" || target.ends_with(".json") || self.of(target).is_some()
    }

    /// Reads the calls of one cargo.
    fn read(calls: &[Call]) -> Option<Self> {
        let version = calls.iter().find(|c| c.arguments == ["-vV"])?;
        let host = version
            .output
            .lines()
            .find_map(|l| l.strip_prefix("host: "))?;
        let mut targets: Vec<Answer> = Vec::new();
        for call in calls.iter().filter(|c| c.succeeded) {
            let Some(answer) = answer(call) else { continue };
            // cargo asks twice if flags depend on answers; the last call counts.
            match targets.iter_mut().find(|t| t.target == answer.target) {
                Some(there) => *there = answer,
                None => targets.push(answer),
            }
        }
        // The host's without flags, for build scripts, if targets were asked for.
        if targets.iter().any(|t| t.target.is_some()) {
            targets.retain(|t| t.target.is_some());
        }
        Some(Self {
            rustc: PathBuf::from(&version.rustc),
            host: host.to_owned(),
            targets,
            toolchain: version.toolchain.clone(),
        })
    }
}

/// The answer in a call, if it is one that asks for a target's properties.
fn answer(call: &Call) -> Option<Answer> {
    let arguments = &call.arguments;
    let from = arguments.iter().position(|a| a == "--print=file-names")? + 1;
    let mut flags = &arguments[from..];
    let to = flags
        .windows(2)
        .position(|w| w == ["--crate-type", "bin"])?;
    flags = &flags[..to];
    let mut target = None;
    if let [before @ .., option, name] = flags
        && option == "--target"
    {
        target = Some(name.clone());
        flags = before;
    }
    let lines = call.output.lines();
    let sysroot = lines.clone().find(|l| l.starts_with('/'))?;
    let has = |line: &str| lines.clone().any(|l| l == line);
    let is_static_musl = has("target_feature=\"crt-static\"") && has("target_env=\"musl\"");
    Some(Answer {
        target,
        flags: flags.to_vec(),
        sysroot: sysroot.into(),
        is_static_musl,
    })
}

/// A question: what cargo would do with these targets and this change.
#[derive(Debug)]
pub struct Question<'a> {
    /// The user's line.
    pub line: &'a Line,
    /// The directory whose configuration counts.
    pub folder: &'a Path,
    /// Where brawn's files are.
    pub root: &'a Path,
    /// rustup's toolchain, in case the directory does not decide which one.
    pub toolchain: Option<String>,
}

/// rustup's toolchain for a command line that uses the configuration of another directory: rustup looks at the directory in
/// which cargo runs.
pub fn toolchain(line: &Line, folder: &Path, root: &Path) -> Result<Option<String>> {
    let here = here()?;
    let is_named = std::env::var_os(TOOLCHAIN).is_some_and(|name| !name.is_empty());
    if folder == here || line.toolchain.is_some() || is_named {
        return Ok(None);
    }
    let question = Question {
        line,
        folder: &here,
        root,
        toolchain: None,
    };
    // If cargo cannot answer, it will fail in the same way when it runs, and say why.
    let answers = question.ask(&[], &Change::default());
    Ok(answers.ok().and_then(|answers| answers.toolchain))
}

/// Puts the package there.
pub fn place_package(root: &Path) -> Result<()> {
    let file = |name: &str, text: &str| File {
        name: name.into(),
        bytes: text.into(),
    };
    PrivateFolder::open(root, PACKAGE)?.place(&[
            file(
                "Cargo.toml",
                "[package]\nname = \"nothing\"\nversion = \"0.0.0\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
            ),
            file(
                "Cargo.lock",
                "version = 3\n\n[[package]]\nname = \"nothing\"\nversion = \"0.0.0\"\n",
            ),
            file("lib.rs", ""),
        ])
}

/// An empty file in `folder`, which is removed when it is dropped. Those of killed runs are removed first.
fn record(folder: &Path) -> Result<NamedTempFile> {
    cache::remove_unused(folder, SCRATCH, LEFT);
    let file = tempfile::Builder::new().prefix(SCRATCH).tempfile_in(folder);
    file.map_err(|e| Error::io("cannot create a file", e).path(folder))
}

impl Question<'_> {
    /// Asks about `targets`, or about those that the configuration names. The error says why some of them have no
    /// answer.
    pub fn ask(&self, targets: &[OsString], change: &Change) -> Result<Answers> {
        let manifest = self.root.join(PACKAGE).join("Cargo.toml");
        let record = record(&self.root.join(PACKAGE))?;
        let own = std::env::current_exe().map_err(|e| Error::io("cannot find brawn itself", e))?;
        let mut command = Command::new(self.line.cargo());
        command
            .args(&self.line.toolchain)
            .args(self.line.everywhere(&here()?));
        if let Some(toolchain) = &self.toolchain {
            command.env(TOOLCHAIN, toolchain);
        }
        change.apply(&mut command);
        for config in &change.config {
            command.args(["--config", config]);
        }
        command
            .args(["tree", "--quiet", "--offline", "--manifest-path"])
            .arg(manifest);
        for target in targets {
            command.arg("--target").arg(target);
        }
        let output = command
            // cargo keeps rustc's earlier answers; with those it would not ask again.
            .env("CARGO_CACHE_RUSTC_INFO", "0")
            .env("RUSTC_WRAPPER", own)
            .env("RUSTC_WORKSPACE_WRAPPER", "")
            .env(VARIABLE, record.path())
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| Error::io("cannot run cargo", e).path(Path::new(&self.line.cargo())))?;
        let calls = std::fs::read_to_string(record.path())
            .map_err(|e| Error::io("cannot read it", e).path(record.path()))?;
        let calls: Vec<Call> = calls
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        // It does not matter whether cargo succeeds: after these calls it may lack something else.
        Answers::read(&calls)
            .filter(|answers| {
                let mut names = targets.iter().filter_map(|t| t.to_str());
                !answers.targets.is_empty() && names.all(|name| answers.has(name))
            })
            .ok_or_else(|| {
                let said = String::from_utf8_lossy(&output.stderr);
                let error = said.lines().find(|line| line.starts_with("error"));
                Error::refused(format!(
                    "cargo did not say what flags its targets get: {}",
                    error.unwrap_or("no word of why")
                ))
            })
    }
}

#[cfg(test)]
mod tests;
