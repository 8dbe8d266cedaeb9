//! The page's tables.

use super::{line, say};
use brawn_lab::judge::median::estimate;
use brawn_lab::process::figures::{METRICS, Metric, PEAK};
use brawn_lab::run::data::Comparison;
use maud::{Markup, html};

/// The median of every figure, with its interval in a second line.
pub fn measures(data: &Comparison) -> Markup {
    let all = 0..data.candidates.len();
    let shown = METRICS.iter().filter(|metric| {
        let mut all = all.clone();
        all.any(|c| middle(data, c, **metric).is_some_and(|value| value > 0.0))
    });
    html! {
        section {
            h2 { "All figures" }
            p.soft { "Medians of all runs, of the program and everything that it starts." }
            div.scroll tabindex="0" role="region" aria-label="All figures" {
                table {
                    thead {
                        tr {
                            th scope="col" { "median of" }
                            @for form in &data.candidates { th scope="col" { (line(&form.name)) } }
                            @if data.candidates.len() == 2 { th scope="col" { "change" } }
                        }
                    }
                    tbody {
                        @for metric in shown {
                            @let medians: Vec<Option<f64>> = all.clone()
                                .map(|c| middle(data, c, *metric)).collect();
                            tr {
                                th scope="row" { (metric.title) }
                                @for median in &medians { td { (show(*metric, *median)) } }
                                @if let [before, after] = medians.as_slice() { td { (change(*before, *after)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn middle(data: &Comparison, candidate: usize, metric: Metric) -> Option<f64> {
    match metric.name == PEAK.name {
        true => data.peak(candidate),
        false => estimate(&data.values(candidate, metric)).map(|estimate| estimate.median),
    }
}

/// As in `216,018`.
fn show(metric: Metric, value: Option<f64>) -> String {
    match value {
        Some(0.0) => "0".into(),
        Some(value) if metric.unit.is_empty() => {
            let digits = format!("{value:.0}");
            let groups = digits.as_bytes().rchunks(3).rev();
            let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
            groups.collect::<Vec<_>>().join(",")
        }
        _ => say::show(metric, value),
    }
}

/// As in `−31 %`.
fn change(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before > 0.0 => {
            let percent = (after / before - 1.0) * 100.0;
            match percent {
                p if p.abs() < 0.5 => "0 %".into(),
                p if p < 0.0 => format!("−{:.0} %", p.abs()),
                p => format!("+{p:.0} %"),
            }
        }
        _ => "–".into(),
    }
}

/// A figure's table, folded.
pub fn folded(title: &str, head: &[String], rows: &[Vec<String>]) -> Markup {
    html! {
        details {
            summary { (title) }
            div.scroll tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                    tbody {
                        @for row in rows {
                            tr {
                                @for (at, cell) in row.iter().enumerate() {
                                    @if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
