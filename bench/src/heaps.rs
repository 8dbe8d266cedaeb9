//! All heaps side by side in loads as the public test programs of allocators have them: the guard that shows when what
//! brings memory down costs throughput. The tables of docs/benchmarks.md, from the measurements `heaps-…`.

use crate::catalogue::{CATALOGUE, Entry, run};
use crate::raw::{Measurement, Results};
use crate::show::{self, Cell, Row, Table, Tone};
use crate::stats::{Estimate, estimate};
use crate::tables::{median, ratio};
use crate::traced::per_operation;
use crate::variant::Variant::{self, Brawn, Glibc, Mimalloc2};

const fn all(
    id: &'static str,
    workload: &'static str,
    arguments: &'static [&'static str],
    quick: &'static [&'static str],
    title: &'static str,
) -> Entry {
    Entry {
        variants: &Variant::HEAPS,
        ..run(id, workload, arguments, quick, 11, title)
    }
}

/// What is measured. The comment at the top of each source says what a load does.
pub const SERVER: Entry = all(
    "heaps-server",
    "server",
    &["2", "100"],
    &["2", "25"],
    "server tables that move on to new threads, 2 workers",
);
/// A thread allocates, another frees.
pub const ONEWAY: Entry = all(
    "heaps-oneway",
    "oneway",
    &["1", "1000000"],
    &["1", "200000"],
    "one thread allocates, another frees, 128 blocks at a time",
);
/// Threads come and go, and share a table.
pub const GENERATIONS: Entry = all(
    "heaps-generations",
    "generations",
    &["2", "20", "20000"],
    &["2", "4", "20000"],
    "generations of 2 threads that share a table",
);
/// Large blocks.
pub const BUFFERS: Entry = all(
    "heaps-buffers",
    "buffers",
    &["60"],
    &["20"],
    "buffers of 5–25 MB, every page written",
);
/// A list of calls.
pub const REPLAY: Entry = all(
    "heaps-replay",
    "replay",
    &["20"],
    &["4"],
    "a list of calls for small blocks, 1 thread",
);
/// The pool of a formatter.
pub const FORMAT: Entry = all(
    "heaps-format",
    "format",
    &["32", "1500"],
    &["32", "100"],
    "32 threads format texts: many small blocks, of which few stay",
);
/// Vectors that grow as C++'s do.
pub const LEDGER: Entry = all(
    "heaps-ledger",
    "ledger",
    &["150000", "copy"],
    &["15000", "copy"],
    "vectors up to 20 MB that grow by copies, beside small records",
);
/// Vectors that grow as those of C and Rust do.
pub const LEDGER_REALLOC: Entry = all(
    "heaps-realloc",
    "ledger",
    &["150000", "realloc"],
    &["15000", "realloc"],
    "the same, by realloc",
);

/// Whether a measurement is one of these.
pub fn is(id: &str) -> bool {
    id.starts_with("heaps-")
}

/// Those that were made, with their entries.
fn measured(results: &Results) -> impl Iterator<Item = (&Entry, &Measurement)> {
    let entries = CATALOGUE.iter().filter(|e| is(e.id));
    entries.filter_map(|e| Some((e, results.measurements.get(e.id)?)))
}

/// The processor time of a variant's operations against another one's.
pub fn against(m: &Measurement, variant: Variant, base: Variant) -> Option<Estimate> {
    let (of, base) = (per_operation(m, variant), per_operation(m, base));
    let ratios: Vec<f64> = of.iter().zip(&base).map(|(a, b)| a / b).collect();
    estimate(&ratios)
}

fn cell(of: Option<Estimate>, show: impl Fn(&Estimate) -> String) -> Cell {
    of.map_or_else(|| Cell::new("–", Tone::Faint), |e| show(&e).into())
}

fn header(first: &'static str, last: &[&'static str]) -> Vec<Cell> {
    let heaps = Variant::HEAPS.iter();
    let heaps = heaps.map(|v| v.title().trim_end_matches(" by hand").into());
    let last = last.iter().map(|title| Cell::from(*title));
    std::iter::once(first.into())
        .chain(heaps)
        .chain(last)
        .collect()
}

