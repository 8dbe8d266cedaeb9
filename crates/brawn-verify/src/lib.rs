//! Tests a user's own toolchain. The user's command builds each program twice, with brawn's heap and with musl's. A
//! failure that happens only with brawn's heap is new.

#![forbid(unsafe_code)]

pub mod directives;
pub mod embedded;
mod functions;
pub mod run;
mod sides;
mod tool;
mod trials;
pub mod ways;

pub use sides::{Side, Sides};
pub use trials::{Case, Outcome, Verdict};

use crate::directives::Program;
use brawn_core::publish::private::own_folder;
use brawn_core::{Error, Kind, Result};
use brawn_payload::Profile;
use serde::Serialize;
use sides::Lab;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tool::Tool;

/// By default, long counts (threads, forks) are divided by this.
pub const SHARE: u32 = 20;

/// The directory of the sources, inside the directory for everything that is built.
const PROGRAMS: &str = "programs";

/// The user's request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The command that compiles and links C, as words.
    pub cc: Vec<String>,
    /// The same for C++, if C++ is to be tested.
    pub cxx: Option<Vec<String>>,
    /// The command that runs the programs, as words; empty if this machine can run them.
    pub runner: Vec<String>,
    /// The payload's profile, for a toolchain that has no payload yet.
    pub profile: Profile,
    /// How many compilers or programs run at once; at least 1.
    pub jobs: usize,
    /// The cases to run: `PROGRAM`, `PROGRAM/CASE`, or any part of that; empty for all.
    pub filters: Vec<String>,
    /// Whether long counts run whole, instead of being divided by [`SHARE`].
    pub full: bool,
    /// A new or empty directory in which everything that is built is kept.
    pub keep: Option<PathBuf>,
}

/// Progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// This many toolchains will be examined.
    Examining(usize),
    /// This many programs will be built.
    Building(usize),
    /// This many cases will be run.
    Running(usize),
    /// One of them is done.
    Done,
}

/// How many cases have each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Passes with brawn's heap, and with musl's if that is known.
    pub passes: usize,
    /// Passes only with brawn's heap.
    pub fixed: usize,
    /// Fails with both.
    pub failed_before: usize,
    /// Fails only with brawn's heap, as the program declares.
    pub declared: usize,
    /// Fails with brawn's heap, and passes with musl's or musl's is unknown.
    pub new_failures: usize,
    /// The compiler does not compile it.
    pub not_compiled: usize,
    /// It was not tried.
    pub not_run: usize,
}

impl Counts {
    fn of(cases: &[Case]) -> Self {
        let mut counts = Self::default();
        for case in cases {
            *match case.verdict {
                Verdict::Passes => &mut counts.passes,
                Verdict::Fixed => &mut counts.fixed,
                Verdict::FailedBefore => &mut counts.failed_before,
                Verdict::Declared => &mut counts.declared,
                Verdict::NewFailure => &mut counts.new_failures,
                Verdict::NotCompiled => &mut counts.not_compiled,
                Verdict::NotRun => &mut counts.not_run,
            } += 1;
        }
        counts
    }
}

/// The results. The names of these fields are a public interface: scripts read them.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// The toolchain for C.
    pub c: Sides,
    /// The toolchain for C++, if one was named.
    pub cxx: Option<Sides>,
    /// Long counts (threads, forks) were divided by this.
    pub share: u32,
    /// The directory with everything that was built, if the user wanted to keep it.
    pub kept: Option<String>,
    /// How many cases have each verdict.
    pub counts: Counts,
    /// Every case, by program.
    pub cases: Vec<Case>,
}

/// Runs the tests; `None` if `stop` was set meanwhile. No process is left running, and no file is left except in the
/// directory that is to be kept.
pub fn verify(
    request: &Request,
    progress: &(dyn Fn(Step) + Sync),
    stop: &AtomicBool,
) -> Result<Option<Results>> {
    let result = attempt(request, progress, stop);
    if stop.load(Ordering::Relaxed) {
        // Any other error is only a result of stopping.
        return Ok(None);
    }
    result.map(Some)
}

