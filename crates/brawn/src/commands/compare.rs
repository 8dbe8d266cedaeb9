//! `brawn compare`: how fast a program is with brawn's functions, beside itself.

pub mod candidates;
mod diagnosis;
mod export;
pub mod html;
mod sampled;
mod say;
pub mod signals;

use super::run::Stop;
use crate::builds::SignaturesArg;
use crate::data;
use crate::exit::Exit;
use crate::only::Parts;
use crate::ui;
use brawn_core::{Error, Result, input};
use brawn_lab::data::{Comparison, Finding};
use brawn_lab::judge::verdict;
use brawn_lab::run::beside::beside;
use brawn_lab::run::machine;
use brawn_lab::run::request::Request;
use brawn_lab::run::session::session;
use candidates::With;
use signals::{Signals, Watched};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const USAGE: &str = "brawn compare [OPTIONS] [--] <PROGRAM> [ARGS]...
       brawn compare --open-data <FILE> [--open-data <FILE>]";

/// Run a program as it is and with brawn's functions, side by side, and say which is faster.
///
/// For a static musl program, brawn rewrites a copy (as `brawn run` does); a dynamic one gets brawn's functions by
/// LD_PRELOAD.  All forms run in turn, in a fair order. For each run, brawn keeps the time, processor time and memory
/// of the program and of everything that it starts.  The first line of the output has the result.
///
/// Before the measurement, each form runs once, and must end and print as the program does. Processes that a program
/// leaves running are ended after each run.  A form that fails, hangs or prints something else is a finding.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("compare"), override_usage = USAGE, disable_version_flag = true)]
pub struct Args {
    /// The heap's variants to compare with [default: fast; beside --against if the program can have it].
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PROFILES")]
    with: Vec<With>,

    /// Another finished file of the same program to compare with: another build, or one for glibc.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// Runs of each form [default: as many as fit into six seconds, from 10 to 100].
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: Option<u32>,

    /// Runs of each form before the measured ones, in addition to the one whose output is compared.
    #[arg(short, long, value_name = "NUMBER", default_value_t = 0)]
    warmup: u32,

    /// Run this line of the shell before each run.
    #[arg(short, long, value_name = "LINE")]
    prepare: Option<String>,

    /// Run this line of the shell, in which "$@" is the program with its arguments.
    #[arg(short = 'S', long, value_name = "LINE")]
    shell: Option<String>,

    /// Seconds that a run may take [default: ten times the time of the program as it is, plus ten seconds].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<f64>,

    /// The program's input [default: none].
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,

    /// Also measure a program that fails: that a signal ends, or that prints no result and ends with another code than 0.
    #[arg(short, long)]
    ignore_failure: bool,

    /// The output that must be the same: stdout, stderr, none, or a file that the program writes.
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        default_value = "stdout"
    )]
    compare_output: Vec<String>,

    /// Compute the order of runs from this number.
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Write all figures of all runs here.
    #[arg(long, value_name = "FILE")]
    export_json: Option<PathBuf>,

    /// Write a line for each run here.
    #[arg(long, value_name = "FILE")]
    export_csv: Option<PathBuf>,

    /// Write the table here.
    #[arg(long, value_name = "FILE")]
    export_markdown: Option<PathBuf>,

    /// Write a page for the browser here, with all figures; it needs no other file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Read what `--export-json` wrote, judge it again and show it.
    ///
    /// With two files, each form in the second one is compared with the form of the same name in the first one.  They
    /// were not measured in turn, so other changes in between also affect the result; changes of the machine are
    /// printed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["program", "with", "against", "runs", "warmup", "prepare", "shell", "time_limit", "input", "ignore_failure", "seed"])]
    open_data: Vec<PathBuf>,

    /// Only sample the program as it is, and say where its time goes and how fast it would be with brawn.
    ///
    /// Nothing is rewritten, so this also answers for programs that `brawn rewrite` refuses.
    #[arg(long, conflicts_with_all = ["open_data", "against", "export_json", "export_csv", "export_markdown", "html"])]
    predict: bool,

    #[command(flatten)]
    parts: Parts,

    #[command(flatten)]
    signatures: SignaturesArg,

    /// Print a JSON object with all figures of all runs.
    #[arg(long)]
    json: bool,

    /// Print every figure, and what was compared.
    #[arg(short, long, conflicts_with = "json")]
    verbose: bool,

    /// A program, as a path or a name to look for in PATH, and its arguments: all that follows its name.
    #[arg(
        trailing_var_arg = true,
        num_args = 1..,
        value_names = ["PROGRAM", "ARGS"],
        required_unless_present = "open_data"
    )]
    program: Vec<OsString>,
}

