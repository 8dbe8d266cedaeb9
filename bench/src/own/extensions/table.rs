//! The table of docs/rust.md: medians and 95 % intervals of rounds.

use super::{Binding, HEAPS, Process};
use crate::show::{Cell, Row, Table};
use crate::stats::{estimate, median};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A round counts if in each of its runs other processes took no more of the machine's processors than this.
const MAX_OTHERS: f64 = 0.05;
const MIB: f64 = 1_048_576.0;

/// One process of each heap.
type Round<'a> = BTreeMap<&'a str, &'a Process>;

/// The table of these rounds, as far as they are of the last one's machine, and how many are left out since the
/// machine had other work.
pub fn show(processes: &[Process], rounds: RangeInclusive<u32>) -> (Table, usize) {
    let chosen: Vec<&Process> = processes
        .iter()
        .filter(|process| rounds.contains(&process.round))
        .collect();
    // Ratios hold for one machine. The first 46 rounds do not name theirs, which was one.
    let machine = chosen.last().map(|process| &process.processor);
    let mut groups: BTreeMap<(Binding, u32), BTreeMap<u32, Round<'_>>> = BTreeMap::new();
    for process in chosen {
        if Some(&process.processor) == machine {
            let group = groups
                .entry((process.binding, process.threads))
                .or_default();
            let round = group.entry(process.round).or_default();
            round.insert(&process.heap, process);
        }
    }
    let mut rows = Vec::new();
    let mut left_out = 0;
    for ((binding, threads), rounds) in groups {
        let (quiet, busy): (Vec<Round<'_>>, Vec<Round<'_>>) = rounds
            .into_values()
            .partition(|round| round.values().all(|process| process.others <= MAX_OTHERS));
        left_out += busy.len();
        let plural = if threads == 1 { "" } else { "s" };
        let mut title = format!("{}, {threads} thread{plural}", binding.title());
        for (heap, _) in HEAPS {
            let having: Vec<&Round<'_>> = quiet.iter().filter(|r| r.contains_key(heap)).collect();
            if !having.is_empty() {
                rows.push(row(std::mem::take(&mut title), heap, &having));
            }
        }
    }
    let header = [
        "",
        "heap",
        "rounds",
        "throughput",
        "against the system's",
        "against the `mimalloc` crate's",
        "RSS after 50 calls",
        "against the system's",
    ];
    (Table::new(header, rows), left_out)
}

fn row(title: String, heap: &str, rounds: &[&Round<'_>]) -> Row {
    let median = |of: fn(&Process) -> f64| median(rounds.iter().map(|round| of(round[heap])));
    let against = |other: &str, of: &dyn Fn(&Process) -> f64| {
        let pairs = rounds
            .iter()
            .filter_map(|round| Some(of(round[heap]) / of(round.get(other)?)));
        match estimate(&pairs.collect::<Vec<f64>>()).filter(|_| heap != other) {
            Some(e) => format!("{:.2}x ({:.2} … {:.2})", e.median, e.low, e.high),
            None => "–".to_owned(),
        }
    };
    let crates = match heap {
        "system" => "–".to_owned(),
        _ => against("mimalloc", &speed),
    };
    let cells = [
        title,
        heap.to_owned(),
        rounds.len().to_string(),
        format!("{:.2} MiB/s", median(speed)),
        against("system", &speed),
        crates,
        format!("{:.0} MiB", median(memory)),
        against("system", &memory),
    ];
    Row::Cells(cells.map(Cell::from).into())
}

/// Mebibytes in a second, of the median call.
fn speed(process: &Process) -> f64 {
    process.bytes as f64 / MIB / median(process.seconds.iter().copied())
}

/// Mebibytes.
fn memory(process: &Process) -> f64 {
    process.rss_kib as f64 / 1024.0
}

#[cfg(test)]
mod tests;
