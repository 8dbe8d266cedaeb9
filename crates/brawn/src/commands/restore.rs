//! `brawn restore`: puts the original back.

use crate::exit::Exit;
use crate::ui::{self, Tone};
use crate::walk::walk;
use crate::which::{self, Which};
use brawn_core::publish::{Restored, has_record};
use brawn_core::{Error, Kind, Result, toolchains};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Put the original of a patched libc.a back, to the byte: of one, of every one in a folder, or of
/// toolchains; or that of a rewritten executable.
///
/// Refused where the file is not what brawn wrote from that original, as after a package upgrade.
/// What brawn kept beside the file is removed.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::exit::HELP, override_usage = USAGE)]
pub struct Args {
    /// A patched libc.a, a folder to search for them, or a rewritten executable.
    #[arg(required_unless_present = "toolchains", conflicts_with = "toolchains")]
    path: Option<PathBuf>,

    #[command(flatten)]
    which: Which,

    /// Print a JSON array with one object for each archive.
    #[arg(long)]
    json: bool,
}

const USAGE: &str = "brawn restore [OPTIONS] <PATH>
       brawn restore [OPTIONS] [--rust[=<TOOLCHAIN>]] [--system] [--musl-cross] [--zig] [--all]";

/// What became of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Restored,
    AlreadyOriginal,
    Failed,
}

#[derive(Debug, Serialize)]
struct Report {
    #[serde(serialize_with = "ui::path")]
    path: PathBuf,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip)]
    exit: Exit,
}

impl Report {
    fn new(path: &Path, outcome: Result<Restored>) -> Self {
        let (status, error) = match outcome {
            Ok(Restored::Restored) => (Status::Restored, None),
            Ok(Restored::AlreadyOriginal) => (Status::AlreadyOriginal, None),
            Err(error) => (Status::Failed, Some(error)),
        };
        Self {
            path: path.to_path_buf(),
            status,
            exit: error.as_ref().map_or(Exit::Success, |e| e.kind().into()),
            reason: error.map(|e| e.to_string()),
        }
    }
}

pub fn run(args: &Args) -> Exit {
    let mut kinds = Vec::new();
    let reports = match &args.path {
        Some(path) if std::fs::metadata(path).is_ok_and(|m| m.is_dir()) => folder(path),
        Some(path) => vec![Report::new(path, archive(path))],
        None => toolchains(&args.which, &mut kinds),
    };
    if args.json {
        ui::json(&reports);
    } else {
        reports.iter().for_each(print);
    }
    which::note_relinking(&kinds);
    reports.iter().map(|r| r.exit).max().unwrap_or_default()
}

fn archive(path: &Path) -> Result<Restored> {
    super::patch::open(path).and_then(|target| target.restore())
}

fn folder(path: &Path) -> Vec<Report> {
    let found = walk(path);
    let patched = found.archives.iter().filter(|p| has_record(p));
    let mut reports: Vec<Report> = patched.map(|p| Report::new(p, archive(p))).collect();
    for error in found.errors {
        let path = error.file().unwrap_or(path).to_path_buf();
        reports.push(Report::new(&path, Err(error)));
    }
    if reports.is_empty() {
        let error = Error::new(
            Kind::RestoreRefused,
            "no libc.a in this folder that brawn patched",
        );
        reports.push(Report::new(path, Err(error.path(path))));
    }
    reports
}

/// The toolchains that flags name; `changed` gets the kinds of those that were written to.
fn toolchains(which: &Which, changed: &mut Vec<toolchains::Kind>) -> Vec<Report> {
    let chosen = which.choose();
    let mut reports = Vec::new();
    for toolchain in chosen.toolchains.iter().filter(|t| which::is_recorded(t)) {
        let path = &toolchain.path;
        let outcome = archive(path).map_err(|error| which::denied(error, path));
        if outcome.as_ref().is_ok_and(|o| *o == Restored::Restored) {
            changed.push(toolchain.kind);
        }
        reports.push(Report::new(path, outcome));
    }
    for error in chosen.errors {
        let path = error.file().unwrap_or(Path::new("")).to_path_buf();
        reports.push(Report::new(&path, Err(error)));
    }
    if reports.is_empty() {
        let error = Error::new(
            Kind::RestoreRefused,
            "no libc.a of these toolchains that brawn patched",
        );
        reports.push(Report::new(Path::new(""), Err(error)));
    }
    reports
}

fn print(report: &Report) {
    let path = report.path.display();
    match report.status {
        Status::Restored => ui::line(Tone::Good, "restored", &path.to_string()),
        Status::AlreadyOriginal => ui::line(
            Tone::Good,
            "unchanged",
            &format!("{path}: it was the original already; what brawn kept beside it is removed"),
        ),
        Status::Failed => ui::error(&report.reason.as_deref().unwrap_or_default()),
    }
}
