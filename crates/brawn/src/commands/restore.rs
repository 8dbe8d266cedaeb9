//! `brawn restore`: puts the original back.

use crate::exit::Exit;
use crate::ui::{self, Tone};
use crate::walk::walk;
use brawn_core::publish::{Restored, has_record};
use brawn_core::{Error, Kind, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Put the original of a patched libc.a back, to the byte.
///
/// Refused where the file is not what brawn wrote from that original, as after a package upgrade.
/// What brawn kept beside the file is removed.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::exit::HELP)]
pub struct Args {
    /// A patched libc.a, or a folder to search for them.
    path: PathBuf,

    /// Print a JSON array with one object for each archive.
    #[arg(long)]
    json: bool,
}

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
    let one = |path: &Path| {
        let outcome = super::patch::open(path).and_then(|target| target.restore());
        Report::new(path, outcome)
    };
    let mut reports = Vec::new();
    if std::fs::metadata(&args.path).is_ok_and(|m| m.is_dir()) {
        let found = walk(&args.path);
        reports.extend(
            found
                .archives
                .iter()
                .filter(|p| has_record(p))
                .map(|p| one(p)),
        );
        for error in found.errors {
            let path = error.file().unwrap_or(&args.path).to_path_buf();
            reports.push(Report::new(&path, Err(error)));
        }
        if reports.is_empty() {
            let error = Error::new(
                Kind::RestoreRefused,
                "no libc.a in this folder that brawn patched",
            );
            reports.push(Report::new(&args.path, Err(error.path(&args.path))));
        }
    } else {
        reports.push(one(&args.path));
    }
    if args.json {
        ui::json(&reports);
    } else {
        reports.iter().for_each(print);
    }
    reports.iter().map(|r| r.exit).max().unwrap_or_default()
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
