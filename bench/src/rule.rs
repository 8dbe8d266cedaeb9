//! The rule for profile `fast`, and the rows that break it.
//!
//! - Time: at most glibc's, as far as the lower end of the interval tells.
//! - Time against the fastest heap: at most 1.1 times as much; or the memory that is allowed is used, so that the peak is
//!   from 1.0 to 1.1 times glibc's. Then nobody pays time for memory that no bar asks for.
//! - Peak: at most 1.1 times glibc's.

use crate::raw::{Measurement, Results};
use crate::show::{self, Row, Table};
use crate::stats::{Estimate, geometric_mean};
use crate::tables::{against, divided, measured};
use crate::variant::Variant::{self, Brawn, Glibc, Stock};

/// How many times glibc's peak, and the fastest heap's time, are allowed.
const ALLOWED: f64 = 1.1;
/// How many rows may break the rule.
const BAR: usize = 2;

/// One row: brawn's figures against the others'.
pub(crate) struct Judged {
    title: String,
    /// Processor time against glibc's.
    time: Estimate,
    /// Peak memory against glibc's.
    peak: Estimate,
    /// The fastest of the other heaps, and brawn's time against its time.
    fastest: (Variant, Estimate),
}

impl Judged {
    /// A row of the figures that `time` and `peak` say of brawn against a heap. `None`: not all heaps were measured.
    pub(crate) fn new(
        title: &str,
        time: impl Fn(Variant) -> Option<Estimate>,
        peak: impl Fn(Variant) -> Option<Estimate>,
    ) -> Option<Self> {
        let others = Variant::LOADS
            .into_iter()
            .filter(|v| ![Brawn, Stock].contains(v));
        let others: Option<Vec<_>> = others.map(|heap| Some((heap, time(heap)?))).collect();
        let by_median =
            |a: &(Variant, Estimate), b: &(Variant, Estimate)| a.1.median.total_cmp(&b.1.median);
        Some(Self {
            title: title.to_owned(),
            time: time(Glibc)?,
            peak: peak(Glibc)?,
            // brawn's time against the fastest heap's is the largest of these ratios.
            fastest: others?.into_iter().max_by(by_median)?,
        })
    }

    /// What the row breaks; empty: nothing.
    fn broken(&self) -> Vec<&'static str> {
        let uses_memory = self.peak.median >= 1.0 && self.peak.median <= ALLOWED;
        let broken = [
            ("time", self.time.low > 1.0),
            ("fastest", self.fastest.1.median > ALLOWED && !uses_memory),
            ("peak", self.peak.median > ALLOWED),
        ];
        let broken = broken.into_iter().filter(|(_, is_broken)| *is_broken);
        broken.map(|(name, _)| name).collect()
    }
}

/// The rows of a run of [`crate::measure`].
fn rows(results: &Results) -> Vec<Judged> {
    let row = |(entry, m): (&crate::catalogue::Entry, &Measurement)| {
        let peak = |heap| divided(&m.values(Brawn, "hwm_kb"), &m.values(heap, "hwm_kb"));
        Judged::new(entry.title, |heap| against(m, Brawn, heap), peak)
    };
    measured(results, "").filter_map(row).collect()
}

/// The rows that break the rule.
pub fn broken(results: &Results) -> Table {
    table(&rows(results))
}

/// How many these are, in words.
pub fn said(results: &Results) -> String {
    words(&rows(results))
}

pub(crate) fn table(rows: &[Judged]) -> Table {
    let header = [
        "row that breaks the rule",
        "time / glibc",
        "fastest other heap",
        "time / its time",
        "peak / glibc",
        "breaks",
    ];
    let broken = rows.iter().filter(|row| !row.broken().is_empty());
    let rows = broken.map(|row| {
        let (heap, time) = &row.fastest;
        Row::Cells(vec![
            row.title.as_str().into(),
            show::ratio_of(&row.time).into(),
            heap.title().trim_end_matches(" by hand").into(),
            show::ratio_of(time).into(),
            show::ratio_of(&row.peak).into(),
            row.broken().join(", ").into(),
        ])
    });
    Table::new(header, rows)
}

pub(crate) fn words(rows: &[Judged]) -> String {
    let count = |name: &str| rows.iter().filter(|r| r.broken().contains(&name)).count();
    let broken = rows.iter().filter(|row| !row.broken().is_empty()).count();
    let peak = geometric_mean(rows.iter().map(|row| row.peak.median));
    format!(
        "Of {} rows, {broken} break the rule (bar: {BAR}). By time against glibc's: {}; by time against the fastest heap's \
         where memory is left: {}; by peak: {}. The geometric mean of the peaks is {} of glibc's (bar: \
         0.8x).\n",
        rows.len(),
        count("time"),
        count("fastest"),
        count("peak"),
        show::ratio(peak),
    )
}

#[cfg(test)]
mod tests;