/// Processor time of one operation: glibc's, and each heap's against it.
pub fn times(results: &Results) -> Table {
    let rows = measured(results).map(|(entry, m)| {
        let mut cells: Vec<Cell> = vec![entry.title.into()];
        cells.extend(Variant::HEAPS.map(|variant| match variant {
            Glibc => cell(estimate(&per_operation(m, Glibc)), |e| show::time(e.median)),
            other => cell(against(m, other, Glibc), |e| show::ratio(e.median)),
        }));
        cells.extend([Glibc, Mimalloc2].map(|base| {
            cell(against(m, Brawn, base), |e| {
                let interval = show::interval(&show::ratio(e.low), &show::ratio(e.high));
                format!("{} {interval}", show::ratio(e.median))
            })
        }));
        Row::Cells(cells)
    });
    Table {
        rows: rows.collect(),
        header: header(
            "processor time of one operation",
            &["brawn / glibc", "brawn / mimalloc 2"],
        ),
    }
}

/// Peak memory.
pub fn memory(results: &Results) -> Table {
    let rows = measured(results).map(|(entry, _)| {
        let mut cells: Vec<Cell> = vec![entry.title.into()];
        let peak = |v: Variant| median(results, entry.id, v, "hwm_kb", show::memory);
        cells.extend(Variant::HEAPS.map(peak));
        cells.extend([Glibc, Mimalloc2].map(|v| ratio(results, entry.id, "hwm_kb", Brawn, v)));
        Row::Cells(cells)
    });
    Table {
        rows: rows.collect(),
        header: header("peak RSS", &["brawn / glibc", "brawn / mimalloc 2"]),
    }
}

/// Where the figures come from.
pub fn said(results: &Results) -> String {
    let rounds = || measured(results).map(|(_, m)| m.order.len());
    let rounds = match (rounds().min().unwrap_or(0), rounds().max().unwrap_or(0)) {
        (least, most) if least < most => format!("{least} to {most}"),
        (_, most) => most.to_string(),
    };
    let days = measured(results).filter_map(|(_, m)| m.date.as_ref()).max();
    let of = |name: &str| results.run.machine.get(name).map_or("?", String::as_str);
    let version = |v: Variant| {
        let version = results.run.versions.get(v.name());
        let title = v.title().trim_end_matches(" by hand");
        let name = title.trim_end_matches(|c: char| c == ' ' || c.is_ascii_digit());
        format!("{name} {}", version.map_or("?", String::as_str))
    };
    let peers = Variant::HEAPS.into_iter().filter(|v| v.peer().is_some());
    let peers: Vec<String> = peers.map(version).collect();
    format!(
        "Medians of {} rounds on {}, {} processors shared with other work, {}; {}. `bench/results` has every\nsample, and \
         `brawn-bench run --only heaps` repeats it.\n",
        rounds,
        of("cpu"),
        of("processors"),
        days.unwrap_or(&results.run.date),
        peers.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_heap_stands_in_one_row_against_glibc_and_mimalloc_2() {
        let mut m = Measurement::empty("heaps-server");
        for (place, variant) in Variant::HEAPS.into_iter().enumerate() {
            let of = |value: f64| vec![Some(value)];
            let sample = [
                ("cpu_ns".to_owned(), of(1e6 * (place + 1) as f64)),
                ("operations".to_owned(), of(1e5)),
                ("hwm_kb".to_owned(), of(1024.0)),
            ];
            m.samples.insert(variant, BTreeMap::from(sample));
        }
        let results = Results::of("2025-01-01", [m]);
        let shown = times(&results).markdown();
        let row = shown.lines().last().unwrap_or_default();
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 1 + Variant::HEAPS.len() + 2, "{row}");
        assert_eq!(cells[1..4], ["10.0\u{a0}ns", "2.00x", "3.00x"], "{row}");
        assert!(cells[11].starts_with("3.00x"), "{row}");
        assert!(cells[12].starts_with("0.50x"), "{row}");
        assert_eq!(memory(&results).rows.len(), 1);
        assert!(
            said(&results).contains("mimalloc ?, "),
            "{}",
            said(&results)
        );
    }
}
