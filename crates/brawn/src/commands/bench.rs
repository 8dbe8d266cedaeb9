//! `brawn bench`: measures how much brawn's functions bring on this machine, with this machine's compiler.

mod build;
mod html;
mod libc;
mod say;
mod workloads;

use super::compare::signals::{Signals, Watched};
use crate::data;
use crate::exit::Exit;
use crate::ui;
use brawn_core::{Error, Result};
use brawn_lab::data::Comparison;
use brawn_lab::judge::verdict;
use brawn_lab::run::request::Request;
use brawn_lab::run::session::session;
use brawn_lab::run::{machine, schedule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use workloads::Workload;

/// Measure small programs with musl's functions and with brawn's, on this machine.
///
/// Your own compiler builds the programs for musl, without brawn and with `brawn link-args`; they are also built for
/// glibc if there is a compiler for it.  All forms run in turn, as with `brawn compare`.  Everything is built in a
/// temporary directory, which is removed.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("bench"), args_conflicts_with_subcommands = true)]
#[command(disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    other: Option<Other>,

    /// The command that compiles and links C for musl, or the path of a compiler; `-static` is added.
    #[arg(long, value_name = "COMMAND", default_value = "musl-gcc")]
    cc: String,

    /// The same for glibc, or `none` [default: gcc, if there is one].
    #[arg(long, value_name = "COMMAND")]
    against_cc: Option<String>,

    /// Short programs and few runs: about a minute.
    #[arg(short, long)]
    quick: bool,

    /// Only the workloads whose names begin with one of these.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// List the workloads, and run none.
    #[arg(long)]
    list: bool,

    /// Runs of each form [default: as many as fit into six seconds, from 10 to 100; 8 with --quick].
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: Option<u32>,

    /// Seconds that a run may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    time_limit: u32,

    /// Compute the order of runs from this number.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Write all figures of all runs here.
    #[arg(long, value_name = "FILE")]
    export_json: Option<PathBuf>,

    /// Write a page for the browser here, with all figures; it needs no other file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Read what `--export-json` wrote, judge it again and show it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cc", "against_cc", "quick", "only", "list", "runs",
    "time_limit", "seed"])]
    open_data: Option<PathBuf>,

    /// Print a JSON object with all figures of all runs; with --list, a list of the workloads.
    #[arg(long)]
    json: bool,
}

/// Other measurements.
#[derive(Debug, clap::Subcommand)]
enum Other {
    Libc(Box<libc::Args>),
}

/// What [`Measured::format`] says.
const FORMAT: &str = "brawn-bench";
/// The number that grows when older readers would misread the data.
const VERSION: u32 = 1;

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
    /// The commands that built the forms, by the form's name.
    compilers: BTreeMap<String, String>,
    /// All in one sentence.
    verdict: String,
    /// What was run.
    workloads: Vec<One>,
}

/// One workload.
#[derive(Debug, Serialize, Deserialize)]
struct One {
    /// As `--only` has it.
    name: String,
    /// What it does.
    title: String,
    /// As `brawn compare --json` has it.
    comparison: Comparison,
}

pub fn run(args: &Args) -> Result<Exit> {
    if let Some(Other::Libc(args)) = &args.other {
        return libc::run(args);
    }
    if let Some(path) = &args.open_data {
        return tell(&read(path)?, args);
    }
    let chosen = chosen(args)?;
    if args.list {
        list(&chosen, args.json);
        return Ok(Exit::Success);
    }
    data::check([&args.export_json, &args.html])?;
    tell(&measure(args, &chosen)?, args)
}

/// Prints what `--list` asks for.
fn list(workloads: &[Workload], as_json: bool) {
    if !as_json {
        let line = |one: &Workload| format!("{:12} {}", one.name, one.title);
        return ui::text(&workloads.iter().map(line).collect::<Vec<_>>().join("\n"));
    }
    ui::json(&workloads);
}

/// What `--export-json` wrote, judged again.
fn read(path: &Path) -> Result<Measured> {
    let mut measured: Measured = data::read(path, "brawn bench")?;
    let malformed = |found: String| Error::malformed(found).path(path);
    data::check_format(
        path,
        (&measured.format, measured.version),
        (FORMAT, VERSION),
    )?;
    for one in &mut measured.workloads {
        let data = &mut one.comparison;
        data.check()
            .map_err(|found| malformed(format!("{}: {found}", one.name)))?;
        data.verdicts = verdict::all(data);
    }
    measured.verdict = say::verdict(&measured.workloads);
    Ok(measured)
}

/// Prints and writes what `args` asks for.
fn tell(measured: &Measured, args: &Args) -> Result<Exit> {
    let page = || html::page(measured);
    data::export(measured, [&args.export_json, &args.html], page)?;
    match args.json {
        true => ui::json(measured),
        false => say::print(measured),
    }
    let mut findings = measured
        .workloads
        .iter()
        .flat_map(|one| &one.comparison.findings);
    let has_failure = findings.any(|finding| finding.kind.is_failure());
    Ok(Exit::of_findings(has_failure))
}

fn chosen(args: &Args) -> Result<Vec<Workload>> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let all = workloads::all(processors);
    let begins = |workload: &Workload, name: &String| workload.name.starts_with(name.as_str());
    let unknown = args
        .only
        .iter()
        .find(|name| !all.iter().any(|w| begins(w, name)));
    if let Some(name) = unknown {
        return Err(Error::usage(format!("no workload begins with {name:?}"))
            .next("`brawn bench --list` has all of them"));
    }
    let is_asked = |w: &Workload| args.only.is_empty() || args.only.iter().any(|n| begins(w, n));
    Ok(all.into_iter().filter(is_asked).collect())
}

/// Builds and runs all of `chosen`.
fn measure(args: &Args, chosen: &[Workload]) -> Result<Measured> {
    // This comes before anything exists that a signal could leave behind.
    let signals = Signals::watch()?;
    let site = build::Site::new(&args.cc, args.against_cc.as_deref(), &signals)?;
    let mut measured = Measured {
        format: FORMAT.into(),
        version: VERSION,
        brawn: env!("CARGO_PKG_VERSION").into(),
        date: machine::today(),
        machine: machine::machine(),
        compilers: site.compilers(),
        verdict: String::new(),
        workloads: Vec::new(),
    };
    let seed = args.seed.unwrap_or_else(schedule::seed);
    for (number, workload) in chosen.iter().enumerate() {
        ui::info(&format!(
            "{} of {}: {}",
            number + 1,
            chosen.len(),
            workload.title
        ));
        let forms = site.forms(workload)?;
        let request = request(args, workload, seed);
        let mut comparison = session(&request, &forms, &Watched::new(&signals))?.data;
        comparison.verdicts = verdict::all(&comparison);
        measured.workloads.push(One {
            name: workload.name.clone(),
            title: workload.title.clone(),
            comparison,
        });
    }
    drop(site);
    if signals.is_any() {
        return Err(signals.obey());
    }
    measured.verdict = say::verdict(&measured.workloads);
    Ok(measured)
}

/// How a workload is run. None of these programs answers by its exit code.
fn request(args: &Args, workload: &Workload, seed: u64) -> Request {
    let words = match args.quick {
        true => &workload.quick,
        false => &workload.arguments,
    };
    Request {
        program: workload.source.into(),
        arguments: words.iter().map(OsString::from).collect(),
        runs: args.runs.or(args.quick.then_some(8)),
        time_limit: Some(args.time_limit.into()),
        compare_output: vec!["none".to_owned()],
        seed: Some(seed),
        ..Request::default()
    }
}
