//! The page's tables.

use super::say;
use brawn_lab::data::Comparison;
use brawn_lab::process::figures::{METRICS, Metric, PEAK};
use brawn_lab::show::page::{line, row, table};
use brawn_lab::show::units;
use maud::{Markup, html};

/// The median of every figure, with its interval in a second line.
pub fn measures(data: &Comparison) -> Markup {
    let all = 0..data.candidates.len();
    let shown = METRICS.iter().filter(|metric| {
        let mut all = all.clone();
        all.any(|c| middle(data, c, **metric).is_some_and(|value| value > 0.0))
    });
    let mut head = vec!["median of".to_owned()];
    head.extend(data.candidates.iter().map(|form| line(&form.name)));
    head.extend((data.candidates.len() == 2).then(|| "change".to_owned()));
    let rows = html! {
        @for metric in shown {
            @let medians: Vec<Option<f64>> = all.clone().map(|c| middle(data, c, *metric)).collect();
            @let cells = medians.iter().map(|median| show(*metric, *median));
            @let change = match medians.as_slice() {
                [before, after] => Some(change(*before, *after)),
                _ => None,
            };
            (row(metric.title, cells.chain(change)))
        }
    };
    html! {
        section {
            h2 { "All figures" }
            p.soft { "Medians of all runs, of the program and everything that it starts." }
            (table("All figures", &head, &rows))
        }
    }
}

fn middle(data: &Comparison, candidate: usize, metric: Metric) -> Option<f64> {
    match metric.name == PEAK.name {
        true => data.peak(candidate),
        false => data.median(candidate, metric),
    }
}

/// As in `216,018`.
fn show(metric: Metric, value: Option<f64>) -> String {
    match value {
        Some(0.0) => "0".into(),
        Some(value) if metric.unit.is_empty() => units::grouped(value),
        _ => say::show(metric, value),
    }
}

/// As in `−31 %`.
fn change(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before > 0.0 => {
            units::change((after / before - 1.0) * 100.0, "0 %")
        }
        _ => "–".into(),
    }
}