impl Args {
    /// The files that are to be written.
    fn results(&self) -> [&Option<PathBuf>; 4] {
        [
            &self.export_json,
            &self.html,
            &self.export_csv,
            &self.export_markdown,
        ]
    }

    /// How the program is run.
    fn request(&self) -> Request {
        Request {
            program: self.program.first().cloned().unwrap_or_default(),
            arguments: self.program.iter().skip(1).cloned().collect(),
            runs: self.runs,
            warmup: self.warmup,
            prepare: self.prepare.clone(),
            shell: self.shell.clone(),
            time_limit: self.time_limit,
            input: self.input.clone(),
            ignore_failure: self.ignore_failure,
            has_answers: true,
            compare_output: self.compare_output.clone(),
            seed: self.seed,
        }
    }
}

fn seconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1e6 => Ok(value),
        _ => Err("a number of seconds above 0, at most a million".into()),
    }
}

pub fn run(args: &Args) -> Result<Exit> {
    if let (true, Some(program)) = (args.predict, args.program.first()) {
        predicted(program, args)?;
        return Ok(Exit::Success);
    }
    let data = compared(args)?;
    match args.json {
        true => ui::json(&data),
        false => say::print(&data, args.verbose),
    }
    let mut findings = data.findings.iter();
    let has_failure = findings.any(|finding| finding.kind.is_failure());
    Ok(Exit::of_findings(has_failure))
}

/// The comparison, measured or read; also writes the files that `args` asks for.
fn compared(args: &Args) -> Result<Comparison> {
    let mut data = match (args.open_data.as_slice(), args.program.first()) {
        ([], Some(program)) => measured(program, args)?,
        ([path], _) => read(path)?,
        ([before, after], _) => beside(read(before)?, read(after)?)
            .map_err(|found| Error::not_applicable(found).path(after))?,
        // clap has made sure that there is a program, or data.
        (others, _) => {
            let found = format!("{} times `--open-data`", others.len());
            return Err(Error::usage(found).expected("a program, or at most two files"));
        }
    };
    // This brawn may word it better than the one that wrote the data.
    data.verdicts = verdict::all(&data);
    diagnosis::explain(&mut data);
    export::write(&data, args)?;
    Ok(data)
}

/// Why nothing could be run.
fn reason(stop: Stop) -> Error {
    match stop {
        Stop::NotFound(error) | Stop::Refused(error) | Stop::Failed(error) => error,
    }
}

/// Each run reads the input from its beginning: a pipe would give it to one of them, and the others would wait.
fn check_input(args: &Args) -> Result<()> {
    let nothing = Path::new("/dev/null");
    let Some(path) = args.input.as_deref().filter(|path| *path != nothing) else {
        return Ok(());
    };
    let open = input::open(path).map(drop);
    open.map_err(|error| input::failed("cannot read it", error).path(path))
}

fn predicted(program: &OsString, args: &Args) -> Result<()> {
    check_input(args)?;
    let path = super::run::search::search(program).map_err(reason)?;
    sampled::print(&path, args)
}

fn measured(program: &OsString, args: &Args) -> Result<Comparison> {
    check_input(args)?;
    data::check(args.results())?;
    let path = super::run::search::search(program).map_err(reason)?;
    let found = candidates::find(&path, args).map_err(reason)?;
    let forms = found.forms.iter().map(|form| form.path.as_path());
    let read = forms.chain(args.input.as_deref()).chain([&*path]);
    data::check_apart(args.results(), read)?;
    let request = args.request();
    let signals = Signals::watch()?;
    let host = Watched::new(&signals);
    let mut measured = session(&request, &found.forms, &host)?;
    if !measured.data.order.is_empty() {
        sampled::add(&mut measured, request, (&found.forms, args), &host);
        measured.data.load[1] = machine::load();
    }
    let mut data = measured.data;
    let notes = found.left_out.map(|what| Finding::note(0, what));
    data.findings.extend(notes);
    Ok(data)
}

fn read(path: &Path) -> Result<Comparison> {
    let data: Comparison = data::read(path, "brawn compare")?;
    data.check()
        .map_err(|found| Error::malformed(found).path(path))?;
    Ok(data)
}
