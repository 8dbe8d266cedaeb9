//! The tables of servers: processor time of a request and page faults, and memory.

use super::{BRAWN, GLIBC, HEAPS, LOADS, Load, SERVERS, name};
use crate::own::{Raw, key};
use crate::show::{self, Cell, Row, Table, Tone};
use crate::stats::Estimate;
use brawn_lab::process::parent::Sample;

/// The bar for the processor time of a request, against glibc; [`MOST_MEMORY`] is that for the memory 2 s after the load.
pub const MOST_TIME: f64 = 1.0;
/// The same for the memory.
pub const MOST_MEMORY: f64 = 0.5;

type Of = fn(&Sample) -> Option<f64>;

fn per_request(sample: &Sample, figure: &str) -> Option<f64> {
    Some(sample.get(figure)? / sample.get("requests")?)
}

const TIME: Of = |sample| per_request(sample, "cpu_ns");
const FAULTS: Of = |sample| per_request(sample, "faults");
const PEAK: Of = |sample| sample.get("hwm_kb").copied();
const AFTER: Of = |sample| sample.get("rss_kb").copied();

/// The figure of a heap, over all rounds.
fn median(raw: &Raw, run: &str, heap: &str, of: Of) -> f64 {
    raw.median_of(|round| of(round.get(&key(run, heap))?))
}

/// A heap's figure divided by glibc's in the same round.
fn against(raw: &Raw, run: &str, heap: &str, of: Of) -> Option<Estimate> {
    let [heap, base] = [heap, GLIBC].map(|heap| key(run, heap));
    raw.against([&heap, &base], of)
}

/// The heaps but glibc.
fn others() -> impl Iterator<Item = &'static str> {
    HEAPS.into_iter().filter(|heap| *heap != GLIBC)
}

/// The runs that the raw data have, with a heading for each server.
fn rows(raw: &Raw, cells: impl Fn(&str, &'static Load) -> Vec<Cell>) -> Vec<Row> {
    let mut rows = Vec::new();
    for server in SERVERS {
        let has = |load: &&Load| !median(raw, &name(server, load), GLIBC, TIME).is_nan();
        let loads: Vec<&Load> = LOADS.iter().filter(has).collect();
        if !loads.is_empty() {
            rows.push(Row::Heading(server.to_owned()));
        }
        rows.extend(loads.into_iter().map(|load| {
            let mut all = vec![Cell::from(load.title.as_str())];
            all.extend(cells(&name(server, load), load));
            Row::Cells(all)
        }));
    }
    rows
}

/// A ratio, with its interval for brawn; good or bad by the bar, if there is one.
fn ratio(raw: &Raw, run: &str, heap: &str, of: Of, bar: Option<f64>) -> Cell {
    let Some(found) = against(raw, run, heap, of) else {
        return Cell::or_dash(None::<Cell>);
    };
    let text = match heap {
        BRAWN => show::ratio_of(&found),
        _ => show::ratio(found.median),
    };
    match bar {
        Some(bar) if heap != "stock" && found.median > bar => Cell::new(text, Tone::Bad),
        Some(_) if heap == BRAWN => Cell::new(text, Tone::Good),
        _ => text.into(),
    }
}

/// Processor time and page faults of a request.
pub fn times(raw: &Raw) -> Table {
    let mut header = vec![Cell::from("processor time of a request"), Cell::from(GLIBC)];
    header.extend(others().map(Cell::from));
    header.extend(["faults: glibc", "brawn"].map(Cell::from));
    let rows = rows(raw, |run, _| {
        let mut cells = vec![show::time(median(raw, run, GLIBC, TIME)).into()];
        cells.extend(others().map(|heap| ratio(raw, run, heap, TIME, Some(MOST_TIME))));
        let faults = [GLIBC, BRAWN].map(|heap| median(raw, run, heap, FAULTS));
        cells.extend(faults.map(|count| Cell::from(format!("{count:.1}"))));
        cells
    });
    Table { header, rows }
}

/// The peak, and the memory 2 s after the load.
pub fn memory(raw: &Raw) -> Table {
    let mut header = vec![Cell::from("memory"), Cell::from("peak: glibc")];
    header.extend(["stock", "brawn", "lean"].map(Cell::from));
    header.push("2 s after: glibc".into());
    header.extend(others().map(Cell::from));
    let rows = rows(raw, |run, _| {
        let mut cells = vec![Cell::from(show::memory(median(raw, run, GLIBC, PEAK)))];
        cells.extend(["stock", BRAWN, "lean"].map(|heap| ratio(raw, run, heap, PEAK, None)));
        cells.push(show::memory(median(raw, run, GLIBC, AFTER)).into());
        cells.extend(others().map(|heap| ratio(raw, run, heap, AFTER, Some(MOST_MEMORY))));
        cells
    });
    Table { header, rows }
}

/// The loads in which brawn's median is above a bar: how many, of how many, and the worst one with its ratio.
pub fn missed(raw: &Raw, of_memory: bool) -> (usize, usize, Option<(String, f64)>) {
    let (of, bar): (Of, f64) = match of_memory {
        true => (AFTER, MOST_MEMORY),
        false => (TIME, MOST_TIME),
    };
    let runs = SERVERS.iter();
    let runs = runs.flat_map(|server| LOADS.iter().map(move |load| (server, load)));
    let ratios: Vec<(String, f64)> = runs
        .filter_map(|(server, load)| {
            let found = against(raw, &name(server, load), BRAWN, of)?;
            Some((format!("{server}, {}", load.title), found.median))
        })
        .collect();
    let above = ratios.iter().filter(|(_, ratio)| *ratio > bar).count();
    let worst = ratios.iter().max_by(|a, b| a.1.total_cmp(&b.1)).cloned();
    (above, ratios.len(), worst)
}

#[cfg(test)]
mod tests;
