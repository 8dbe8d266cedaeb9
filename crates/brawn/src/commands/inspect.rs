//! `brawn inspect`: says what files are, and whether their heap is worth replacing.

mod gather;
mod sdk;

use crate::exit::Exit;
use crate::table::{Row, table};
use crate::ui;
use anstyle::{AnsiColor, Style};
use brawn_core::error::printable;
use brawn_core::identify::heap::Found;
use brawn_core::inspect::{Report, Verdict};
use serde::Serialize;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Say whose heap and memory functions are in archives, executables and packages.
///
/// Besides: which libc, how linked, and what to make of it.  Verdicts: `slow heap` (musl's own), `fine` (one
/// heap, and not musl's), `mixed` (musl's beside another, or a payload twice), `not musl`, `unknown`.  Files
/// without symbols are told by the tables and messages that are left in them; the output says how sure that is.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("inspect"))]
pub struct Args {
    /// Archives, executables, shared or relocatable objects; wheels, npm tarballs and other zip
    /// archives and tarballs; bundles of Swift SDKs; folders with such files.
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// Exit with code 1 if a file has one of these verdicts.
    #[arg(long, value_delimiter = ',', value_name = "VERDICTS")]
    fail_on: Vec<FailOn>,

    /// Print a JSON array with one object for each file.
    #[arg(long)]
    json: bool,
}

/// One file's object in `--json`.
#[derive(Debug, Serialize)]
struct File {
    #[serde(serialize_with = "ui::path")]
    path: PathBuf,
    #[serde(flatten)]
    report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    sdk: Option<sdk::Sdk>,
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

pub fn run(args: &Args) -> Exit {
    let gathered = gather::gather(&args.paths);
    let mut exit = Exit::Success;
    for error in &gathered.errors {
        ui::error(error);
        exit = exit.max(error.kind().into());
    }
    let files: Vec<File> = gathered
        .reports
        .into_iter()
        .map(|(path, report, sdk)| File { path, report, sdk })
        .collect();
    if args.json {
        ui::json(&files);
    } else if !files.is_empty() {
        ui::text(&table(HEAD, &rows(&files)));
    }
    if gathered.others > 0 {
        ui::info(&format!(
            "{} inspected; {} passed over, which {} neither ELF nor an archive",
            count(files.len()),
            count(gathered.others),
            if gathered.others == 1 { "is" } else { "are" }
        ));
    }
    let is_finding = |file: &&File| {
        let verdicts = &mut args.fail_on.iter().map(|f| f.verdict());
        verdicts.any(|v| v == file.report.verdict)
    };
    let findings = files.iter().filter(is_finding).count();
    if findings > 0 {
        ui::error(&format_args!(
            "{} with a verdict that --fail-on names",
            count(findings)
        ));
        exit = exit.max(Exit::Finding);
    }
    exit
}

fn count(files: usize) -> String {
    format!("{files} {}", if files == 1 { "file" } else { "files" })
}

const HEAD: [&str; 6] = ["VERDICT", "LIBC", "LINKAGE", "HEAP", "MEMORY", "PATH"];

/// One line of columns for each file, and below it why.
fn rows(files: &[File]) -> Vec<Row<{ HEAD.len() }>> {
    let row = |file: &File| Row {
        cells: columns(file),
        style: colour(file.report.verdict),
        details: details(file),
    };
    files.iter().map(row).collect()
}

fn columns(file: &File) -> [String; HEAD.len()] {
    let report = &file.report;
    let libc = match &report.libc_version {
        Some(version) => format!("{} {version}", report.libc.name()),
        None => report.libc.name().to_string(),
    };
    [
        report.verdict.name().to_string(),
        libc,
        report.linkage.name().to_string(),
        report.heap.clone(),
        report.memory.name().to_string(),
        printable(file.path.as_os_str().as_bytes()),
    ]
}

fn details(file: &File) -> Vec<String> {
    let report = &file.report;
    let mut lines = vec![format!(
        "{} ({}); {}",
        report.why,
        report.sure.name(),
        report.architecture
    )];
    // Names are the bundle's.
    let sdk = file.sdk.iter().map(|sdk| printable(sdk.line().as_bytes()));
    lines.extend(sdk);
    for found in &report.heaps {
        lines.push(format!("{}: {}", found.title(), found.evidence.join("; ")));
        if let Some(note) = &found.note {
            lines.push(format!(
                "  profile {}, {}, compiled by {}",
                note.profile, note.architecture, note.compiler
            ));
        }
        lines.extend(reach(found));
    }
    if !report.evidence.is_empty() {
        lines.push(format!("also: {}", report.evidence.join("; ")));
    }
    if !report.missing.is_empty() {
        lines.push(format!("missing: {}", report.missing.join(", ")));
    }
    lines.extend(report.hint.iter().map(|hint| format!("hint: {hint}")));
    lines
}

/// How many callers or members are printed; `--json` has them all.
const ENOUGH: usize = 8;

fn reach(found: &Found) -> Vec<String> {
    let mut lines = Vec::new();
    if !found.reached_by.is_empty() {
        let shown = found.reached_by.iter().take(ENOUGH).cloned();
        let mut line = format!("  called by {}", shown.collect::<Vec<_>>().join(", "));
        if let Some(more) = found.reached_by.len().checked_sub(ENOUGH + 1) {
            let _ = write!(line, " and {} more", more + 1);
        }
        lines.push(line);
    }
    for member in found.members.iter().take(ENOUGH) {
        let mut line = format!("  member {} at {:#x}", member.member, member.offset);
        for (word, names) in [
            ("defines", &member.defines),
            ("refers to", &member.refers_to),
        ] {
            if !names.is_empty() {
                let _ = write!(line, " {word} {}", names.join(" "));
            }
        }
        lines.push(line);
    }
    if let Some(more) = found.members.len().checked_sub(ENOUGH + 1) {
        lines.push(format!("  and {} more members", more + 1));
    }
    lines
}

fn colour(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Fine => AnsiColor::Green,
        Verdict::SlowHeap | Verdict::Mixed => AnsiColor::Red,
        Verdict::NotMusl | Verdict::Unknown => AnsiColor::Yellow,
    };
    colour.on_default().bold()
}
