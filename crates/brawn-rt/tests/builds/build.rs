//! Builds the crates of `fixtures/`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard};

pub const MUSL: &str = "x86_64-unknown-linux-musl";

pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .expect("the workspace's directory")
        .to_owned()
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

pub fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The Rust toolchain for musl that tools/ installs.
pub fn musl_toolchain(program: &str) -> PathBuf {
    let path = root().join("target/tools/rust-musl/bin").join(program);
    assert!(
        path.exists(),
        "{} is missing: run `make test-tools`",
        path.display()
    );
    path
}

/// `program`, which builds with cargo, in the fixture's directory, and the target directory that it is told of.
pub fn tool(name: &str, program: &Path) -> (Command, PathBuf) {
    let folder = scratch("fixtures").join(name);
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        // What cargo set for this test is not the fixture's.
        if name.to_string_lossy().starts_with("CARGO_") && name != "CARGO_HOME" || name == "RUSTC" {
            command.env_remove(name);
        }
    }
    command
        .current_dir(fixture(name))
        .env("CARGO_TARGET_DIR", &folder);
    (command, folder)
}

/// Held from the start of a build until its product is copied: builds of one fixture share names.
pub fn one_at_a_time() -> MutexGuard<'static, ()> {
    static BUILDING: Mutex<()> = Mutex::new(());
    BUILDING.lock().unwrap_or_else(|e| e.into_inner())
}

/// One build of a fixture.
pub struct Build<'a> {
    pub fixture: &'a str,
    /// Which of the fixture's packages; empty: it has one.
    pub package: &'a str,
    /// `None`: the host's own, with the host's own cargo.
    pub target: Option<&'a str>,
    pub features: &'a str,
    pub rustflags: &'a str,
    /// Environment besides.
    pub env: &'a [(&'a str, &'a str)],
    /// The file that comes out, in the directory of the profile.
    pub artifact: &'a str,
    /// What it is copied to below the scratch directory, since features share a name.
    pub name: &'a str,
}

impl Default for Build<'_> {
    fn default() -> Self {
        Self {
            fixture: "plugin",
            package: "",
            target: None,
            features: "",
            rustflags: "",
            env: &[],
            artifact: "libplugin.so",
            name: "",
        }
    }
}

impl Build<'_> {
    /// Cargo's command, and where its products go.
    fn command(&self) -> (Command, PathBuf) {
        let cargo = match self.target {
            None => PathBuf::from(env!("CARGO")),
            Some(_) => musl_toolchain("cargo"),
        };
        let (mut command, folder) = tool(self.fixture, &cargo);
        if self.target.is_some() {
            command.env_remove("RUSTUP_TOOLCHAIN");
        }
        command
            .args(["build", "--release", "--locked"])
            .env("RUSTFLAGS", self.rustflags);
        if !self.package.is_empty() {
            command.args(["--package", self.package]);
        }
        let mut products = folder;
        if let Some(target) = self.target {
            command.args(["--target", target]);
            products.push(target);
        }
        if !self.features.is_empty() {
            command.args(["--features", self.features]);
        }
        command.env(format!("CC_{}", MUSL.replace('-', "_")), "musl-gcc");
        command.envs(self.env.iter().copied());
        (command, products.join("release"))
    }

    /// Builds it, and returns the artifact's path.
    pub fn run(&self) -> PathBuf {
        let _lock = one_at_a_time();
        let (mut command, products) = self.command();
        let output = command.output().expect("cargo runs");
        succeeded(&output, &format!("{command:?}"));
        let made = scratch("made");
        fs::create_dir_all(&made).unwrap();
        let kept = made.join(self.name);
        // By a program of its own: what this process has open for writing, a child of another test may have, too, and
        // then it cannot be run.
        run("cp", &[&products.join(self.artifact), &kept]);
        kept
    }

    /// Builds it and returns what cargo said: it may fail.  It writes to where other builds of the fixture do.
    pub fn output(&self) -> Output {
        let _lock = one_at_a_time();
        let (mut command, _) = self.command();
        command.output().expect("cargo runs")
    }
}

pub fn succeeded(output: &Output, what: &str) -> String {
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{what}: {}\n{out}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    out
}

/// Runs a program that has to succeed; returns what it printed.
pub fn run<S: AsRef<OsStr>>(program: impl AsRef<OsStr>, arguments: &[S]) -> String {
    let mut command = Command::new("timeout");
    command.arg("300").arg(program).args(arguments);
    let output = command.output().expect("timeout runs");
    succeeded(&output, &format!("{command:?}"))
}

/// What `brawn inspect` tells of a file.
pub fn inspected(path: &Path) -> brawn_core::report::inspect::Inspection {
    brawn_core::report::inspect::inspect(&fs::read(path).unwrap()).unwrap()
}
