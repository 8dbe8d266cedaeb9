//! Builds the programs in a temporary directory, and looks at what the compilers make.

use super::workloads::{FILES, ONCE, Workload};
use crate::commands::compare::candidates;
use crate::commands::compare::signals::Signals;
use crate::commands::run::{Stop, search};
use brawn_core::identify::{Libc, Linkage};
use brawn_core::report::inspect::{Inspection, inspect};
use brawn_core::shown::{self, shown};
use brawn_core::{Error, Kind, Result};
use brawn_lab::build::{PATIENCE, Toolchain};
use brawn_lab::data;
use brawn_lab::judge::functions::FLAGS;
use brawn_lab::process::job::{End, Failure, Job, Output, Run};
use brawn_lab::process::tree;
use brawn_lab::run::outputs::ended;
use brawn_lab::run::request::Form;
use brawn_payload::{Profile, payloads};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How much of a compiler's output is kept.
const SAID: usize = 1 << 16;
/// What stands in a message of a compiler or a linker that says why a program is not built.
const MESSAGES: [&str; 3] = ["error:", "undefined ", "cannot find "];
/// How much of such a message is shown, in characters.
const LONGEST: usize = 160;
/// The advice if the temporary directory cannot be used.
const TMPDIR: &str = "choose another directory with TMPDIR";

/// A way to build.
#[derive(Clone)]
pub struct Way {
    pub name: &'static str,
    kind: data::CandidateKind,
    /// The compiler, as it is started.
    path: PathBuf,
    /// What it is started with, and what follows the program's own source.
    toolchain: Toolchain,
}

/// The directory, and the ways to build.
pub struct Site<'a> {
    folder: tempfile::TempDir,
    pub ways: Vec<Way>,
    signals: &'a Signals,
}

impl<'a> Site<'a> {
    /// Lays out the sources, and tries the compilers: `cc` for musl, and `against` for glibc.
    pub fn new(cc: &str, against: Option<&str>, signals: &'a Signals) -> Result<Self> {
        let stock = Way::of("musl", data::CandidateKind::Original, cc, true)?;
        let folder = tempfile::Builder::new().prefix("brawn-bench-").tempdir();
        let folder =
            folder.map_err(|e| Error::io("cannot create a temporary directory", e).next(TMPDIR))?;
        signals.removes(folder.path());
        let mut site = Self {
            folder,
            ways: Vec::new(),
            signals,
        };
        for (name, text) in FILES {
            site.write(name, text.as_bytes())?;
        }
        let report = site.tried(&stock)?;
        check(&stock, &report)?;
        site.runs(&stock)?;
        let brawn = site.brawns(&stock)?;
        site.tried(&brawn)?;
        site.ways = vec![stock, brawn];
        site.ways.extend(site.glibcs(against)?);
        Ok(site)
    }

    /// The commands, by form.
    pub fn compilers(&self) -> BTreeMap<String, String> {
        let shown = |way: &Way| (way.name.to_owned(), way.line());
        self.ways.iter().map(shown).collect()
    }

    /// The forms of a workload.
    pub fn forms(&self, workload: &Workload) -> Result<Vec<Form>> {
        let form = |way: &Way| {
            let path = self.build(way, workload.source)?;
            let form = candidates::form(way.name, way.kind, &path);
            form.map_err(|stop| match stop {
                stop if stop.kind() == Kind::Io => stop.next(TMPDIR),
                stop => stop,
            })
        };
        self.ways.iter().map(form).collect()
    }

