//! Builds every program for both sides, and runs every case on both.

use crate::directives::{Program, Stage, Surroundings};
use crate::run::measures;
use crate::run::through;
use crate::sides::{Side, Sides};
use crate::tool::{Tool, create, linked, read, text, write};
use crate::ways::Link;
use crate::{Filter, PROGRAMS, Request, Step, is_wanted};
use brawn_core::link_args::{archive_of, shell};
use brawn_core::report::inspect::inspect;
use brawn_core::{Error, Result};
use brawn_lab::process::watch::watch;
use brawn_payload::Profile;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How much more time a program has if an emulator runs it.
const SLOWER: u32 = 5;

brawn_core::named! {
    /// The verdict on a case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict {
        /// Passes with brawn's heap, and with musl's if that is known.
        Passes = "passes",
        /// Passes with brawn's heap, fails with musl's.
        Fixed = "fixed",
        /// Fails with both.
        FailedBefore = "failed before too",
        /// Fails with brawn's heap, as the program itself declares.
        Declared = "declared",
        /// Fails with brawn's heap, and passes with musl's or musl's is unknown.
        NewFailure = "NEW FAILURE",
        /// The compiler does not compile the program, with either heap.
        NotCompiled = "does not compile",
        /// It was not tried.
        NotRun = "not run",
    }
}

/// The result of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Outcome {
    /// It ended with status 0, and its measures were good enough.
    Passes,
    /// It did not.
    Fails {
        /// A description.
        what: String,
        /// The command that repeats it, while the executable is still there.
        #[serde(skip_serializing_if = "Option::is_none")]
        repeat: Option<String>,
    },
    /// It does not link.
    DoesNotLink {
        /// A description.
        what: String,
    },
    /// There was nothing to run.
    Unknown,
}

impl Outcome {
    /// The words for tables.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::Fails { .. } => "fails",
            Self::DoesNotLink { .. } => "no link",
            Self::Unknown => "-",
        }
    }

    /// The description of a failure.
    pub fn what(&self) -> Option<&str> {
        match self {
            Self::Fails { what, .. } | Self::DoesNotLink { what } => Some(what),
            Self::Passes | Self::Unknown => None,
        }
    }
}

/// One case of one program.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    /// The program's name.
    pub program: String,
    /// Its first argument, if it takes one.
    pub case: Option<String>,
    /// The requirement that it tests.
    pub states: String,
    /// The result with musl's heap.
    pub before: Outcome,
    /// The result with brawn's heap.
    pub with: Outcome,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it was not run or is declared to fail, or why it does not compile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Case {
    /// `PROGRAM/CASE`.
    pub fn name(&self) -> String {
        joined(&self.program, self.case.as_deref())
    }
}

/// A program's cases. A program without cases has one without a name.
pub fn cases(program: &Program) -> impl Iterator<Item = Option<&str>> {
    let none = program.cases.is_empty().then_some(None);
    program
        .cases
        .iter()
        .map(|case| Some(case.as_str()))
        .chain(none)
}

/// `PROGRAM/CASE`.
pub fn name(program: &Program, case: Option<&str>) -> String {
    joined(&program.name, case)
}

fn joined(program: &str, case: Option<&str>) -> String {
    match case {
        Some(case) => format!("{program}/{case}"),
        None => program.to_owned(),
    }
}

/// Everything that is needed for the run.
pub struct Plan<'a> {
    pub request: &'a Request,
    pub folder: &'a Path,
    pub c: &'a Sides,
    pub cxx: Option<&'a Sides>,
    pub programs: &'a [Program],
    pub filters: &'a [Filter],
    pub share: u32,
    pub progress: &'a (dyn Fn(Step) + Sync),
    pub stop: &'a AtomicBool,
}

/// The result of building a program.
enum Built {
    /// Not tried, for this reason.
    NotRun(String),
    /// The compiler said this.
    NotCompiled(String),
    /// For each side an executable, or the linker's output.
    Linked {
        before: Option<std::result::Result<PathBuf, String>>,
        with: std::result::Result<PathBuf, String>,
    },
}

