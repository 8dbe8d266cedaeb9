//! Where the time goes, before and after, and what was expected.

use super::colour;
use crate::commands::compare::diagnosis::{self, Row, Sampled};
use brawn_lab::data::Comparison;
use brawn_lab::show::page::{duration, folded, line};
use brawn_lab::stats::pairs::Ratio;
use brawn_sample::Mode;
use maud::{Markup, html};

/// Rows that the figure has.
const SHOWN: usize = 12;
/// Rows that the table has.
const LISTED: usize = 60;
/// A smaller share of the longest bar is not shown.
const LEAST: f64 = 0.01;
const WIDTH: f64 = 1000.0;

/// What was expected before the measurement, beside the measured result.
pub fn expected(data: &Comparison) -> Markup {
    let kept = diagnosis::of(data);
    let measured = data.verdicts.iter().filter_map(|verdict| {
        let form = &data.candidates[verdict.candidate];
        let time = verdict.time.filter(|_| form.kind.is_brawns())?;
        Some((line(&form.name), time))
    });
    let measured: Vec<(String, Ratio)> = measured.collect();
    let first = kept.forms.iter().find(|form| form.candidate == 0);
    let expected = diagnosis::expected(data).filter(|_| {
        let enough = first.is_some_and(|form| form.diagnosis.samples > 0);
        enough && !measured.is_empty()
    });
    html! {
        @if let Some(first) = first { p { (line(&first.words)) "." } }
        @if let Some(reason) = &kept.reason {
            p.soft {
                @if kept.forms.is_empty() { "It was not sampled: " } @else { "Fewer samples than there could be: " }
                (line(reason)) "."
            }
        }
        @if let Some(expected) = &expected {
            dl {
                dt { "expected from samples" }
                dd {
                    (format!("{:.2}x ({:.2}–{:.2})", 1.0 / expected.ratio, 1.0 / expected.high, 1.0 / expected.low))
                }
                @for (name, measured) in &measured {
                    dt { "measured, " (name) }
                    dd { (measured.to_string()) }
                }
            }
        }
    }
}

/// The time of functions as bars.
pub fn functions(data: &Comparison) -> Markup {
    let kept = diagnosis::of(data);
    let Some(before) = kept.forms.iter().find(|form| form.candidate == 0) else {
        return html! {};
    };
    let after = kept.forms.iter().find(|form| form.candidate != 0);
    let rows = diagnosis::rows(before, after);
    let most = rows.iter().flat_map(|row| row.times).fold(0.0, f64::max);
    if most <= 0.0 {
        return html! {};
    }
    let shown: Vec<&Row> = rows
        .iter()
        .filter(|row| row.times[0].max(row.times[1]) >= most * LEAST)
        .take(SHOWN)
        .collect();
    let forms: Vec<&Sampled> = [Some(before), after].into_iter().flatten().collect();
    html! {
        section {
            h2 { "Time by function" }
            p.soft { (taken(&forms)) }
            figure {
                div.keys {
                    @for form in &forms {
                        span class=(format!("key {}", colour(form.candidate))) {
                            (line(&data.candidates[form.candidate].name))
                        }
                    }
                }
                div.bars role="img" aria-label="Processor time of functions; the table below has the same figures" {
                    @for row in &shown {
                        div.what { (line(&row.what)) }
                        div {
                            @for (form, value) in forms.iter().zip(row.times) {
                                div class=(format!("one {}", colour(form.candidate))) {
                                    (bar(value, most)) span { (duration(value * 1e9)) }
                                }
                            }
                        }
                    }
                }
            }
            (table(data, &forms, &rows))
        }
    }
}

/// How the samples were taken.
fn taken(forms: &[&Sampled]) -> String {
    let how = match forms[0].diagnosis.mode {
        Mode::Clock => "by the kernel's clock",
        Mode::UserClock => "by the kernel's clock, outside of the kernel only",
        Mode::Stops => "by stopping threads for a moment",
    };
    let counts: Vec<String> = forms
        .iter()
        .map(|form| form.diagnosis.samples.to_string())
        .collect();
    format!(
        "Processor time of one run, from {} samples taken {how}, in runs that do not count.",
        counts.join(" and ")
    )
}

fn bar(value: f64, most: f64) -> Markup {
    let end = value / most * WIDTH;
    html! {
        svg viewBox=(format!("0 0 {WIDTH} 10")) height="10" preserveAspectRatio="none" aria-hidden="true" {
            @if end > 0.0 { path.bar d=(format!("M0 5H{end:.1}")) {} }
        }
    }
}

fn table(data: &Comparison, forms: &[&Sampled], rows: &[Row]) -> Markup {
    let mut head = vec!["function".to_owned()];
    for form in forms {
        head.push(line(&data.candidates[form.candidate].name));
    }
    let rows = rows.iter().take(LISTED).map(|row| {
        let times = row.times.iter().take(forms.len());
        let mut cells = vec![line(&row.what)];
        cells.extend(times.map(|value| duration(*value * 1e9)));
        cells
    });
    folded("The same as a table", &head, &rows.collect::<Vec<_>>())
}
