//! Measures dynamic programs of musl with `brawn preload`: workloads of `bench/workloads` run as they are, with the
//! object, and with glibc.

use super::{Raw, Site, key};
use crate::progress::Progress;
use crate::show::{self, Cell, Row, Table};
use crate::{Result, repository, rows};
use brawn_lab::build::checked;
use brawn_lab::run::rounds::Order;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// How many processes that allocate once run in each round: one alone takes too little time to measure.
const STARTS: usize = 30;

/// The workload that allocates once.
const ONCE: &str = "once";

/// What runs: title, workload, arguments.
fn work() -> Vec<[&'static str; 3]> {
    rows(include_str!("preload/work.txt")).collect()
}

/// The sides: the title, the libc that programs are built for, and whether the object is preloaded.
const SIDES: [(&str, &str, bool); 3] = [
    ("dynamic musl", "musl", false),
    ("with the object", "musl", true),
    ("glibc", "glibc", false),
];

/// Builds the workloads, runs `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, rounds: usize, progress: &Progress) -> Result<Raw> {
    progress.step("building the workloads");
    let work = work();
    let workloads: BTreeSet<&str> = work.iter().map(|[_, workload, _]| *workload).collect();
    for workload in workloads {
        for (libc, compiler) in [("musl", "musl-gcc"), ("glibc", "gcc")] {
            let mut command = Command::new(compiler);
            command.args(["-O2", "-w", "-pthread", "-o"]);
            command.arg(site.at(&format!("{workload}-{libc}")));
            checked(command.arg(repository().join(format!("bench/workloads/{workload}.c"))))?;
        }
    }
    let object = site.at("brawn-preload.so");
    checked(
        Command::new(&site.brawn)
            .args(["preload", "-o"])
            .arg(&object),
    )?;
    let mut raw = Raw::new("brawn-bench preload", &site.brawn);
    let all = (&work[..], &SIDES[..]);
    raw.measure("preload", (rounds, Order::Sides), all, progress, |turn| {
        let ([title, workload, arguments], (side, libc, is_preloaded)) = (turn.thing, turn.side);
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let variables: &[(&str, &Path)] = match is_preloaded {
            true => &[("LD_PRELOAD", &object)],
            false => &[],
        };
        let program = site.at(&format!("{workload}-{libc}"));
        let mut sample = site.run(&program, &arguments, variables)?;
        if *workload == ONCE {
            let mut wall = sample["wall_ns"];
            for _ in 1..STARTS {
                wall += site.run(&program, &arguments, variables)?["wall_ns"];
            }
            sample.insert("ns".to_owned(), wall / STARTS as f64);
        }
        Ok((key(title, side), sample))
    })?;
    Ok(raw)
}

/// The table: medians, and the time with the object divided by the time without.
pub fn show(raw: &Raw) -> Table {
    let [without, with, glibc] = SIDES.map(|(side, ..)| side);
    let rows = work().into_iter().map(|[title, workload, _]| {
        let median = |side: &str, figure: &str| raw.median(&key(title, side), figure);
        let cell = |side: &str| {
            let time = show::time(median(side, "ns"));
            match workload == ONCE {
                true => Cell::from(time),
                false => Cell::from(format!("{time} ({})", show::memory(median(side, "hwm_kb")))),
            }
        };
        let ratio = median(with, "ns") / median(without, "ns");
        let mut cells = vec![Cell::from(title)];
        cells.extend([without, with, glibc].map(cell));
        cells.push(Cell::from(show::ratio(ratio)));
        Row::Cells(cells)
    });
    Table::new(["", without, with, glibc, "with / without"], rows)
}
