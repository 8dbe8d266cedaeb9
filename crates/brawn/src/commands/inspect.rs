//! `brawn inspect`: says what files are, and whether their heap is worth replacing.

use crate::exit::Exit;
use crate::ui;
use anstyle::{AnsiColor, Style};
use brawn_core::error::printable;
use brawn_core::identify::heap::Found;
use brawn_core::inspect::{Report, Verdict, inspect};
use brawn_core::{Error, Result};
use serde::Serialize;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Say what an archive or executable is: libc, linkage, whose heap, and what to make of it.
///
/// Verdicts: `slow heap` (musl's own), `fine` (one heap, and not musl's), `mixed` (musl's beside
/// another, or a payload twice), `not musl`, `unknown`.  Files without symbols are told by the
/// tables and messages that are left in them; the output says how sure that is.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::exit::HELP)]
pub struct Args {
    /// Archives, executables, shared objects or relocatable objects.
    #[arg(required = true)]
    paths: Vec<PathBuf>,

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
}

pub fn run(args: &Args) -> Exit {
    let mut files = Vec::with_capacity(args.paths.len());
    let mut exit = Exit::Success;
    for path in &args.paths {
        match file(path) {
            Ok(report) => files.push(File {
                path: path.clone(),
                report,
            }),
            Err(error) => {
                ui::error(&error);
                exit = exit.max(error.kind().into());
            }
        }
    }
    if args.json {
        ui::json(&files);
    } else if !files.is_empty() {
        ui::text(&table(&files));
    }
    exit
}

fn file(path: &Path) -> Result<Report> {
    let metadata =
        std::fs::metadata(path).map_err(|e| Error::io("cannot find it", e).path(path))?;
    if !metadata.is_file() {
        let found = if metadata.is_dir() {
            "a folder"
        } else {
            "not a regular file"
        };
        return Err(Error::not_applicable(found)
            .expected("an ELF file or an archive")
            .path(path));
    }
    let bytes = std::fs::read(path).map_err(|e| Error::io("cannot read it", e).path(path))?;
    inspect(&bytes).map_err(|e| e.path(path))
}

const HEAD: [&str; 6] = ["VERDICT", "LIBC", "LINKAGE", "HEAP", "MEMORY", "PATH"];
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// One line of columns for each file, and below it why.
fn table(files: &[File]) -> String {
    let rows: Vec<[String; HEAD.len()]> = files.iter().map(columns).collect();
    // The path comes last, so that its length moves nothing.
    let mut widths = HEAD.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |text: &mut String, cells: &[String], first: Style, rest: Style| {
        for (number, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let style = if number == 0 { first } else { rest };
            // Nothing is padded behind the last column.
            let width = if number + 1 == cells.len() { 0 } else { width };
            let gap = if number == 0 { "" } else { "  " };
            // A String takes everything.
            let _ = write!(text, "{gap}{style}{cell:<width$}{style:#}");
        }
        text.push('\n');
    };
    let mut text = String::new();
    line(&mut text, &HEAD.map(String::from), BOLD, BOLD);
    for (file, row) in files.iter().zip(&rows) {
        line(&mut text, row, colour(file.report.verdict), Style::new());
        for detail in details(&file.report) {
            let _ = writeln!(text, "{:1$}  {DIM}{detail}{DIM:#}", "", widths[0]);
        }
    }
    text
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

fn details(report: &Report) -> Vec<String> {
    let mut lines = vec![format!(
        "{} ({}); {}",
        report.why,
        report.sure.name(),
        report.architecture
    )];
    for found in &report.heaps {
        lines.push(format!(
            "{}: {}",
            found.heap.name(),
            found.evidence.join("; ")
        ));
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
