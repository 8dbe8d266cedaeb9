//! Measures the functions of libc one by one, and brawn's own commands: `rewrite`, `run`, `preload`, `compare`, and
//! `patch` of a large bundle; engines of the payload; extension modules.
//!
//! ```text
//! build ─> a directory ─ measure ─> rounds ─> bench/results/NAME/DATE-CPU.json ─ table
//! ```
//!
//! As in the other measurements, each round runs every side once, and every sample is kept.

pub mod acid;
pub mod bundle;
pub mod compare;
pub mod edges;
pub mod engine;
pub mod extensions;
pub mod inside;
pub mod libc;
pub mod limit;
pub mod preload;
pub mod rewrite;
pub mod rss;
pub mod server;
pub mod sweep;

use crate::catalogue::Entry;
use crate::link::copy_writable;
use crate::prepare::{self, Prepared};
use crate::progress::Progress;
use crate::raw::{read_json, write_json};
use crate::show::{Cell, Row, Table, Tone};
use crate::stats::Estimate;
use crate::variant::Variant;
use crate::{Result, machine, readme, versions};
use brawn_lab::build::checked;
use brawn_lab::process::parent::{Launcher, Sample};
use brawn_lab::run::rounds::{Order, Request, Round, Turn, session};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes in a mebibyte.
const MIB: f64 = 1_048_576.0;
/// The seed of the order in which sides run, so that it is the same each time.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// What to measure of a kind, as it is typed. Each kind has its own words for `--only` and `--quick`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Choice {
    /// The loads, programs, patterns or families; empty for all
    #[arg(long)]
    pub only: Vec<String>,
    /// Only these heaps
    #[arg(long, value_delimiter = ',')]
    pub heaps: Vec<String>,
    /// Something short, which only shows that everything works
    #[arg(long)]
    pub quick: bool,
    /// Object files, or directories of them, to link in front of brawn's libc.a
    #[arg(long)]
    pub objects: Vec<PathBuf>,
    /// The libc.a to patch [default: that of musl-gcc]
    #[arg(long)]
    pub libc: Option<PathBuf>,
    /// Limit by RLIMIT_DATA, where no cgroup can be made: it counts mappings, whether touched or not
    #[arg(long)]
    pub rlimit: bool,
    /// `crates/brawn-rt/objects` as it was with the earlier engine
    pub old: Option<PathBuf>,
}

/// Those of `all` that have one of the names; all, if there are none.
fn chosen(all: &[&'static str], names: &[String]) -> Vec<&'static str> {
    let is_asked = |name: &&str| names.is_empty() || names.iter().any(|n| n == name);
    all.iter().copied().filter(is_asked).collect()
}

/// What takes turns, in the order that is the same each time.
fn request<'a, T, S>(
    (rounds, order): (usize, Order),
    (things, sides): (&'a [T], &'a [S]),
) -> Request<'a, T, S> {
    Request {
        rounds,
        things,
        sides,
        order,
        seed: SEED,
    }
}

/// The name of one side of one measurement in the raw data.
fn key(title: &str, side: &str) -> String {
    format!("{title} / {side}")
}

/// The directory in which programs are built and run.
pub struct Site {
    launcher: Launcher,
    work: PathBuf,
    brawn: PathBuf,
    /// The libc.a that musl-gcc links.
    libc: PathBuf,
}

impl Site {
    /// Makes the directory `work`, with the launcher in it. A directory with other files is refused.
    pub fn new(work: &Path, brawn: &Path) -> Result<Self> {
        crate::work::empty(work)?;
        let work = crate::context(work.canonicalize(), "find", work)?;
        let (launcher, libc) = prepare::launcher(&work)?;
        Ok(Self {
            launcher,
            work,
            brawn: brawn.to_path_buf(),
            libc,
        })
    }

    fn at(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    /// A copy of `libc` in the site, patched: the directory that it is in.
    fn patched(&self, libc: &Path) -> Result<PathBuf> {
        let folder = self.at("patched");
        crate::context(std::fs::create_dir_all(&folder), "create", &folder)?;
        let archive = folder.join("libc.a");
        copy_writable(libc, &archive)?;
        checked(Command::new(&self.brawn).arg("patch").arg(archive))?;
        Ok(folder)
    }

    /// Builds the workloads of `entries` for `variants`.
    fn built(
        &self,
        variants: &[Variant],
        entries: &[&Entry],
        progress: &Progress,
    ) -> Result<Prepared> {
        Prepared::build(&self.work, &self.brawn, variants, entries, &mut |what| {
            progress.step(&format!("building {what}"));
        })
    }

    /// Runs a command and returns its figures.
    fn run<S: AsRef<OsStr>>(
        &self,
        program: &Path,
        arguments: &[S],
        variables: &[(&str, &Path)],
    ) -> Result<Sample> {
        self.launcher.run(program, arguments, false, variables)
    }
}

/// The raw data of one run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Raw {
    /// The version of this layout: 1.
    pub format: u32,
    /// The day, in UTC.
    pub date: String,
    /// The command that measured it.
    pub command: String,
    /// The machine, by property.
    pub machine: BTreeMap<String, String>,
    /// Versions of tools and libcs.
    pub versions: BTreeMap<String, String>,
    /// Load averages before and after.
    pub load: [f64; 2],
    /// Sizes in bytes and other figures that do not change from round to round.
    pub facts: BTreeMap<String, f64>,
    /// The rounds: figures by what was run.
    pub rounds: Vec<Round>,
    /// The first round's memory over time, by what was run: milliseconds, KiB of RSS and of PSS.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub curves: BTreeMap<String, Vec<[u64; 3]>>,
    /// The figures of a sweep, which has too many runs for [`rounds`](Self::rounds).
    #[serde(default, skip_serializing_if = "sweep::Sweep::is_empty")]
    pub sweep: sweep::Sweep,
}

