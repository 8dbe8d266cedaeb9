//! The sweep's tables: what each heap takes over all patterns, and the patterns that are worst.

use super::results::{CLIFF, Line, PEAK, cliffs, heaps, lines};
use super::{BRAWN, GLIBC, Raw};
use crate::show::{self, Cell, Row, Table, Tone};
use crate::stats::geometric_mean;

/// brawn's profiles with bars of their own: its time in every pattern against glibc's.
pub const BARS: [(&str, f64); 3] = [(BRAWN, 1.1), ("lean", 1.5), ("secure", 1.5)];
/// A bar: brawn's geometric mean.
pub const MEAN: f64 = 0.8;

/// All tables. `worst` is how many patterns each list has at most.
pub fn all(raw: &Raw, worst: usize) -> Vec<Table> {
    let lines = lines(raw);
    let mut tables = vec![summary(raw, &lines)];
    let heaps = heaps(raw);
    if heaps.contains(&BRAWN) && worst > 0 {
        tables.push(slowest(&heaps, &lines, worst));
        tables.extend(peaks(&heaps, &lines, worst));
    }
    tables.extend(steps(&heaps, &lines, worst));
    tables
}

fn number(value: usize, is_bar: bool) -> Cell {
    match (value, is_bar) {
        (0, true) => Cell::new("0", Tone::Good),
        (_, true) => Cell::new(value.to_string(), Tone::Bad),
        _ => Cell::from(value.to_string()),
    }
}

/// A line for each heap: its processor time against glibc over all patterns, and how many are beyond what.
pub fn summary(raw: &Raw, lines: &[Line]) -> Table {
    let title = format!("{} patterns, processor time against glibc", lines.len());
    let header = [
        title.as_str(),
        "geometric mean",
        "worst",
        "> 1.1x",
        "> 1.5x",
        "> 3x",
        "cliffs",
        "peaks above the bar",
    ];
    let heaps = heaps(raw).into_iter().filter(|heap| *heap != GLIBC);
    let rows = heaps.map(|heap| {
        let times = lines.iter().map(|line| line.time(heap));
        let times: Vec<f64> = times.filter(|time| time.is_finite()).collect();
        let above = |bar: f64| {
            let above = times.iter().filter(|time| **time > bar);
            number(above.count(), limit(heap) == bar)
        };
        let high = lines.iter().filter(|line| line.is_high(heap));
        let mean = geometric_mean(times.iter().copied());
        let tone = match heap {
            BRAWN if mean <= MEAN => Tone::Good,
            BRAWN => Tone::Bad,
            _ => Tone::Plain,
        };
        let worst = times.iter().copied().fold(f64::NAN, f64::max);
        Row::Cells(vec![
            Cell::from(heap),
            Cell::new(show::ratio(mean), tone),
            Cell::from(show::ratio(worst)),
            above(1.1),
            above(1.5),
            above(3.0),
            number(cliffs(lines, heap).len(), limit(heap) == 1.5),
            number(high.count(), heap == BRAWN),
        ])
    });
    Table::new(header, rows)
}

/// The patterns that take brawn longest against glibc.
pub fn slowest(heaps: &[&'static str], lines: &[Line], count: usize) -> Table {
    let mut sorted: Vec<&Line> = lines.iter().collect();
    sorted.retain(|line| line.time(BRAWN).is_finite());
    sorted.sort_by(|a, b| b.time(BRAWN).total_cmp(&a.time(BRAWN)));
    let others = || heaps.iter().filter(|heap| **heap != GLIBC);
    let rows = sorted.into_iter().take(count).map(|line| {
        let base = line.of.get(GLIBC).map_or(f64::NAN, |f| f.us * 1000.0);
        let mut cells = vec![Cell::from(line.name.as_str()), Cell::from(show::time(base))];
        cells.extend(others().map(|heap| ratio(line.time(heap), limit(heap))));
        Row::Cells(cells)
    });
    let mut header = vec![Cell::from("slowest with brawn"), Cell::from(GLIBC)];
    header.extend(others().map(|heap| Cell::from(*heap)));
    Table::new(header, rows)
}

fn limit(heap: &str) -> f64 {
    let bar = BARS.iter().find(|(name, _)| *name == heap);
    bar.map_or(f64::INFINITY, |(_, bar)| *bar)
}

fn ratio(value: f64, limit: f64) -> Cell {
    match value {
        value if value.is_nan() => Cell::new("–", Tone::Faint),
        value if value > limit => Cell::new(show::ratio(value), Tone::Bad),
        value => Cell::from(show::ratio(value)),
    }
}

/// The patterns in which brawn's peak is above the bar, those with the most KiB first; nothing if there are none.
pub fn peaks(heaps: &[&'static str], lines: &[Line], count: usize) -> Option<Table> {
    let kib = |line: &Line, heap: &str| line.of.get(heap).map_or(f64::NAN, |f| f.kib);
    let beyond = |line: &Line| kib(line, BRAWN) - kib(line, GLIBC) * PEAK.0;
    let mut high: Vec<&Line> = lines.iter().filter(|line| line.is_high(BRAWN)).collect();
    high.sort_by(|a, b| beyond(b).total_cmp(&beyond(a)));
    let rows = high.iter().take(count).map(|line| {
        let mut cells = vec![Cell::from(line.name.as_str())];
        cells.extend(heaps.iter().map(|heap| match kib(line, heap) {
            kib if kib.is_nan() => Cell::new("–", Tone::Faint),
            kib => Cell::from(show::memory(kib)),
        }));
        Row::Cells(cells)
    });
    let mut header = vec![Cell::from("peak above the bar with brawn")];
    header.extend(heaps.iter().map(|heap| Cell::from(*heap)));
    (!high.is_empty()).then(|| Table::new(header, rows))
}

/// The cliffs of brawn's profiles; nothing if there are none.
pub fn steps(heaps: &[&'static str], lines: &[Line], count: usize) -> Option<Table> {
    let mut rows = Vec::new();
    for (heap, _) in BARS.into_iter().filter(|(heap, _)| heaps.contains(heap)) {
        let mut cliffs = cliffs(lines, heap);
        let step = |[high, low]: &[&Line; 2]| high.time(heap) / low.time(heap);
        cliffs.sort_by(|a, b| step(b).total_cmp(&step(a)));
        rows.extend(cliffs.iter().take(count).map(|[high, low]| {
            Row::Cells(vec![
                Cell::from(format!("{heap}: {}", high.name)),
                Cell::from(show::ratio(high.time(heap))),
                Cell::from(low.name.as_str()),
                Cell::from(show::ratio(low.time(heap))),
            ])
        }));
    }
    let title = format!("cliff: more than {CLIFF} times a neighbour");
    let header = [
        title.as_str(),
        "against glibc",
        "neighbour",
        "against glibc",
    ];
    (!rows.is_empty()).then(|| Table::new(header, rows))
}
