//! `brawn heap-profile`: what a program with profile `trace` recorded, as a table, for `pprof`, and as a page.

mod html;
mod pprof;

use crate::data;
use crate::exit::Exit;
use crate::ui;
use brawn_core::publish::write_report;
use brawn_core::shown::shown;
use brawn_core::{Error, Result};
use brawn_lab::show::columns::{Row, columns};
use brawn_lab::show::units::bytes;
use brawn_sample::heap::{Amount, Profile, Recording, profile};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Show who asked for a program's memory, from what profile `trace` recorded.
///
/// A program with brawn's heap of profile `trace`, by whatever way it has it (`brawn rewrite --profile trace`, `brawn
/// link-args --profile trace`, …), records sampled blocks and the stacks that asked for them where it is run with
/// BRAWN_OPTIONS=heap_profile=FILE.  `brawn run --heap-profile FILE PROGRAM` does all of that at once.
///
/// One block is recorded for about every 512 KiB that the program asks for (BRAWN_OPTIONS=heap_interval=BYTES,heap_profile=FILE;
/// the file's name stands last).  All figures are estimates from these samples.  The more samples there are, the fewer are
/// taken: the file of a program that runs for hours stays below some hundred megabytes.
#[derive(Debug, clap::Args)]
#[command(after_help = crate::help::after("heap-profile"))]
pub struct Args {
    /// What the program recorded.
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    /// Look for the program's files below this directory, for a recording of a container [default: /].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Write the profile for `pprof` (gzipped, as `go tool pprof` and others read it).
    #[arg(long, value_name = "FILE")]
    pprof: Option<PathBuf>,

    /// Write a page for the browser with flame graphs: what was in use at the peak, at the end, and all that was asked for.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write all figures as JSON.
    #[arg(long, value_name = "FILE")]
    export_json: Option<PathBuf>,

    /// At most this many lines in the table.
    #[arg(long, value_name = "N", default_value_t = 15)]
    lines: usize,
}

/// Prints and writes what `args` asks for.
pub fn run(args: &Args) -> Result<Exit> {
    let results = [&args.pprof, &args.html, &args.export_json];
    data::check_apart(results, [&*args.recording])?;
    let profile = read(&args.recording, args.root.as_deref())?;
    ui::text(&summary(&profile, args.lines));
    if let Some(path) = &args.pprof {
        write_report(path, &pprof::encoded(&profile))?;
    }
    if let Some(path) = &args.html {
        let title = shown(&args.recording).to_string();
        write_report(path, html::page(&profile, &title).as_bytes())?;
    }
    if let Some(path) = &args.export_json {
        data::write(&profile, path)?;
    }
    Ok(Exit::Success)
}

/// The profile of a recording that has something in it.  `root` is the directory that was `/` to the program, if that is not
/// this system's.
///
/// # Errors
/// If it cannot be read, or nothing was recorded.
pub fn read(path: &Path, root: Option<&Path>) -> Result<Profile> {
    let mut recording = Recording::read(path)?;
    if let Some(root) = root {
        let metadata = root.metadata();
        let metadata = metadata.map_err(|e| Error::io("cannot find it", e).path(root))?;
        if !metadata.is_dir() {
            return Err(Error::usage("`--root` is no directory").path(root));
        }
        root.clone_into(&mut recording.root);
    }
    let profile = profile(&recording);
    if profile.stacks.is_empty() {
        let (why, next) = match profile.lost {
            0 => (
                "the recording has no block: the program asked for little, or ended too early",
                "record more often: `brawn run --heap-interval 512 --heap-profile FILE`, or BRAWN_OPTIONS=heap_interval=512,heap_profile=FILE for a program that has the profile `trace`",
            ),
            _ => (
                "the recording has no block: there was no room for any in the file",
                "look for a full disk, and for a limit to the size of files (`ulimit -f`)",
            ),
        };
        return Err(Error::not_applicable(why).path(path).next(next));
    }
    Ok(profile)
}

/// Writes the profile for `pprof` and the page.
///
/// # Errors
/// If one cannot be written.
pub fn write(profile: &Profile, title: &str, for_pprof: &Path, page: &Path) -> Result<()> {
    write_report(for_pprof, &pprof::encoded(profile))?;
    write_report(page, html::page(profile, title).as_bytes())
}

/// Bytes as they are printed.
fn size(amount: Amount) -> String {
    bytes(amount.bytes)
}

/// The first line: the most that was in use, and how much was asked for.
pub fn headline(profile: &Profile) -> String {
    let peak = profile.at_peak();
    let lost = match profile.lost {
        0 => String::new(),
        n => format!("; {n} samples had no room in the file"),
    };
    format!(
        "at its peak, {:.1} s from the first sample, the program used {} in {:.0} blocks; at the end {}; it asked for {} in all \
         ({} samples{lost})",
        profile.peak_at,
        about(peak, profile.peak_doubt),
        peak.blocks,
        about(profile.at_end(), profile.end_doubt),
        size(profile.asked()),
        profile.samples,
    )
}

/// An amount, and how far it may be off if that is more than a tenth of it.
fn about(amount: Amount, doubt: f64) -> String {
    let known = size(amount);
    match doubt / amount.bytes {
        part if part >= 1.0 => format!("{known} (too few samples to be sure)"),
        part if part > 0.1 => format!("{known} (± {})", bytes(doubt)),
        _ => known,
    }
}

/// What a function has, itself and with all that it calls.
#[derive(Default)]
struct Line {
    frame: usize,
    itself: Amount,
    with_callees: Amount,
    asked: Amount,
}

/// The functions, those with the most at the peak first.
fn lines(profile: &Profile) -> Vec<Line> {
    let mut all: HashMap<usize, Line> = HashMap::new();
    for stack in &profile.stacks {
        let mut seen = Vec::new();
        for (depth, frame) in stack.frames.iter().enumerate() {
            if seen.contains(frame) {
                continue; // it calls itself
            }
            seen.push(*frame);
            let line = all.entry(*frame).or_insert_with(|| Line {
                frame: *frame,
                ..Line::default()
            });
            if depth == 0 {
                line.itself += stack.at_peak;
                line.asked += stack.asked;
            }
            line.with_callees += stack.at_peak;
        }
    }
    let mut lines: Vec<Line> = all.into_values().collect();
    lines.sort_by(|a, b| {
        let by = |line: &Line| (line.itself.bytes, line.with_callees.bytes);
        by(b)
            .partial_cmp(&by(a))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    lines
}

/// The headline, and the functions that used most.
fn summary(profile: &Profile, most: usize) -> String {
    let rows: Vec<Row> = lines(profile)
        .iter()
        .filter(|line| line.itself.bytes > 0.0 || line.asked.bytes > 0.0)
        .take(most)
        .map(|line| {
            Row::from([
                size(line.itself),
                size(line.with_callees),
                size(line.asked),
                profile.frames[line.frame].function.clone(),
            ])
        })
        .collect();
    let head = ["AT PEAK", "WITH CALLEES", "ASKED FOR", "FUNCTION"];
    let headline = ui::folded(&headline(profile), 0, ui::width());
    format!("{headline}\n\n{}", columns(head, &rows, ui::width()))
}
