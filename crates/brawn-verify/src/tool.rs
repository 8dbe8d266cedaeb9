//! The user's command, which compiles and links without changes.

use brawn_core::{Error, Result};
use brawn_lab::build::{PATIENCE, Toolchain};
use brawn_lab::process::watch::{Ran, watch};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Flags for every program. A `malloc` whose result is not used must stay. By default, zig traps on behaviour that C
/// leaves undefined, which would change the program. Warnings are what the programs are written for.
const COMPILE: [&str; 7] = [
    "-c",
    "-O1",
    "-w",
    "-Wno-error",
    "-D_GNU_SOURCE",
    "-fno-builtin",
    "-fno-sanitize=undefined",
];

/// How compilers and linkers tell of a full disk: `strerror` of every libc, without a locale.
const NO_SPACE: &str = "No space left on device";

/// A toolchain, and how it is run.
#[derive(Clone, Debug)]
pub struct Tool<'a> {
    pub toolchain: Toolchain,
    /// For its temporary files.
    folder: PathBuf,
    stop: &'a AtomicBool,
}

impl<'a> Tool<'a> {
    /// Made from the words of the command. Its temporary files are in `folder`.
    pub fn new(words: &[String], folder: &Path, stop: &'a AtomicBool) -> Self {
        Self {
            toolchain: Toolchain::new(words),
            folder: folder.to_owned(),
            stop,
        }
    }

    /// The command, quoted for a shell.
    pub fn line(&self) -> String {
        self.toolchain.typed()
    }

    /// Another toolchain, run in the same way.
    fn of(&self, toolchain: Toolchain) -> Self {
        Self {
            toolchain,
            ..self.clone()
        }
    }

    /// The same command without the words for which `is_dropped` holds.
    #[must_use]
    pub fn without(&self, is_dropped: impl Fn(&str) -> bool) -> Self {
        self.of(self.toolchain.without(is_dropped))
    }

    /// The same command with `word` before the first word that begins with `start`, if there is one.
    #[must_use]
    pub fn before(&self, start: &str, word: &str) -> Self {
        self.of(self.toolchain.before(start, word))
    }

    /// Runs it with `more` arguments.
    pub fn run(&self, more: &[String]) -> Result<Ran> {
        let mut command = self.toolchain.command(&self.folder)?;
        // Only this makes zig print which libc.a it links. Other tools ignore it.
        command
            .args(more)
            .env("ZIG_VERBOSE_LINK", "1")
            .env("LC_MESSAGES", "C");
        watch(&mut command, PATIENCE, self.stop).map_err(|e| {
            let program = command.get_program().display();
            let what = format!("cannot run `{program}`");
            let error = match e.kind() {
                std::io::ErrorKind::NotFound => Error::usage(format!("{what}: {e}")),
                _ => Error::io(what, e),
            };
            error
                .expected("the command that compiles and links your static programs")
                .next("check its name and PATH, or give its whole path")
        })
    }

    /// Compiles `source`. `Err` has the compiler's output.
    pub fn compile(
        &self,
        source: &Path,
        object: &Path,
        flags: &[String],
    ) -> Result<std::result::Result<(), String>> {
        // Compilers refuse `-c -o` with several files.
        let tool = self.without(|word| is_linked(Path::new(word)));
        let mut more: Vec<String> = COMPILE.iter().map(|f| (*f).to_owned()).collect();
        more.extend_from_slice(flags);
        more.extend(["-o".to_owned(), text(object), text(source)]);
        tool.finish(&more)
    }

    /// Links `inputs`. `Err` has the linker's output.
    pub fn link(
        &self,
        inputs: &[String],
        executable: &Path,
    ) -> Result<std::result::Result<(), String>> {
        let mut more = vec!["-o".to_owned(), text(executable)];
        more.extend_from_slice(inputs);
        self.finish(&more)
    }

    fn finish(&self, more: &[String]) -> Result<std::result::Result<(), String>> {
        let ran = self.run(more)?;
        if ran.end.is_success() {
            return Ok(Ok(()));
        }
        // That says nothing about the toolchain.
        if ran.out.contains(NO_SPACE) || ran.err.contains(NO_SPACE) {
            let what = format!("`{}` could not write its files", self.line());
            return Err(
                Error::io(what, std::io::Error::from(rustix::io::Errno::NOSPC))
                    .path(&self.folder)
                    .next("make room, or choose another place with TMPDIR or `--keep`"),
            );
        }
        let line = self.toolchain.line(more);
        Ok(Err(format!(
            "{line}\n{}\n{}{}",
            ran.end.describe(),
            ran.out,
            ran.err
        )))
    }
}

/// Whether a word of a command is an object or archive.
pub fn is_linked(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "o" || e == "a") && path.is_file()
}

/// A path of brawn's own as text. It is UTF-8: its directory was checked.
pub fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Writes a file in a directory of brawn's own.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|e| Error::io("cannot write", e).path(path))
}

/// Makes a directory, and those above it.
pub fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Error::io("cannot create the directory", e).path(folder))
}

/// The bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::io("cannot read it", e).path(path))
}

/// The bytes of an executable that a toolchain made.
pub fn linked(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::io("cannot read what was linked", e).path(path))
}
