//! `brawn bench libc`: the time of every function of libc on this machine: musl's, brawn's, and glibc's.

mod html;
mod programs;
mod say;
mod sources;

use super::build::Site;
use crate::commands::compare::signals::Signals;
use crate::data;
use crate::exit::Exit;
use crate::ui;
use brawn_core::{Error, Result};
use brawn_lab::judge::functions::{self, FAMILIES, GLIBC, Round, STOCK, parts};
use brawn_lab::run::{machine, schedule};
use brawn_lab::stats::median::Estimate;
use clap::ValueEnum;
use programs::{Asked, Programs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure every function of libc with musl's code, brawn's and glibc's.
///
/// More than 300 rows, each a call or a few that belong together.  Your own compilers build the programs for musl,
/// without brawn and with `brawn link-args`, and for glibc.  All forms run in turn, and each row is compared within one
/// round.  Everything is built in a temporary directory, which is removed.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("bench-libc"))]
pub struct Args {
    /// The command that compiles and links C for musl, or the path of a compiler; `-static` is added.
    #[arg(long, value_name = "COMMAND", default_value = "musl-gcc")]
    cc: String,

    /// The same for glibc, or `none` [default: gcc, if there is one].
    #[arg(long, value_name = "COMMAND")]
    against_cc: Option<String>,

    /// The same as --cc for C++, or `none` [default: guessed from --cc].
    #[arg(long, value_name = "COMMAND")]
    cxx: Option<String>,

    /// Short and few runs: about a minute.
    #[arg(short, long)]
    quick: bool,

    /// Only these families, and rows whose names begin so.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// List the rows, and run none.
    #[arg(long)]
    list: bool,

    /// The order of the table.
    #[arg(long, value_name = "ORDER", default_value = "family")]
    sort: Sort,

    /// Runs of each form [default: 11; 6 with --quick].
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: Option<u32>,

    /// Seconds that the rows of a family may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    time_limit: u32,

    /// Compute the order of runs from this number.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Write all figures of all runs here.
    #[arg(long, value_name = "FILE")]
    export_json: Option<PathBuf>,

    /// Write a page for the browser here; it needs no other file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Read what `--export-json` wrote, judge it again and show it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cc", "against_cc", "cxx", "quick", "only", "list", "runs",
    "time_limit", "seed"])]
    open_data: Option<PathBuf>,

    /// Print a JSON object with all figures of all runs; with --list, a list of the rows.
    #[arg(long)]
    json: bool,
}

/// An order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// By family, and by name.
    Family,
    /// The row in which brawn is slowest comes first.
    Ratio,
}

/// What [`Measured::format`] says.
const FORMAT: &str = "brawn-bench-libc";
/// The number that grows when older readers would misread the data.
const VERSION: u32 = 1;
/// Runs of each form; with `--quick` the fewest that have an interval of 95 %.
const RUNS: u32 = 11;
const QUICK: u32 = 6;

/// What was measured.  The names of these fields are a public interface: scripts read them.
#[derive(Debug, Serialize, Deserialize)]
struct Measured {
    /// Always [`FORMAT`].
    format: String,
    /// [`VERSION`] of who wrote it.
    version: u32,
    /// brawn's version.
    brawn: String,
    /// When it began, as in 2025-12-31.
    date: String,
    /// The machine, by property.
    machine: BTreeMap<String, String>,
    /// The load average before and after.
    load: [f64; 2],
    /// The commands that built the forms, by the form's name.
    compilers: BTreeMap<String, String>,
    /// The form that the others are compared with: `glibc` or `stock musl`.
    base: String,
    /// All in one sentence.
    verdict: String,
    /// The rows, as they were judged; who reads them judges again.
    #[serde(skip_deserializing)]
    rows: Vec<Row>,
    /// Rows that a compiler could not build.
    left_out: Vec<LeftOut>,
    /// Rows that failed.
    findings: Vec<Finding>,
    /// Every figure: nanoseconds by row, by form, by round.
    rounds: Vec<Round>,
}

/// A row as it was judged.
#[derive(Debug, Serialize)]
struct Row {
    family: String,
    name: String,
    /// The base's time, in nanoseconds.
    base_ns: f64,
    /// Stock musl's time over that: the median.
    stock: f64,
    /// brawn's time over that: the median, and the ends of its 95 % interval.
    brawn: f64,
    brawn_low: f64,
    brawn_high: f64,
}

/// Rows that were not built.
#[derive(Debug, Serialize, Deserialize)]
struct LeftOut {
    /// As in `strings: strlen, 8 B`.
    rows: Vec<String>,
    /// A sentence.
    why: String,
}

/// A row that failed.
#[derive(Debug, Serialize, Deserialize)]
struct Finding {
    /// As in `strings: strlen, 8 B`.
    row: String,
    /// The form's name.
    form: String,
    /// How it ended.
    what: String,
}

