//! What `inspect` prints for people: a line for each file, in as many columns as fit, and below all of them what to do.

use super::File;
use crate::{typed, ui};
use anstyle::{AnsiColor, Style};
use brawn_core::demangle::demangled;
use brawn_core::error::printable;
use brawn_core::identify::heap::FoundHeap;
use brawn_core::report::inspect::Verdict;
use brawn_lab::show::columns::{self, Row};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;

const BOLD: Style = Style::new().bold();

const HEAD: [&str; 6] = ["VERDICT", "LIBC", "LINKAGE", "HEAP", "MEMORY", "PATH"];
/// Where the path is, the last column.
const PATH: usize = HEAD.len() - 1;
/// The columns that are left out on a narrow terminal, in this order.  `--json` and `--verbose` still have them.
const LESS: [usize; 4] = [4, 1, 2, 3];
/// The gap between two columns.
const GAP: usize = 2;
/// The smallest width of a path, even if the terminal is narrower.
const LEAST: usize = 8;
/// How many callers or members are printed; `--json` has them all.
const ENOUGH: usize = 8;

/// The lines for `files`; with `is_verbose` each has its evidence below.  `width` is the terminal's; without a
/// terminal, no path is shortened and no column left out.
pub fn table(files: &[&File], is_verbose: bool, width: Option<usize>) -> String {
    let rows: Vec<_> = files.iter().map(|file| columns(file)).collect();
    let mut widths = HEAD.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let (is_shown, room) = fit(&widths, width);
    let cells = |row: [String; HEAD.len()]| -> Vec<String> {
        let all = row.into_iter().enumerate().filter(|(n, _)| is_shown[*n]);
        all.map(|(number, cell)| match number {
            PATH => bounded(&cell, room),
            _ => cell,
        })
        .collect()
    };
    let row = |(file, row): (&&File, [String; HEAD.len()])| Row {
        cells: cells(row),
        style: colour(file.report.verdict),
        details: details(file).into_iter().filter(|_| is_verbose).collect(),
    };
    let rows: Vec<Row> = files.iter().zip(rows).map(row).collect();
    columns::columns(cells(HEAD.map(String::from)), &rows, width)
}

/// The columns that fit, and the width that is left for the path.
fn fit(widths: &[usize; HEAD.len()], width: Option<usize>) -> ([bool; HEAD.len()], usize) {
    let mut is_shown = [true; HEAD.len()];
    let Some(width) = width else {
        return (is_shown, usize::MAX);
    };
    let before = |is_shown: &[bool; HEAD.len()]| -> usize {
        let shown = (0..PATH).filter(|n| is_shown[*n]);
        shown.map(|n| widths[n] + GAP).sum()
    };
    // If less than a third of a line is left, only the end of a path distinguishes it from others.
    let wanted = widths[PATH].min(width / 3);
    for column in LESS {
        if before(&is_shown) + wanted <= width {
            break;
        }
        is_shown[column] = false;
    }
    (is_shown, width.saturating_sub(before(&is_shown)).max(LEAST))
}

/// `path` in at most `room` columns: a short beginning and a long end. For a file in a package: the beginning of the
/// package's own name, which distinguishes it from others, and the file's end.
fn bounded(path: &str, room: usize) -> String {
    let length = |text: &str| text.chars().count();
    if length(path) <= room {
        return path.to_string();
    }
    let ends = |text: &str, first: usize, last: usize| -> String {
        let start = text.chars().take(first);
        let end = text.chars().skip(length(text) - last);
        start.chain(['…']).chain(end).collect()
    };
    let Some((package, member)) = path.split_once('!') else {
        let first = (room - 1) / 3;
        return ends(path, first, room - 1 - first);
    };
    let name = package.rsplit('/').next().unwrap_or_default();
    let short = format!("{name}!{member}");
    if length(&short) <= room {
        return short;
    }
    let half = (room - 1) / 2;
    let (name_room, member_room) = match (length(name), length(member)) {
        (name, _) if name <= half => (name, room - 1 - name),
        (_, member) if member <= half => (room - 1 - member, member),
        _ => (half, room - 1 - half),
    };
    let cut = |text: &str, room: usize, is_first: bool| match (length(text) <= room, is_first) {
        (true, _) => text.to_string(),
        (false, true) => ends(text, room - 1, 0),
        (false, false) => ends(text, 0, room - 1),
    };
    let (name, member) = (cut(name, name_room, true), cut(member, member_room, false));
    format!("{name}!{member}")
}

fn columns(file: &File) -> [String; HEAD.len()] {
    let report = &file.report;
    let libc = match (&report.system, &report.libc_version) {
        (Some(system), _) => system.name().to_string(),
        (None, Some(version)) => {
            let version = version.replace(" or later", "+");
            format!("{} {version}", report.libc.name())
        }
        (None, None) => report.libc.name().to_string(),
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

/// What to do about `files`: a line for each kind of thing to do.
pub fn next(files: &[&File], width: Option<usize>) -> String {
    let mut kinds: Vec<(&str, Verdict, Vec<&File>)> = Vec::new();
    for file in files {
        let Some(hint) = &file.report.hint else {
            continue;
        };
        let verdict = file.report.verdict;
        match kinds
            .iter_mut()
            .find(|(h, v, _)| h == hint && *v == verdict)
        {
            Some((_, _, same)) => same.push(file),
            None => kinds.push((hint, verdict, vec![file])),
        }
    }
    let mut text = String::new();
    for (hint, verdict, same) in kinds {
        let mut linkages: Vec<_> = same.iter().map(|f| f.report.linkage.name()).collect();
        linkages.sort_unstable();
        linkages.dedup();
        let mut what = format!("{}, {}", verdict.name(), linkages.join(" or "));
        if same.len() > 1 {
            let _ = write!(what, " ({} files)", same.len());
        }
        let mut typed: Vec<_> = same.iter().map(|file| file.typed.as_deref()).collect();
        typed.dedup();
        let hint = match typed.as_slice() {
            [Some(path)] => hint.replace("FILE", &typed::path(path)),
            _ => hint.to_string(),
        };
        // A package's member is not yet a file that the command could be given.
        let unpack = match hint.contains("FILE") && typed.iter().all(Option::is_none) {
            true => "unpack it; ",
            false => "",
        };
        let line = format!("{what}: {unpack}{hint}");
        let line = ui::folded(&printable(line.as_bytes()), 6, width);
        let _ = writeln!(text, "{BOLD}next{BOLD:#}  {line}");
    }
    text
}

fn details(file: &File) -> Vec<String> {
    let report = &file.report;
    let mut lines = vec![format!(
        "{} ({}); {}",
        report.why,
        report.sure.name(),
        report.architecture
    )];
    lines.extend(file.sdk.iter().map(super::sdk::Sdk::line));
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
    lines
}

fn reach(found: &FoundHeap) -> Vec<String> {
    let mut lines = Vec::new();
    if !found.reached_by.is_empty() {
        let shown = found.reached_by.iter().take(ENOUGH);
        let shown = shown.map(|name| demangled(name));
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

#[cfg(test)]
mod tests;