impl Raw {
    fn new(command: &str, brawn: &Path) -> Self {
        Self {
            format: 1,
            date: machine::today(),
            command: command.to_owned(),
            machine: machine::machine(),
            versions: versions::versions(brawn),
            load: [machine::load(); 2],
            ..Self::default()
        }
    }

    /// The same for programs that were built so.
    fn of_built(command: &str, built: &Prepared) -> Self {
        let mut raw = Self::new(command, &built.brawn);
        raw.versions.extend(built.engines.clone());
        raw
    }

    /// Has the laboratory run everything in `things` with each of `sides` so often, and shows `what` is measured.
    fn measure<T, S>(
        &mut self,
        what: &str,
        (rounds, order): (usize, Order),
        (things, sides): (&[T], &[S]),
        progress: &Progress,
        mut run: impl FnMut(Turn<'_, T, S>) -> Result<(String, Sample)>,
    ) -> Result<()> {
        let request = request((rounds, order), (things, sides));
        progress.steps(what, request.count());
        self.rounds = session(&request, |turn| {
            let done = run(turn)?;
            progress.advance();
            Ok::<_, String>(done)
        })?;
        Ok(())
    }

    /// A figure of `what` divided by that of `base` in the same round.
    fn against(
        &self,
        [what, base]: [&str; 2],
        of: impl Fn(&Sample) -> Option<f64>,
    ) -> Option<Estimate> {
        let ratio = |round: &Round| Some(of(round.get(what)?)? / of(round.get(base)?)?);
        let ratios: Vec<f64> = self.rounds.iter().filter_map(ratio).collect();
        crate::stats::estimate(&ratios)
    }

    /// A figure that does not change from round to round; NaN if there is none.
    fn fact(&self, name: &str) -> f64 {
        self.facts.get(name).copied().unwrap_or(f64::NAN)
    }

    /// A property of the machine.
    pub(crate) fn of_machine(&self, key: &str) -> &str {
        self.machine.get(key).map_or("?", String::as_str)
    }

    /// All samples of a figure.
    fn all(&self, what: &str, figure: &str) -> Vec<f64> {
        let of = |round: &Round| round.get(what)?.get(figure).copied();
        self.rounds.iter().filter_map(of).collect()
    }

    /// The median of a figure. NaN if there are no samples: NaN meets no bar.
    fn median(&self, what: &str, figure: &str) -> f64 {
        self.median_of(|round| round.get(what)?.get(figure).copied())
    }

    /// The largest sample of a figure.
    fn most(&self, what: &str, figure: &str) -> f64 {
        self.all(what, figure).into_iter().fold(f64::NAN, f64::max)
    }

    /// The median of `of(round)`.
    fn median_of(&self, of: impl Fn(&Round) -> Option<f64>) -> f64 {
        crate::stats::median(self.rounds.iter().filter_map(of))
    }

    /// The newest of a kind, and its file's name in the repository.
    pub(crate) fn newest(kind: &str) -> Result<(String, Self)> {
        let folder = readme::results_folder().join(kind);
        let entries = crate::context(std::fs::read_dir(&folder), "list", &folder)?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let paths = paths.filter(|path| path.extension().is_some_and(|e| e == "json"));
        let path = paths.max().ok_or("no raw data")?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let shown = format!("bench/results/{kind}/{name}");
        Ok((shown, read_json(&path)?))
    }

    /// Writes it to `bench/results/NAME/`, and returns the path.
    pub fn write(&mut self, name: &str) -> Result<PathBuf> {
        self.load[1] = machine::load();
        let folder = readme::results_folder().join(name);
        crate::context(std::fs::create_dir_all(&folder), "create", &folder)?;
        let path = folder.join(format!("{}-{}.json", self.date, machine::cpu_slug()));
        write_json(&path, self)?;
        Ok(path)
    }
}

/// A line of a table of figures and bars. `bar` is the text of the bar, and whether it is met.
fn line(what: impl Into<Cell>, figure: String, bar: Option<(&str, bool)>) -> Row {
    let bar = bar.map_or(Cell::default(), |(bar, is_met)| match is_met {
        true => Cell::new(format!("{bar}: met"), Tone::Good),
        false => Cell::new(format!("{bar}: not met"), Tone::Bad),
    });
    Row::Cells(vec![what.into(), figure.into(), bar])
}

/// A table of such lines.
fn table(lines: impl IntoIterator<Item = Row>) -> Table {
    Table::new(["what", "figure", "bar"], lines)
}

#[cfg(test)]
mod tests;
