//! Compares one engine of the payload with another, and both with mimalloc by hand.
//!
//! The workloads are linked with each engine's objects on the link line, and with the `libc.a` of bench/peers/build.sh
//! (mimalloc 2 and 3 at the version that Cargo.lock pins). Ratios are of pairs within a round. `instructions` are
//! callgrind's, which runs one thread at a time: they do not depend on what else the machine does.

use super::{Choice, Raw, Site, key};
use crate::prepare::ALIGNED;
use crate::progress::Progress;
use crate::show::{self, Cell, Row, Table};
use crate::{Result, context, repository, rows};
use brawn_lab::build::checked;
use brawn_lab::run::rounds::Order;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What callgrind runs, which takes it fifty times as long: workload and arguments.
const COUNTED: [[&str; 2]; 5] = [
    ["bignum", "100000"],
    ["threads", "1 200000 random"],
    ["realloc", "100"],
    ["server", "2 3"],
    ["stress", "60 5000"],
];
const BEFORE: &str = "before";
const NOW: &str = "now";
/// The sides, and the versions of mimalloc that bench/peers/build.sh builds.
const SIDES: [(&str, Option<&str>); 4] = [
    (BEFORE, None),
    (NOW, None),
    ("mimalloc 2 by hand", Some("v2")),
    ("mimalloc 3 by hand", Some("v3")),
];
const INSTRUCTIONS: &str = "instructions";

/// What runs: title, workload, arguments.
fn work() -> Vec<[&'static str; 3]> {
    rows(include_str!("engine/work.txt")).collect()
}

/// Builds the workloads for each side and runs `rounds` rounds. `old` has `crates/brawn-rt/objects` as it was before.
///
/// # Errors
///
/// Something does not compile or run; valgrind is missing.
pub fn measure(site: &Site, choice: &Choice, rounds: usize, progress: &Progress) -> Result<Raw> {
    let old = choice.old.as_deref().ok_or("name the earlier objects")?;
    progress.step("building the workloads");
    build(site, old)?;
    let mut raw = Raw::new("brawn-bench engine", &site.brawn);
    progress.steps("counting instructions", COUNTED.len() * SIDES.len());
    for [workload, arguments] in COUNTED {
        for (side, _) in SIDES {
            let count = instructions(&program(site, workload, side), arguments)?;
            let title = format!("{workload} {arguments}");
            raw.facts.insert(key(&title, side), count);
            progress.advance();
        }
    }
    let work = work();
    let all = (&work[..], &SIDES[..]);
    raw.measure("engine", (rounds, Order::Sides), all, progress, |turn| {
        let ([title, workload, arguments], (side, _)) = (turn.thing, turn.side);
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let sample = site.run(&program(site, workload, side), &arguments, &[])?;
        Ok((key(title, side), sample))
    })?;
    Ok(raw)
}

fn program(site: &Site, workload: &str, side: &str) -> PathBuf {
    site.at(&format!("{workload}-{}", side.replace(' ', "-")))
}

fn build(site: &Site, old: &Path) -> Result<()> {
    let workloads = work().into_iter().map(|[_, workload, _]| workload);
    let workloads: BTreeSet<&str> = workloads.collect();
    for (side, version) in SIDES {
        let linked: Vec<std::ffi::OsString> = match version {
            Some(version) => {
                let folder = site.at(version);
                let mut command = Command::new(repository().join("bench/peers/build.sh"));
                checked(command.arg(version).arg(&site.libc).arg(&folder))?;
                vec!["-L".into(), folder.into()]
            }
            None => {
                let objects = match side {
                    BEFORE => old.to_path_buf(),
                    _ => repository().join("crates/brawn-rt/objects"),
                };
                let heap = objects.join("x86_64/fast/libbrawn_heap.a");
                context(heap.metadata(), "look at", &heap)?;
                vec![
                    "-Wl,--whole-archive".into(),
                    heap.into(),
                    "-Wl,--no-whole-archive".into(),
                ]
            }
        };
        for workload in &workloads {
            let mut command = Command::new("musl-gcc");
            command.args(["-O2", "-w", "-static"]).args(ALIGNED);
            command.arg("-o");
            command.arg(program(site, workload, side));
            command.arg(repository().join(format!("bench/workloads/{workload}.c")));
            checked(command.args(&linked))?;
        }
    }
    Ok(())
}

/// Callgrind's count of a run.
fn instructions(program: &Path, arguments: &str) -> Result<f64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(program).args(arguments.split_whitespace());
    let output = command.output();
    let output = context(output, "run valgrind on", program)?;
    let said = String::from_utf8_lossy(&output.stderr);
    match collected(&said).filter(|_| output.status.success()) {
        Some(count) => Ok(count),
        None => Err(format!(
            "valgrind on {}: {}\n{}",
            program.display(),
            output.status,
            said.trim_end()
        )),
    }
}

/// The number in callgrind's line `==PID== Collected : NUMBER`.
fn collected(said: &str) -> Option<f64> {
    let (_, after) = said.split_once("Collected : ")?;
    after.split_whitespace().next()?.parse().ok()
}

/// The table: medians of each side, and how the engine compares with the one before.
pub fn show(raw: &Raw) -> Table {
    let mut header: Vec<Cell> = ["", "what"].map(Cell::from).into();
    header.extend(SIDES.map(|(side, _)| Cell::from(side)));
    header.push(Cell::from("now / before"));
    let mut rows = Vec::new();
    for [workload, arguments] in COUNTED {
        let title = format!("{workload} {arguments}");
        let of = |side: &str| raw.fact(&key(&title, side));
        let figure = |side| format!("{:.1} million", of(side) / 1e6);
        rows.push(row(&title, INSTRUCTIONS, figure, of(NOW) / of(BEFORE)));
    }
    for [title, ..] in work() {
        for (figure, what) in [("cpu_ns", "processor time"), ("hwm_kb", "peak memory")] {
            let cell = |side: &str| {
                let median = raw.median(&key(title, side), figure);
                match figure {
                    "cpu_ns" => show::time(median),
                    _ => show::memory(median),
                }
            };
            let [now, before] = [NOW, BEFORE].map(|side| key(title, side));
            let ratio = raw.against([&now, &before], |sample| sample.get(figure).copied());
            let ratio = ratio.map_or(f64::NAN, |ratio| ratio.median);
            rows.push(row(title, what, cell, ratio));
        }
    }
    Table { header, rows }
}

fn row(title: &str, what: &str, cell: impl Fn(&'static str) -> String, ratio: f64) -> Row {
    let mut cells = vec![Cell::from(title), Cell::from(what)];
    cells.extend(SIDES.map(|(side, _)| Cell::from(cell(side))));
    cells.push(Cell::from(format!("{ratio:.3}x")));
    Row::Cells(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrinds_count_is_read() {
        let said = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 41726150\n==7==\n";
        assert_eq!(collected(said), Some(41_726_150.0));
        assert_eq!(collected("==7== Events : Ir"), None);
    }
}