fn attempt(
    request: &Request,
    progress: &(dyn Fn(Step) + Sync),
    stop: &AtomicBool,
) -> Result<Results> {
    let scratch = Scratch::new(request.keep.as_deref())?;
    let folder = scratch.path();
    sides::printable_folder(folder)?;
    let all = embedded::programs(&folder.join(PROGRAMS))
        .map_err(|e| Error::new(Kind::Io, format!("cannot lay out the programs: {e}")))?;
    let filters = filters(&request.filters, &all);
    let programs: Vec<Program> = all
        .into_iter()
        .filter(|p| trials::cases(p).any(|case| is_wanted(&filters, p, case)))
        .collect();
    if programs.is_empty() {
        return Err(
            Error::usage(format!("no case with `{}`", request.filters.join("` or `")))
                .expected("a part of PROGRAM/CASE")
                .next("`brawn verify --list` has all of them"),
        );
    }
    let examine = |words: &[String], is_cxx| {
        let lab = Lab {
            folder: folder.join(if is_cxx { "toolchain-cxx" } else { "toolchain" }),
            runner: &request.runner,
            profile: request.profile,
            stop,
        };
        let sides = lab.examine(&Tool::new(words, folder, stop), is_cxx);
        progress(Step::Done);
        sides
    };
    progress(Step::Examining(1 + usize::from(request.cxx.is_some())));
    let c = examine(&request.cc, false)?;
    let cxx = request.cxx.as_deref().map(|words| examine(words, true));
    let cxx = cxx.transpose()?;
    let plan = trials::Plan {
        request,
        folder,
        c: &c,
        cxx: cxx.as_ref(),
        programs: &programs,
        filters: &filters,
        share: if request.full { 1 } else { SHARE },
        progress,
        stop,
    };
    let cases = plan.perform()?;
    Ok(Results {
        share: plan.share,
        kept: request.keep.is_some().then(|| tool::text(folder)),
        counts: Counts::of(&cases),
        cases,
        c,
        cxx,
    })
}

/// The cases that one filter selects.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Filter {
    /// A program or one case by its whole name, even if that is a part of other names.
    Whole(String),
    /// Every case whose name contains this.
    Part(String),
}

fn filters(texts: &[String], programs: &[Program]) -> Vec<Filter> {
    let is_whole = |text: &str| {
        let mut programs = programs.iter();
        programs
            .any(|p| p.name == text || trials::cases(p).any(|case| trials::name(p, case) == text))
    };
    let filter = |text: &String| match is_whole(text) {
        true => Filter::Whole(text.clone()),
        false => Filter::Part(text.clone()),
    };
    texts.iter().map(filter).collect()
}

/// Whether `case` of `program` was asked for.
fn is_wanted(filters: &[Filter], program: &Program, case: Option<&str>) -> bool {
    let name = trials::name(program, case);
    let selects = |filter: &Filter| match filter {
        Filter::Whole(text) => program.name == *text || name == *text,
        Filter::Part(text) => name.contains(text.as_str()),
    };
    filters.is_empty() || filters.iter().any(selects)
}

/// `PROGRAM/CASE` of every case, with the requirement that it tests.
pub fn list() -> Result<Vec<(String, String)>> {
    let mut names = Vec::new();
    for (path, text) in embedded::files() {
        let path = Path::new(path);
        let is_program = path.extension().is_some_and(|e| e == "c" || e == "cc");
        if path.components().count() > 1 || !is_program {
            continue;
        }
        let program = Program::parse(path, text)
            .map_err(|e| Error::malformed(e).expected("directives that this brawn knows"))?;
        let cases = trials::cases(&program).map(|case| trials::name(&program, case));
        names.extend(cases.map(|name| (name, program.states.clone())));
    }
    Ok(names)
}

/// The directory for everything that is built.
enum Scratch {
    Kept(PathBuf),
    Dropped(tempfile::TempDir),
}

impl Scratch {
    fn new(keep: Option<&Path>) -> Result<Self> {
        let Some(keep) = keep else {
            let folder = tempfile::Builder::new().prefix("brawn-verify-").tempdir();
            let folder = folder.map_err(|e| {
                Error::io("cannot create a temporary directory", e)
                    .next("choose another place with TMPDIR or `--keep`")
            })?;
            return Ok(Self::Dropped(folder));
        };
        let failed = |e| Error::io("cannot list the directory", e).path(keep);
        let path = own_folder(keep)?;
        if std::fs::read_dir(&path).map_err(failed)?.next().is_some() {
            return Err(Error::usage("a directory with something in it")
                .path(keep)
                .expected("a new or empty directory")
                .next("name another with `--keep`"));
        }
        Ok(Self::Kept(path))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Dropped(folder) => folder.path(),
        }
    }
}

#[cfg(test)]
mod tests;