impl Plan<'_> {
    /// Builds and runs every case of every program, in the order of names.
    pub fn perform(&self) -> Result<Vec<Case>> {
        (self.progress)(Step::Building(self.programs.len()));
        let built = self.parallel(self.request.jobs, self.programs, |p| self.build(p))?;
        let mut runs: Vec<(usize, Option<&str>)> = Vec::new();
        for (number, program) in self.programs.iter().enumerate() {
            let wanted = |case: &Option<&str>| is_wanted(self.filters, program, *case);
            runs.extend(cases(program).filter(wanted).map(|case| (number, case)));
        }
        (self.progress)(Step::Running(runs.len()));
        let run = |(number, case): &(usize, Option<&str>)| {
            Ok(self.run(&self.programs[*number], &built[*number], *case))
        };
        let is_alone = |(number, _): &(usize, Option<&str>)| self.programs[*number].alone;
        // For some programs timing and memory matter, so nothing else runs at the same time.
        let (alone, others): (Vec<_>, Vec<_>) = runs.into_iter().partition(is_alone);
        let mut all = self.parallel(self.request.jobs, &others, run)?;
        all.extend(self.parallel(1, &alone, run)?);
        // The sort is stable: cases stay in the order in which their program has them.
        all.sort_by(|a, b| a.program.cmp(&b.program));
        Ok(all)
    }

    /// Calls `work` for each of `items`, in as many threads as `jobs`, until `stop` is set.
    fn parallel<T: Sync, R: Send>(
        &self,
        jobs: usize,
        items: &[T],
        work: impl Fn(&T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(items.len()));
        let take = || {
            while !self.stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(number) else {
                    break;
                };
                let result = work(item);
                (self.progress)(Step::Done);
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.push((number, result));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs.clamp(1, items.len().max(1)) {
                // This thread is enough.
                if std::thread::Builder::new()
                    .spawn_scoped(scope, take)
                    .is_err()
                {
                    break;
                }
            }
            take();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// The profile of the payload that the program gets.
    fn profile(&self, program: &Program) -> Profile {
        self.sides(program)
            .and_then(|sides| Profile::from_name(&sides.with.note.as_ref()?.profile))
            .unwrap_or_default()
    }

    fn sides(&self, program: &Program) -> Option<&Sides> {
        if program.cxx { self.cxx } else { Some(self.c) }
    }

    fn build(&self, program: &Program) -> Result<Built> {
        let usual = if program.cxx { Link::Zig } else { Link::Static };
        if !program.links.contains(&usual) {
            let links: Vec<_> = program.links.iter().map(|l| l.name()).collect();
            let why = format!("linked as {}, not as a static program", links.join(", "));
            return Ok(Built::NotRun(why));
        }
        let Some(sides) = self.sides(program) else {
            return Ok(Built::NotRun("C++, and no --cxx".to_owned()));
        };
        let profile = self.profile(program);
        if !program.profiles.contains(&profile) {
            let names: Vec<_> = program.profiles.iter().map(|p| p.name()).collect();
            let why = format!("of profile {}, not {}", names.join(", "), profile.name());
            return Ok(Built::NotRun(why));
        }
        let folder = self.folder.join("objects").join(&program.name);
        create(&folder)?;
        let tool = Tool::new(&sides.with.words, self.folder, self.stop);
        let mut inputs = Vec::new();
        let mut archived = Vec::new();
        let own = std::iter::once(&program.path).chain(&program.objects);
        let all = own
            .map(|s| (s, false))
            .chain(program.archives.iter().map(|s| (s, true)));
        for (source, is_archived) in all {
            let stem = source.file_stem().unwrap_or_default().to_string_lossy();
            let object = folder.join(format!("{}{stem}.o", if is_archived { "a-" } else { "" }));
            let mut flags = program.cflags.clone();
            // An archive's index is made from symbol tables, which `-flto` objects do not have.
            flags.extend(is_archived.then(|| "-fno-lto".to_owned()));
            if let Err(said) = tool.compile(source, &object, &flags)? {
                return Ok(Built::NotCompiled(said));
            }
            if is_archived {
                archived.push(object);
            } else {
                inputs.push(text(&object));
            }
        }
        if !archived.is_empty() {
            let path = folder.join("libbefore.a");
            write(&path, &archive(&archived)?)?;
            inputs.push(text(&path));
        }
        let link = |side: &Side, name: &str, is_brawns: bool| {
            let folder = self.folder.join(name);
            create(&folder)?;
            let path = folder.join(&program.name);
            let inputs = [inputs.as_slice(), &side.more].concat();
            let tool = Tool::new(&side.words, self.folder, self.stop);
            let linked = match tool.link(&inputs, &path)? {
                Ok(()) => one_heap(&path, is_brawns)?,
                Err(said) => Err(said),
            };
            Ok::<_, Error>(linked.map(|()| path))
        };
        let before = sides
            .before
            .as_ref()
            .map(|side| link(side, "before", false));
        Ok(Built::Linked {
            before: before.transpose()?,
            with: link(&sides.with, "with", true)?,
        })
    }

    fn run(&self, program: &Program, built: &Built, case: Option<&str>) -> Case {
        let mut result = Case {
            program: program.name.clone(),
            case: case.map(str::to_owned),
            states: program.states.clone(),
            before: Outcome::Unknown,
            with: Outcome::Unknown,
            verdict: Verdict::NotRun,
            why: None,
        };
        let (before, with) = match built {
            Built::NotRun(why) => {
                result.why = Some(why.clone());
                return result;
            }
            Built::NotCompiled(said) => {
                result.verdict = Verdict::NotCompiled;
                result.why = Some(said.clone());
                return result;
            }
            Built::Linked { before, with } => (before, with),
        };
        if program.is_roots(case) && !rustix::process::geteuid().is_root() {
            result.why = Some("only root can run it".to_owned());
            return result;
        }
        let mut stocks = String::new();
        if let Some(before) = before {
            (result.before, stocks) = self.outcome(program, before, case, None);
        }
        (result.with, _) = self.outcome(program, with, case, Some(&stocks));
        let link = if program.cxx { Link::Zig } else { Link::Static };
        let place = Surroundings::brawns(self.profile(program), link);
        let declared = program.exception(&place, case);
        let declared = declared.filter(|e| match result.with {
            Outcome::Fails { .. } => e.stage == Stage::Run,
            Outcome::DoesNotLink { .. } => e.stage == Stage::Link,
            Outcome::Passes | Outcome::Unknown => false,
        });
        result.verdict = match (&result.before, &result.with) {
            (Outcome::Passes | Outcome::Unknown, Outcome::Passes) => Verdict::Passes,
            (_, Outcome::Passes) => Verdict::Fixed,
            (Outcome::Fails { .. } | Outcome::DoesNotLink { .. }, _) => Verdict::FailedBefore,
            _ if declared.is_some() => Verdict::Declared,
            _ => Verdict::NewFailure,
        };
        result.why = declared.map(|e| e.reason.clone());
        result
    }

    /// The result of one side, and its output. For brawn's side, `stocks` is the output of musl's side.
    fn outcome(
        &self,
        program: &Program,
        executable: &std::result::Result<PathBuf, String>,
        case: Option<&str>,
        stocks: Option<&str>,
    ) -> (Outcome, String) {
        let path = match executable {
            Ok(path) => path,
            Err(said) => {
                let what = said.clone();
                return (Outcome::DoesNotLink { what }, String::new());
            }
        };
        let mut environment = program.env.clone();
        if stocks.is_some() {
            let name = self.profile(program).name().to_owned();
            environment.push(("CONFORMANCE_PROFILE".to_owned(), name));
        }
        if self.share > 1 {
            environment.push(("CONFORMANCE_SHARE".to_owned(), self.share.to_string()));
        }
        let repeat = self.request.keep.is_some().then(|| {
            let mut words = vec!["env".to_owned()];
            words.extend(environment.iter().map(|(k, v)| format!("{k}={v}")));
            words.extend(self.request.runner.iter().cloned());
            words.push(text(path));
            words.extend(case.map(str::to_owned));
            shell(&words)
        });
        let mut timeout = program.timeout;
        if !self.request.runner.is_empty() {
            timeout *= SLOWER;
        }
        let mut command = through(&self.request.runner, path);
        command.args(case).envs(environment);
        let ran = match watch(&mut command, timeout, self.stop) {
            Ok(ran) => ran,
            Err(e) => {
                let what = format!("cannot run it: {e}");
                return (Outcome::Fails { what, repeat }, String::new());
            }
        };
        if !ran.end.is_success() {
            let what = format!("{}\n{}{}", ran.end.describe(), ran.out, ran.err);
            // Checks print the path with which their source was compiled.
            let folder = format!("{}/", text(&self.folder.join(PROGRAMS)));
            let what = what.replace(&folder, "");
            return (Outcome::Fails { what, repeat }, ran.out);
        }
        let lacking = match (program.percent(self.profile(program)), stocks) {
            (Some(percent), Some(stocks)) => lacking(stocks, &ran.out, percent),
            _ => String::new(),
        };
        if lacking.is_empty() {
            (Outcome::Passes, ran.out)
        } else {
            let what = lacking;
            (Outcome::Fails { what, repeat }, ran.out)
        }
    }
}

/// The measures in `stocks` that `ours` does not reach.
fn lacking(stocks: &str, ours: &str, percent: u64) -> String {
    let ours = measures(ours);
    let mut text = String::new();
    for (name, wanted) in measures(stocks) {
        let found = ours.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| *v);
        if u128::from(found) * 100 < u128::from(wanted) * u128::from(percent) {
            text += &format!("{name}: before {wanted}, with {found}: not {percent} %\n");
        }
    }
    text
}