pub fn run(args: &Args) -> Result<Exit> {
    if let Some(path) = &args.open_data {
        return tell(&read(path)?, args);
    }
    let chosen = chosen(&args.only)?;
    if args.list {
        match args.json {
            true => ui::json(&chosen),
            false => ui::text(&chosen.join("\n")),
        }
        return Ok(Exit::Success);
    }
    data::check([&args.export_json, &args.html])?;
    tell(&measure(args, &chosen)?, args)
}

/// The rows that `only` names.
fn chosen(only: &[String]) -> Result<Vec<&'static str>> {
    let is_of = |row: &str, asked: &String| {
        let (family, name) = parts(row);
        let whole = format!("{family}: ");
        let is_begun =
            name.starts_with(asked) || asked.starts_with(&whole) && row.starts_with(asked);
        family == asked || !asked.is_empty() && is_begun
    };
    let all: Vec<&str> = functions::all().collect();
    let unknown = only.iter().find(|a| !all.iter().any(|row| is_of(row, a)));
    if let Some(asked) = unknown {
        let found = format!("no family is {asked:?}, and no row begins with it");
        return Err(Error::usage(found)
            .expected(ui::listed(&FAMILIES.map(String::from)))
            .next("`brawn bench libc --list` has all rows"));
    }
    let is_asked = |row: &&str| only.is_empty() || only.iter().any(|asked| is_of(row, asked));
    Ok(all.into_iter().filter(is_asked).collect())
}

/// What `--export-json` wrote, judged again.
fn read(path: &Path) -> Result<Measured> {
    let mut measured: Measured = data::read(path, "brawn bench libc")?;
    let malformed = |found: String| Error::malformed(found).path(path);
    data::check_format(
        path,
        (&measured.format, measured.version),
        (FORMAT, VERSION),
    )?;
    if ![GLIBC, STOCK].contains(&measured.base.as_str()) {
        return Err(malformed(format!("base: {:?}", measured.base)).expected("glibc or stock musl"));
    }
    let samples = measured.rounds.iter().flat_map(BTreeMap::values);
    let mut figures = samples.flatten();
    // A row takes longer than light through a transistor, and less than a year.
    let wrong = figures.find(|(_, ns)| !(1e-6..1e17).contains(*ns));
    if let Some((row, ns)) = wrong {
        return Err(malformed(format!("{row}: {ns} ns")).expected("a time"));
    }
    measured.judge();
    Ok(measured)
}

impl Measured {
    /// The rows' figures and the verdict, from the rounds.
    fn judge(&mut self) {
        let row = |line: &functions::Line| {
            let (family, name) = parts(&line.name);
            let Estimate {
                median, low, high, ..
            } = line.brawn;
            Row {
                family: family.to_owned(),
                name: name.to_owned(),
                base_ns: line.base,
                stock: line.stock,
                brawn: median,
                brawn_low: low,
                brawn_high: high,
            }
        };
        let lines = self.lines();
        self.rows = lines.iter().map(row).collect();
        self.verdict = say::verdict(&lines, &self.base);
    }

    fn lines(&self) -> Vec<functions::Line> {
        functions::lines(&self.rounds, &self.base)
    }
}

/// Prints and writes what `args` asks for.
fn tell(measured: &Measured, args: &Args) -> Result<Exit> {
    let page = || html::page(measured, args.sort);
    data::export(measured, [&args.export_json, &args.html], page)?;
    match args.json {
        true => ui::json(measured),
        false => say::print(measured, args.sort),
    }
    Ok(Exit::of_findings(!measured.findings.is_empty()))
}

/// Builds and runs the rows of `chosen`.
fn measure(args: &Args, chosen: &[&str]) -> Result<Measured> {
    // This comes before anything exists that a signal could leave behind.
    let signals = Signals::watch()?;
    ui::info("building the programs");
    let asked = Asked {
        cc: &args.cc,
        against_cc: args.against_cc.as_deref(),
        cxx: args.cxx.as_deref(),
    };
    let site = Site::new(asked.cc, asked.against_cc, &signals)?;
    let limit = Duration::from_secs(args.time_limit.into());
    let mut programs = Programs::build(&site, asked, chosen, limit)?;
    let sides = programs.sides();
    let base = match sides.contains(&GLIBC) {
        true => GLIBC,
        false => STOCK,
    };
    let before = machine::load();
    let runs = args.runs.unwrap_or(if args.quick { QUICK } else { RUNS });
    let seed = args.seed.unwrap_or_else(schedule::seed);
    let (rounds, findings) = programs.measure(runs, args.quick, seed)?;
    let mut measured = Measured {
        format: FORMAT.into(),
        version: VERSION,
        brawn: env!("CARGO_PKG_VERSION").into(),
        date: machine::today(),
        machine: machine::machine(),
        load: [before, machine::load()],
        compilers: programs.compilers(),
        base: base.into(),
        verdict: String::new(),
        rows: Vec::new(),
        left_out: programs.left_out,
        findings,
        rounds,
    };
    drop(site);
    if signals.is_any() {
        return Err(signals.obey());
    }
    measured.judge();
    Ok(measured)
}

#[cfg(test)]
mod tests;
