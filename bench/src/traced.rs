//! What heap profiles cost: the tables of docs/heap-profile.md, from the measurements `traced-…`.

use crate::raw::{Measurement, Results};
use crate::show::{self, Cell, Row, Table};
use crate::stats::estimate;
use crate::tables::{TRACED, against, measured, median, peaks, per_operation};
use crate::variant::Variant::{self, Brawn, Recording, Trace};

/// Bytes from one recorded block to the next, on average: `brawn run --heap-profile` has the same.
pub const INTERVAL: u64 = 512 << 10;

/// What recording may cost: its time against profile `fast`'s.
const BAR: f64 = 1.05;

/// Nanoseconds of a recorded block beside one that is not: what the operations took longer, shared among the samples.
fn of_a_sample(m: &Measurement) -> Vec<f64> {
    let [fast, recording] = [Brawn, Recording].map(|v| per_operation(m, v));
    let operations = m.values(Recording, "operations");
    let samples = m.values(Recording, "samples");
    let longer = recording.iter().zip(&fast).map(|(a, b)| a - b);
    let shared = operations.iter().zip(&samples).map(|(o, s)| o / s);
    longer.zip(shared).map(|(l, s)| l * s).collect()
}

/// Time of one operation, and what a sample costs.
pub fn times(results: &Results) -> Table {
    let rows = measured(results, TRACED).map(|(entry, m)| {
        let shown = |v| Cell::or_dash(against(m, v, Brawn).map(|e| show::ratio_of(&e)));
        let fast = estimate(&per_operation(m, Brawn));
        let cost = estimate(&of_a_sample(m)).filter(|e| e.median > 0.0);
        Row::Cells(vec![
            entry.title.into(),
            Cell::or_dash(fast.map(|e| show::time(e.median))),
            shown(Trace),
            shown(Recording),
            median(results, entry.id, Recording, "samples", show::grouped),
            Cell::or_dash(cost.map(|e| show::time(e.median))),
        ])
    });
    let header = [
        "processor time of one operation",
        "fast",
        "trace / fast",
        "recording / fast",
        "samples",
        "a sample costs",
    ];
    Table::new(header, rows)
}

/// Peak memory.
pub fn memory(results: &Results) -> Table {
    let rows = peaks(results, TRACED, &Variant::TRACED, &[[Recording, Brawn]]);
    let header = ["peak RSS", "fast", "trace", "recording", "recording / fast"];
    Table::new(header, rows)
}

/// The bar, what a sample costs, and where the figures come from.
pub fn said(results: &Results) -> String {
    let worst = |v: Variant| {
        let rows = measured(results, TRACED)
            .filter_map(|(e, m)| Some((against(m, v, Brawn)?.median, e.title)));
        rows.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (Some((off, _)), Some((on, title))) = (worst(Trace), worst(Recording)) else {
        return "There are no figures.\n".to_owned();
    };
    let rows = measured(results, TRACED);
    let within = rows.filter_map(|(_, m)| Some(against(m, Recording, Brawn)?.median <= BAR));
    let within: Vec<bool> = within.collect();
    let costs =
        measured(results, TRACED).filter_map(|(_, m)| Some(estimate(&of_a_sample(m))?.median));
    let mut costs: Vec<f64> = costs.filter(|ns| *ns > 0.0).collect();
    costs.sort_by(f64::total_cmp);
    let middle = costs.get(costs.len() / 2).copied().unwrap_or(0.0);
    // Of a second, for a program that asks for 1 GB in it.
    let part = middle * (1e9 / INTERVAL as f64) / 1e9 * 100.0;
    let rounds = measured(results, TRACED).map(|(_, m)| m.order.len()).max();
    let days = measured(results, TRACED)
        .filter_map(|(_, m)| m.date.as_ref())
        .max();
    let of = |name: &str| results.run.machine.get(name).map_or("?", String::as_str);
    format!(
        "The profile without a recording takes at most {} of `fast`'s time. A recorded block takes {} longer than others (the median of the rows): \
         a program\nthat asks for 1 GB in each second of its processor time becomes {part:.1} % slower. The programs here do nothing but ask for memory, tens of \
         gigabytes a\nsecond, and take up to {} of `fast`'s time when they record ({title}). The bar of {} is met in {} of the {} rows.\n\
         Medians of at most {} rounds on {}, {} processors, {}; `bench/results` has every sample, and\n`brawn-bench run --only traced` repeats it.\n",
        show::ratio(off),
        show::time(middle),
        show::ratio(on),
        show::ratio(BAR),
        within.iter().filter(|met| **met).count(),
        within.len(),
        rounds.unwrap_or(0),
        of("cpu"),
        of("processors"),
        days.unwrap_or(&results.run.date),
    )
}

#[cfg(test)]
mod tests;