/// Whether the executable has nothing of musl's own heap.
fn one_heap(path: &Path, is_brawns: bool) -> Result<std::result::Result<(), String>> {
    if !is_brawns {
        return Ok(Ok(()));
    }
    let bytes = linked(path)?;
    let report = inspect(&bytes).map_err(|e| e.path(path))?;
    let musls = report.heaps.iter().find(|h| h.heap.is_musl());
    Ok(match musls {
        Some(found) => Err(format!(
            "{} is in the executable, too: {}",
            found.heap.name(),
            found.evidence.join("; ")
        )),
        None => Ok(()),
    })
}

fn archive(objects: &[PathBuf]) -> Result<Vec<u8>> {
    let mut members = Vec::new();
    for path in objects {
        let bytes = read(path)?;
        members.push((text(Path::new(path.file_name().unwrap_or_default())), bytes));
    }
    let members: Vec<(&str, &[u8])> = members
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    archive_of(&members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_held_against_musls() {
        let stocks = "measure 64 1000\nmeasure 1024 10\n";
        assert_eq!(lacking(stocks, "measure 64 900\nmeasure 1024 9\n", 90), "");
        assert_eq!(
            lacking(stocks, "measure 64 899\n", 90),
            "64: before 1000, with 899: not 90 %\n1024: before 10, with 0: not 90 %\n"
        );
        // Nothing is known of musl's.
        assert_eq!(lacking("", "measure 64 1\n", 90), "");
    }
}
