//! `brawn restore`: puts the original back.

use crate::exit::Exit;
use crate::file;
use crate::report;
use crate::ui::{self, Tone};
use crate::walk::walk;
use crate::which::{self, Which};
use brawn_core::bundle::folder as bundle;
use brawn_core::publish::{self, Restored, has_record};
use brawn_core::shown::shown;
use brawn_core::{Error, Result, toolchains};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Undo `brawn patch` or `brawn rewrite`, to the byte.
///
/// Puts back the original of a patched libc.a, of every one in a directory or of toolchains, of a patched
/// bundle of a Swift SDK, or of a rewritten executable.
///
/// brawn refuses if the file is not what it wrote from that original, for example after a package upgrade. It removes
/// the files that it kept beside the file.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("restore"), override_usage = USAGE)]
pub struct Args {
    /// A patched libc.a or bundle, a directory to search for libc.a's, or a rewritten executable.
    #[arg(required_unless_present = "toolchains", conflicts_with = "toolchains")]
    path: Option<PathBuf>,

    /// Print a JSON array with one object for each archive.
    #[arg(long)]
    json: bool,

    // This comes last, since everything after it would be under its heading.
    #[command(flatten)]
    which: Which,
}

const USAGE: &str = "brawn restore [OPTIONS] <PATH>
       brawn restore [OPTIONS] <--rust|--system|--musl-cross|--zig|--swift|--all>...";

/// What became of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Restored,
    AlreadyOriginal,
    Failed,
}

type Report = report::Report<Status, Nothing>;

/// `restore` has no further details.
#[derive(Debug, Default, Serialize)]
struct Nothing {}

fn failed(path: &Path, error: &Error) -> Report {
    Report::failed(path, Status::Failed, error)
}

fn report(path: &Path, outcome: Result<Restored>) -> Report {
    match outcome {
        Ok(Restored::Restored) => Report::new(path, Status::Restored),
        Ok(Restored::AlreadyOriginal) => Report::new(path, Status::AlreadyOriginal),
        Err(error) => failed(path, &error),
    }
}

pub fn run(args: &Args) -> Exit {
    let mut kinds = Vec::new();
    let reports = match &args.path {
        Some(path) if std::fs::metadata(path).is_ok_and(|m| m.is_dir()) => folder(path),
        Some(path) => vec![report(path, archive(path))],
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
    publish::open(path, &file::notice).and_then(|target| target.restore())
}

fn folder(path: &Path) -> Vec<Report> {
    let mut found = walk(path);
    // A bundle's may have another name.
    let named = in_bundle(path);
    found.archives.extend(named);
    found.archives.sort_unstable();
    found.archives.dedup();
    let patched = found.archives.iter().filter(|p| has_record(p));
    let mut reports: Vec<Report> = patched.map(|p| report(p, archive(p))).collect();
    let errors = found.errors.iter();
    reports.extend(errors.map(|e| failed(e.file().unwrap_or(path), e)));
    if reports.is_empty() {
        let error = Error::restore_refused("no libc.a in this directory that brawn patched");
        reports.push(failed(path, &error.path(path)));
    }
    reports
}

/// The archives of an unpacked bundle that lie in the directory `path`.
fn in_bundle(path: &Path) -> Vec<PathBuf> {
    let bundle = bundle::bundle(path).and_then(|root| bundle::read(&root).ok());
    let (Some(bundle), Ok(real)) = (bundle, path.canonicalize()) else {
        return Vec::new();
    };
    let inside = bundle.archives.iter();
    inside
        .filter_map(|(archive, _)| Some(path.join(archive.strip_prefix(&real).ok()?)))
        .collect()
}

/// The toolchains that flags name; the kinds of changed ones are added to `changed`.
fn toolchains(which: &Which, changed: &mut Vec<toolchains::ToolchainKind>) -> Vec<Report> {
    let chosen = which.choose();
    let mut reports = Vec::new();
    for toolchain in chosen.toolchains.iter().filter(|t| which::is_recorded(t)) {
        let path = &toolchain.archive.path;
        let outcome = archive(path).map_err(|error| which::denied(error, path));
        if outcome.as_ref().is_ok_and(|o| *o == Restored::Restored) {
            changed.push(toolchain.archive.kind);
        }
        reports.push(report(path, outcome));
    }
    let (none, errors) = (Path::new(""), chosen.errors.iter());
    reports.extend(errors.map(|e| failed(e.file().unwrap_or(none), e)));
    if reports.is_empty() {
        let error = Error::restore_refused("no libc.a of these toolchains that brawn patched");
        reports.push(failed(none, &error));
    }
    reports
}

fn print(report: &Report) {
    let path = shown(&report.path);
    match report.status {
        Status::Restored => ui::line(Tone::Good, "restored", &path.to_string()),
        Status::AlreadyOriginal => ui::line(
            Tone::Good,
            "unchanged",
            &format!(
                "{path}: it was already the original; the files that brawn kept beside it are removed"
            ),
        ),
        Status::Failed => ui::error(&report.reason.as_deref().unwrap_or_default()),
    }
}
