//! `brawn inspect`: says what files are, and whether their heap is worth replacing.

mod gather;
mod sdk;
mod show;

use crate::builds::SignaturesArg;
use crate::exit::Exit;
use crate::ui;
use brawn_core::report::inspect::{Inspection, Verdict};
use brawn_core::{Error, Result, shown};
use gather::{Gathered, Outcome};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Say whose heap and memory functions are in archives, executables and packages.
///
/// It also says which libc a file has, how it is linked, its verdict, and what to do next.  Verdicts: `slow heap`
/// (musl's own), `fine` (one heap, and not musl's), `mixed` (musl's beside another one, or a payload that is there
/// twice or does not belong there), `not musl`, `unknown`.  In files without symbols, brawn looks for musl's tables,
/// messages and code; `--verbose` prints the evidence, and how certain it is.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("inspect"))]
pub struct Args {
    /// Archives, executables, shared or relocatable objects; wheels, npm tarballs, Debian packages, images of
    /// containers and other tar and zip archives; bundles of Swift SDKs; any of these compressed by gzip, xz, zstd or
    /// bzip2; directories with such files.
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// Exit with code 1 if a file has one of these verdicts, and with 3 if there is nothing to judge, or something
    /// that brawn does not open.
    #[arg(long, value_delimiter = ',', value_name = "VERDICTS")]
    fail_on: Vec<FailOn>,

    /// Print only files with these verdicts.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VERDICTS")]
    only: Vec<Only>,

    #[command(flatten)]
    signatures: SignaturesArg,

    /// Print below each file what was found, and how certain it is.
    #[arg(short, long, conflicts_with_all = ["json", "quiet"])]
    verbose: bool,

    /// Print only errors.
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    /// Print a JSON array with one object for each file.
    #[arg(long)]
    json: bool,
}

/// One file that was looked at.
#[derive(Debug, Serialize)]
struct File {
    #[serde(serialize_with = "shown::path")]
    path: PathBuf,
    status: Status,
    #[serde(flatten)]
    report: Inspection,
    #[serde(skip_serializing_if = "Option::is_none")]
    sdk: Option<sdk::Sdk>,
    /// The command that improves it, if there is one; none for a file inside a package, which would have to be unpacked
    /// first.
    #[serde(skip)]
    typed: Option<PathBuf>,
}

/// What `--json` has of one.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Object<'g> {
    Inspected(&'g File),
    /// One that could not be read, or was not opened.
    Failed {
        #[serde(serialize_with = "shown::path")]
        path: &'g Path,
        status: Status,
        reason: String,
    },
}

/// The result for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    /// It was read, and has a verdict.
    Inspected,
    /// It could not be read.
    Failed,
    /// There may be programs in it, and brawn does not open it.
    Unopened,
}

/// A verdict that can be asked to fail on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// Any file whose verdict is `slow heap`.
    Slow,
    /// Any file whose verdict is `mixed`.
    Mixed,
}

impl FailOn {
    const fn verdict(self) -> Verdict {
        match self {
            Self::Slow => Verdict::SlowHeap,
            Self::Mixed => Verdict::Mixed,
        }
    }
}

/// A verdict that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Only {
    /// `fine`.
    Fine,
    /// `slow heap`.
    Slow,
    /// `mixed`.
    Mixed,
    /// `not musl`.
    NotMusl,
    /// `unknown`.
    Unknown,
}

impl Only {
    const fn verdict(self) -> Verdict {
        match self {
            Self::Fine => Verdict::Fine,
            Self::Slow => Verdict::SlowHeap,
            Self::Mixed => Verdict::Mixed,
            Self::NotMusl => Verdict::NotMusl,
            Self::Unknown => Verdict::Unknown,
        }
    }
}

pub fn run(args: &Args) -> Result<Exit> {
    let builds = args.signatures.read()?.all;
    let gathered = gather::gather(&args.paths, &builds);
    let mut exit = Exit::Success;
    for error in gathered.errors() {
        ui::error(error);
        exit = exit.max(error.kind().into());
    }
    print(args, &gathered);
    let verdicts: Vec<Verdict> = args.fail_on.iter().map(|f| f.verdict()).collect();
    let is_finding = |file: &&File| verdicts.contains(&file.report.verdict);
    let findings = gathered.files().filter(is_finding).count();
    if findings > 0 {
        ui::error(&format_args!(
            "{} with a verdict that --fail-on names",
            count(findings)
        ));
        exit = exit.max(Exit::Finding);
    }
    let nothing = gathered.nothing();
    for unknown in gathered.unopened().chain(&nothing) {
        // A check that cannot look into a file must not succeed because of that.
        if !args.fail_on.is_empty() {
            ui::error(unknown);
            exit = exit.max(unknown.kind().into());
        } else if !args.quiet {
            ui::info(&unknown.to_string());
        }
    }
    Ok(exit)
}

/// Prints what was found, as JSON or for people.
fn print(args: &Args, gathered: &Gathered) {
    let is_asked = |file: &File| {
        let mut only = args.only.iter();
        args.only.is_empty() || only.any(|only| only.verdict() == file.report.verdict)
    };
    if args.json {
        let objects = gathered.found.iter().filter_map(|outcome| match outcome {
            Outcome::Judged(file) => is_asked(file).then_some(Object::Inspected(file)),
            Outcome::Failed(error) => Some(failed(error, Status::Failed)),
            Outcome::Unopened(error) => Some(failed(error, Status::Unopened)),
        });
        ui::json(&objects.collect::<Vec<_>>());
    }
    if args.quiet {
        return;
    }
    let files: Vec<&File> = gathered.files().filter(|file| is_asked(file)).collect();
    if !args.json && !files.is_empty() {
        let width = ui::width();
        let mut text = show::table(&files, args.verbose, width);
        text.push_str(&show::next(&files, width));
        ui::text(&text);
    }
    let inspected = gathered.files().count();
    let mut said = Vec::new();
    if files.len() < inspected {
        said.push(format!("{} with another verdict", inspected - files.len()));
    }
    if gathered.others > 0 {
        let is = if gathered.others == 1 { "is" } else { "are" };
        said.push(format!(
            "{} passed over, which {is} neither ELF nor an archive",
            count(gathered.others)
        ));
    }
    match gathered.kept {
        0 => {}
        1 => said.push("1 original that brawn keeps passed over".into()),
        kept => said.push(format!("{kept} originals that brawn keeps passed over")),
    }
    if !said.is_empty() {
        said.insert(0, format!("{} inspected", count(inspected)));
        ui::info(&said.join("; "));
    }
}

fn failed(error: &Error, status: Status) -> Object<'_> {
    Object::Failed {
        path: error.file().unwrap_or(Path::new("")),
        status,
        reason: error.to_string(),
    }
}

fn count(files: usize) -> String {
    format!("{files} {}", if files == 1 { "file" } else { "files" })
}
