//! All heaps side by side in loads as the public test programs of allocators have them: the guard that shows when what
//! brings memory down costs throughput. The tables of docs/benchmarks.md, from the measurements `heaps-…`.

use crate::raw::Results;
use crate::show::{self, Cell, Row, Table};
use crate::stats::estimate;
use crate::tables::{HEAPS, against, measured, peaks, per_operation};
use crate::variant::Variant::{self, Brawn, Glibc, Mimalloc2};

fn header(first: &'static str) -> Vec<Cell> {
    let heaps = Variant::HEAPS.iter();
    let heaps = heaps.map(|v| v.title().trim_end_matches(" by hand").into());
    let last = ["brawn / glibc", "brawn / mimalloc 2"].map(Cell::from);
    std::iter::once(first.into())
        .chain(heaps)
        .chain(last)
        .collect()
}

/// Processor time of one operation: glibc's, and each heap's against it.
pub fn times(results: &Results) -> Table {
    let rows = measured(results, HEAPS).map(|(entry, m)| {
        let mut cells: Vec<Cell> = vec![entry.title.into()];
        cells.extend(Variant::HEAPS.map(|variant| match variant {
            Glibc => {
                let time = estimate(&per_operation(m, Glibc));
                Cell::or_dash(time.map(|e| show::time(e.median)))
            }
            other => Cell::or_dash(against(m, other, Glibc).map(|e| show::ratio(e.median))),
        }));
        let ratio = |base| Cell::or_dash(against(m, Brawn, base).map(|e| show::ratio_of(&e)));
        cells.extend([Glibc, Mimalloc2].map(ratio));
        Row::Cells(cells)
    });
    Table::new(header("processor time of one operation"), rows)
}

/// Peak memory.
pub fn memory(results: &Results) -> Table {
    let ratios = [Glibc, Mimalloc2].map(|base| [Brawn, base]);
    let rows = peaks(results, HEAPS, &Variant::HEAPS, &ratios);
    Table::new(header("peak RSS"), rows)
}

/// Where the figures come from.
pub fn said(results: &Results) -> String {
    let rounds = || measured(results, HEAPS).map(|(_, m)| m.order.len());
    let rounds = match (rounds().min().unwrap_or(0), rounds().max().unwrap_or(0)) {
        (least, most) if least < most => format!("{least} to {most}"),
        (_, most) => most.to_string(),
    };
    let days = measured(results, HEAPS)
        .filter_map(|(_, m)| m.date.as_ref())
        .max();
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
mod tests;
