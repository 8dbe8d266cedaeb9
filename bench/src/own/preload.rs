//! Measures dynamic programs of musl with `brawn preload`: workloads of `bench/workloads` run as they are, with the
//! object, and with glibc.

use super::{Raw, Site, key};
use crate::progress::Progress;
use crate::show::{self, Cell, Row, Table};
use crate::{Result, repository};
use brawn_lab::build::checked;
use brawn_lab::run::rounds::Order;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// How many processes that allocate once run in each round: one alone takes too little time to measure.
const STARTS: usize = 30;

/// Title, workload, arguments.
const WORK: &[(&str, &str, &[&str])] = &[
    ("`bignum`: small churn on one thread", "bignum", &[]),
    (
        "`threads 1`: 1 to 1000 bytes, one thread",
        "threads",
        &["1", "1000000", "random"],
    ),
    (
        "`threads 2`: the same on two",
        "threads",
        &["2", "1000000", "random"],
    ),
    (
        "`seed001`: vectors on two threads",
        "seed001",
        &["2", "1000000"],
    ),
    (
        "`server`: blocks that other threads free",
        "server",
        &["2", "100"],
    ),
    ("`realloc`: growing vectors", "realloc", &[]),
];
const ONCE: &str = "a process that allocates once, from start to end";

/// The sides: the title, the libc that programs are built for, and whether the object is preloaded.
const SIDES: [(&str, &str, bool); 3] = [
    ("dynamic musl", "musl", false),
    ("with the object", "musl", true),
    ("glibc", "glibc", false),
];

/// Builds the workloads, runs `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, rounds: usize, progress: &Progress) -> Result<Raw> {
    progress.step("building the workloads");
    let workloads: BTreeSet<&str> = WORK.iter().map(|(_, w, _)| *w).chain(["once"]).collect();
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
    let all: Vec<_> = WORK
        .iter()
        .copied()
        .chain([(ONCE, "once", &[][..])])
        .collect();
    let all = (&all[..], &SIDES[..]);
    raw.measure("preload", (rounds, Order::Sides), all, progress, |turn| {
        let ((title, workload, arguments), (side, libc, is_preloaded)) = (turn.thing, turn.side);
        let variables: &[(&str, &Path)] = match is_preloaded {
            true => &[("LD_PRELOAD", &object)],
            false => &[],
        };
        let program = site.at(&format!("{workload}-{libc}"));
        let mut sample = site.run(&program, arguments, variables)?;
        if *title == ONCE {
            let mut wall = sample["wall_ns"];
            for _ in 1..STARTS {
                wall += site.run(&program, arguments, variables)?["wall_ns"];
            }
            sample.insert("ns".to_owned(), wall / STARTS as f64);
        }
        Ok((key(title, side), sample))
    })?;
    Ok(raw)
}

/// The table: medians, and the time with the object divided by the time without.
pub fn show(raw: &Raw) -> Table {
    let sides = SIDES.map(|(side, ..)| Cell::from(side));
    let header = [
        vec![Cell::default()],
        sides.into(),
        vec![Cell::from("with / without")],
    ]
    .concat();
    let titles = WORK.iter().map(|(title, ..)| *title).chain([ONCE]);
    let rows = titles.map(|title| {
        let median = |side: &str, figure: &str| raw.median(&key(title, side), figure);
        let cell = |side: &str| {
            let time = show::time(median(side, "ns"));
            match title == ONCE {
                true => Cell::from(time),
                false => Cell::from(format!("{time} ({})", show::memory(median(side, "hwm_kb")))),
            }
        };
        let ratio = median("with the object", "ns") / median("dynamic musl", "ns");
        let cells = SIDES.map(|(side, ..)| cell(side));
        Row::Cells(
            [
                vec![Cell::from(title)],
                cells.into(),
                vec![Cell::from(show::ratio(ratio))],
            ]
            .concat(),
        )
    });
    Table::new(header, rows)
}