    /// Where a file of that name is.
    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        written(&self.at(name), bytes)
    }

    /// Builds one program.
    fn build(&self, way: &Way, source: &str) -> Result<PathBuf> {
        let output = self.at(&format!("{source}-{}", way.name));
        let file = format!("{source}.c");
        match self.compile(way, &output, &[&file], &[])? {
            None => Ok(output),
            Some(said) => Err(self.refused(way, &file, &said)),
        }
    }

    /// Builds `output` of the files with these names, with `last` at the end of the line. If that fails, gives how, and
    /// what the compiler said.
    pub fn compile(
        &self,
        way: &Way,
        output: &Path,
        sources: &[&str],
        last: &[&str],
    ) -> Result<Option<String>> {
        let mut arguments: Vec<OsString> = way.toolchain.words.iter().map(OsString::from).collect();
        arguments.extend(FLAGS.map(OsString::from));
        arguments.push("-o".into());
        arguments.push(output.into());
        arguments.extend(sources.iter().map(|source| self.at(source).into()));
        arguments.extend(way.toolchain.objects.iter().map(OsString::from));
        arguments.extend(last.iter().map(OsString::from));
        let run = self.run(&way.path, &arguments, PATIENCE)?;
        if run.end == End::Exit(0) {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&run.output[1].bytes).into_owned();
        Ok(Some(format!("it {}\n{}", ended(&run), said.trim_end())))
    }

    /// The error for a program that a compiler does not build, with the first message of what it `said`.
    pub fn refused(&self, way: &Way, file: &str, said: &str) -> Error {
        Error::refused(format!(
            "`{}` does not build {file}: {}",
            way.typed(),
            self.message(said)
        ))
        .expected("a command that compiles and links C programs, as it is")
        .next("make that work first; if the directory is full, choose another with TMPDIR")
    }

    /// The first message of a compiler or a linker, without the directory's name, in one line; if there is none, how the
    /// compiler ended, which [`Self::compile`] puts in front of what it said, with the last line.
    pub fn message(&self, said: &str) -> String {
        let folder = self.at("").to_string_lossy().into_owned();
        // gcc's driver only repeats that the linker failed.
        let is_message = |line: &&str| {
            MESSAGES.iter().any(|word| line.contains(word)) && !line.starts_with("collect2: ")
        };
        let (ended, printed) = said.split_once('\n').unwrap_or((said, ""));
        let line = printed.lines().find(is_message).unwrap_or(ended);
        let line = line.replace(&folder, "");
        shown::line(line.trim())
            .to_string()
            .chars()
            .take(LONGEST)
            .collect()
    }

    /// Runs something that must not outlive brawn.
    pub fn run(&self, path: &Path, arguments: &[OsString], limit: Duration) -> Result<Run> {
        // A compiler that is killed leaves files behind; they are removed with the directory.
        let folder = self.folder.path().as_os_str().to_owned();
        let variables = [(OsString::from("TMPDIR"), folder)];
        let job = Job {
            variables: &variables,
            output: Output::Kept(SAID),
            limit: Some(limit),
            interrupt: Some(self.signals.file()),
            ..Job::new(path, arguments)
        };
        tree::run(&job).map_err(|failure| match failure {
            Failure::Interrupted => self.signals.obey(),
            Failure::Start(error) => Error::io("cannot run it", error).path(path),
            Failure::System(what, error) => Error::io(what, error),
        })
    }

    /// The result of a compiler for the smallest program.
    fn tried(&self, way: &Way) -> Result<Inspection> {
        report(&self.build(way, ONCE)?)
    }

    /// Whether `path` is a program of musl's.
    pub fn check(&self, way: &Way, path: &Path) -> Result<()> {
        check(way, &report(path)?)
    }

    /// Whether programs can run in the directory at all.
    fn runs(&self, way: &Way) -> Result<()> {
        let path = self.at(&format!("{ONCE}-{}", way.name));
        let arguments = [OsString::from(ONCE)];
        let run = self.run(&path, &arguments, Duration::from_secs(60));
        let run = run.map_err(|e| {
            e.expected("a directory in which programs may run")
                .next(TMPDIR)
        })?;
        match run.end {
            End::Exit(0) => Ok(()),
            _ => Err(Error::refused(format!("the smallest program {}", ended(&run))).path(&path)),
        }
    }

    /// The same compiler with the arguments of `brawn link-args`.
    fn brawns(&self, stock: &Way) -> Result<Way> {
        let payload = payloads().iter().find(|payload| {
            payload.architecture.name() == std::env::consts::ARCH
                && payload.profile == Profile::Fast
        });
        let found = format!("no payload for {}", std::env::consts::ARCH);
        let payload = payload.ok_or_else(|| Error::not_applicable(found))?;
        let toolchain = &stock.toolchain;
        Ok(Way {
            name: "brawn",
            kind: data::CandidateKind::Other,
            path: stock.path.clone(),
            toolchain: toolchain.with_payload(payload, self.folder.path(), written)?,
        })
    }

    /// The compiler for glibc, if there is one.
    fn glibcs(&self, asked: Option<&str>) -> Result<Option<Way>> {
        if asked == Some("none") {
            return Ok(None);
        }
        let tried = || {
            let text = asked.unwrap_or("gcc");
            let way = Way::of("glibc", data::CandidateKind::Other, text, false)?;
            let report = self.tried(&way)?;
            is_of_this_machine(&way, &report)?;
            let libc = report.libc;
            match libc {
                Libc::Glibc => Ok(way),
                _ => Err(Error::not_applicable(format!(
                    "`{text}` builds for {}, which is not glibc",
                    libc.name()
                ))),
            }
        };
        match (tried(), asked) {
            (Ok(way), _) => Ok(Some(way)),
            (Err(error), Some(_)) => Err(error),
            // Nobody asked for it.
            (Err(_), None) => Ok(None),
        }
    }
}

