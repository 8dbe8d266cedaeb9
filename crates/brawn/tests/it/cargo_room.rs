//! Packages for the tests of `brawn cargo`, and the toolchain that builds them.

use crate::build::inspect;
use crate::common::{brawn_path, tools};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub const MUSL: &str = "x86_64-unknown-linux-musl";
pub const GNU: &str = "x86_64-unknown-linux-gnu";

/// Allocates, and says which of the flags that the tests pass have come to it.
pub const PROGRAM: &str = "#![allow(unexpected_cfgs)]
fn main() {
    let mut all = Vec::new();
    if cfg!(first) { all.push(\"first\".to_string()); }
    if cfg!(second) { all.push(\"second\".to_string()); }
    if cfg!(spaced = \"a b\") { all.push(\"spaced\".to_string()); }
    println!(\"flags: {}\", all.join(\" \"));
}
";

/// A toolchain with std for musl.
pub fn toolchain() -> PathBuf {
    let toolchain = tools().join("rust-musl");
    let libc = self_contained(&toolchain, MUSL);
    assert!(libc.exists(), "{}: run `make test-tools`", libc.display());
    toolchain
}

/// A toolchain's `libc.a`.
pub fn self_contained(toolchain: &Path, target: &str) -> PathBuf {
    let folder = toolchain.join("lib/rustlib").join(target);
    folder.join("lib/self-contained/libc.a")
}

/// A package in a directory of its own, with a cache of its own.
pub struct Package {
    folder: TempDir,
    toolchain: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

impl Package {
    /// An executable named `program`, without debug information: linking std's takes a quarter of the time.
    pub fn new() -> Self {
        let package = Self {
            folder: tempfile::tempdir().expect("a temporary directory"),
            toolchain: toolchain(),
            variables: Vec::new(),
        };
        package.write(
            "Cargo.toml",
            "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[profile.dev]\ndebug = false\n[workspace]\n",
        );
        package.write("src/main.rs", PROGRAM);
        package
    }

    /// With a toolchain of its own, whose `libc.a` may be changed.
    pub fn with_own_toolchain() -> Self {
        let mut package = Self::new();
        let farm = package.path("toolchain");
        // Of a link, there would be a link: what is changed here would be the toolchain of all tests.
        let shared = package.toolchain.canonicalize().expect("a folder");
        let done = Command::new("cp")
            .arg("-as")
            .args([&shared, &farm])
            .status()
            .expect("cp runs");
        assert!(done.success());
        let libc = self_contained(&farm, MUSL);
        let bytes = std::fs::read(&libc).expect("readable");
        std::fs::remove_file(&libc).expect("a link");
        std::fs::write(&libc, bytes).expect("written");
        package.toolchain = farm;
        package
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn toolchain(&self) -> &Path {
        &self.toolchain
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    /// A variable for everything that runs from now on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.into(), value.into()));
    }

    /// What runs in the directory, with nothing of the cargo that runs the tests.
    pub fn command(&self, program: impl Into<OsString>, words: &str) -> Command {
        let mut command = Command::new(program.into());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let is_home = ["CARGO_HOME", "RUSTUP_HOME"].contains(&&*text);
            if (text.starts_with("CARGO") || text.starts_with("RUST")) && !is_home {
                command.env_remove(&name);
            }
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = PathBuf::from(brawn_path());
        let folders = [
            self.toolchain.join("bin"),
            own.parent().expect("a directory").into(),
        ];
        let path = folders.into_iter().chain(std::env::split_paths(&path));
        command
            .args(words.split_whitespace())
            .env("PATH", std::env::join_paths(path).expect("no colons"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("CC_x86_64_unknown_linux_musl", "x86_64-linux-musl-gcc")
            .envs(self.variables.iter().map(|(n, v)| (n, v)))
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// `cargo`, as it is.
    pub fn cargo(&self, words: &str) -> Said {
        Said::by(self.command(self.toolchain.join("bin/cargo"), words))
    }

    /// `brawn cargo`.
    pub fn brawn(&self, words: &str) -> Said {
        Said::by(self.command(brawn_path(), &format!("cargo {words}")))
    }

    /// What the build made.
    pub fn program(&self, target: &str) -> PathBuf {
        self.path("target").join(target).join("debug/program")
    }

    /// Holds whose heap is in the program.
    pub fn has(&self, heap: &str) {
        has_heap(&self.program(MUSL), heap);
    }

    /// The directories of patched copies in its cache.
    pub fn copies(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.path("cache/brawn"));
        let folders = folders.into_iter().flatten().flatten().map(|e| e.path());
        let mut folders: Vec<PathBuf> = folders
            .filter(|f| {
                f.file_name()
                    .is_some_and(|n| n.to_string_lossy().starts_with("libc-"))
            })
            .collect();
        // The other targets that the toolchain has get theirs, too.
        folders.retain(|folder| {
            let archive = std::fs::read(folder.join("libc.a")).expect("a copy");
            let report = brawn_core::report::inspect::inspect(&archive).expect("an archive");
            report.architecture == "x86_64"
        });
        folders.sort();
        folders
    }
}

/// Holds whose heap is in an executable, which must run.
pub fn has_heap(program: &Path, heap: &str) {
    let report = inspect(program.to_str().expect("UTF-8"));
    assert_eq!(report["heap"], heap, "{report:#}");
    let done = Command::new(program).output().expect("it runs");
    assert!(done.status.success(), "{done:?}");
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn by(mut command: Command) -> Self {
        let output: Output = command
            .output()
            .unwrap_or_else(|e| panic!("{command:?}: {e}"));
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Holds that it succeeded.
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self
    }

    /// Holds that it compiled nothing.
    pub fn nothing(self) -> Self {
        let said = self.ok();
        assert!(!said.err.contains("Compiling"), "{}", said.err);
        said
    }

    /// Holds that it compiled something.
    pub fn something(self) -> Self {
        let said = self.ok();
        assert!(said.err.contains("Compiling"), "{}", said.err);
        said
    }
}