fn written(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|e| Error::io("cannot write", e).path(path).next(TMPDIR))
}

fn report(path: &Path) -> Result<Inspection> {
    let bytes = std::fs::read(path).map_err(|e| Error::io("cannot read it", e).path(path))?;
    inspect(&bytes).map_err(|error| error.path(path))
}

impl Way {
    /// The compiler as the user typed it.
    pub fn typed(&self) -> String {
        self.toolchain.typed()
    }

    /// The whole command.
    pub fn line(&self) -> String {
        self.toolchain.line(&self.toolchain.objects)
    }

    /// The same with a compiler for C++.
    pub fn with(&self, text: &str) -> Result<Self> {
        let mut words = self.toolchain.words.iter();
        let is_static = words.any(|word| word.starts_with("-static"));
        let way = Self::of(self.name, self.kind, text, is_static)?;
        let toolchain = way.toolchain.with(self.toolchain.objects.clone());
        Ok(Self { toolchain, ..way })
    }

    fn of(
        name: &'static str,
        kind: data::CandidateKind,
        text: &str,
        is_static: bool,
    ) -> Result<Self> {
        let mut words = match Path::new(text).is_file() {
            // A path may have spaces.
            true => vec![text.to_owned()],
            false => {
                shell_words::split(text).map_err(|e| Error::usage(format!("{text:?}: {e}")))?
            }
        };
        let Some(first) = words.first() else {
            return Err(
                Error::usage("an empty command").expected("a command that compiles and links C")
            );
        };
        let path = search::search(first.as_ref()).map_err(|stop| {
            let error = match stop {
                // As with `brawn verify --cc`: the command line names a program that does not exist.
                Stop::NotFound(_) => Error::usage(format!("there is no {}", shown(first))),
                Stop::Refused(error) | Stop::Failed(error) => error,
            };
            match is_static {
                true => error
                    .expected("a compiler for musl, such as musl-gcc")
                    .next(
                        "install one, or name it as in `--cc 'zig cc -target x86_64-linux-musl'`",
                    ),
                false => error
                    .expected("a compiler for glibc, such as gcc")
                    .next("install one, or leave glibc out with `--against-cc none`"),
            }
        })?;
        if is_static && !words.iter().any(|word| word.starts_with("-static")) {
            words.push("-static".into());
        }
        Ok(Self {
            name,
            kind,
            path,
            toolchain: Toolchain::new(&words),
        })
    }
}

/// Whether these programs can be compared, and can run here.
fn check(way: &Way, report: &Inspection) -> Result<()> {
    is_of_this_machine(way, report)?;
    let line = way.typed();
    let other = |found: String| Err(Error::not_applicable(found));
    if report.libc != Libc::Musl {
        let found = format!(
            "`{line}` builds with {}: this is not musl",
            report.libc.name()
        );
        return Err(Error::not_applicable(found)
            .expected("a compiler for musl, such as musl-gcc")
            .next("name it with `--cc`; `--against-cc` is for glibc's"));
    }
    if !matches!(report.linkage, Linkage::Static | Linkage::StaticPie) {
        return other(format!(
            "`{line}` links {} programs, not static ones",
            report.linkage.name()
        ));
    }
    if report.heaps.is_empty() || !report.heaps.iter().all(|found| found.heap.is_musl()) {
        return other(format!(
            "`{line}` links {}, not musl's own heap: there is nothing to compare with",
            report.heap
        ));
    }
    Ok(())
}

/// Whether what a compiler builds can run here.
fn is_of_this_machine(way: &Way, report: &Inspection) -> Result<()> {
    if report.architecture == std::env::consts::ARCH {
        return Ok(());
    }
    Err(Error::not_applicable(format!(
        "`{}` builds programs for {}, which do not run on this machine ({})",
        way.typed(),
        report.architecture,
        std::env::consts::ARCH
    )))
}
