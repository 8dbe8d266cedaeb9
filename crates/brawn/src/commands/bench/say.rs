//! The figures for people: one sentence, then a table.

use super::{Measured, One};
use crate::ui;
use brawn_core::shown;
use brawn_lab::data::{Comparison, Outcome, Verdict};
use brawn_lab::process::figures::WALL;
use brawn_lab::show::columns::{Row, columns};
use brawn_lab::show::units::{bytes, change, elapsed, signed_bytes};

/// The number of brawn's form, and of glibc's.
const BRAWN: usize = 1;
const GLIBC: usize = 2;

pub const HEAD: [&str; 6] = [
    "workload",
    "musl",
    "brawn",
    "against musl",
    "glibc",
    "peak memory",
];

/// Prints it.
pub fn print(measured: &Measured) {
    ui::text(&shown::line(&measured.verdict).to_string());
    for one in &measured.workloads {
        for finding in &one.comparison.findings {
            let form = &one.comparison.candidates[finding.candidate].name;
            let text = format!("{}, {form}: {}", one.name, finding.what);
            ui::text(&shown::line(&text).to_string());
        }
    }
    ui::text("");
    let rows = measured.workloads.iter().map(|one| row(one).into());
    let rows: Vec<Row> = rows.collect();
    ui::text(&columns(HEAD, &rows, ui::width()));
}

pub fn row(one: &One) -> [String; 6] {
    let data = &one.comparison;
    let took = |form| data.median(form, WALL).map_or("–".to_owned(), elapsed);
    let ratio = data.verdicts.first().and_then(|verdict| verdict.time);
    let against = match ratio {
        Some(ratio) => ratio.to_string(),
        None => String::new(),
    };
    let peak = match (data.peak(0), data.peak(BRAWN)) {
        (Some(before), Some(after)) => format!("{} → {}", bytes(before), bytes(after)),
        _ => "–".to_owned(),
    };
    [
        one.title.clone(),
        took(0),
        took(BRAWN),
        against,
        took(GLIBC),
        peak,
    ]
}

/// All in one sentence, as in `4 threads allocate 38x as fast; start-up unchanged; peak memory −12 %`.
pub fn verdict(all: &[One]) -> String {
    let mut parts = Vec::new();
    let is_threads = |one: &&One| one.name.starts_with("threads-");
    if let Some(one) = all.iter().rev().find(is_threads) {
        let (count, verb) = match one.name.trim_start_matches("threads-") {
            "1" => ("1 thread".to_owned(), "allocates"),
            count => (format!("{count} threads"), "allocate"),
        };
        parts.push(format!("{count} {verb} {}", changed(&one.comparison)));
    }
    for (name, what) in [("bytes", "memory functions"), ("startup", "start-up")] {
        if let Some(one) = all.iter().find(|one| one.name == name) {
            parts.push(format!("{what} {}", changed(&one.comparison)));
        }
    }
    if parts.is_empty() {
        let told = |one: &One| format!("{} {}", one.name, changed(&one.comparison));
        parts.extend(all.iter().map(told));
    }
    let pair = |one: &One| Some((one.comparison.peak(0)?, one.comparison.peak(BRAWN)?));
    let pairs: Vec<(f64, f64)> = all
        .iter()
        .filter_map(pair)
        .filter(|(before, after)| *before > 0.0 && *after > 0.0)
        .collect();
    if !pairs.is_empty() {
        let logarithms = pairs.iter().map(|(before, after)| (after / before).ln());
        let mean = (logarithms.sum::<f64>() / pairs.len() as f64).exp();
        // For a program with 90 kB, percentages mean nothing.
        let most = pairs.iter().map(|(before, after)| after - before);
        let most = most.max_by(|a, b| a.abs().total_cmp(&b.abs()));
        parts.push(match most {
            Some(most) if most.abs() < 1e6 => {
                format!("peak memory {} at most", signed_bytes(most))
            }
            _ => format!("peak memory {}", change((mean - 1.0) * 100.0, "unchanged")),
        });
    }
    parts.join("; ")
}

/// How much faster brawn's form is, in words.
fn changed(data: &Comparison) -> String {
    let verdict = data.verdicts.first();
    let ratio = verdict
        .and_then(|verdict| verdict.difference())
        .map(|seen| seen.ratio);
    match (verdict.map(|verdict| verdict.outcome), ratio) {
        (Some(Outcome::Faster), Some(ratio)) if ratio >= 9.95 => format!("{ratio:.0}x as fast"),
        (Some(Outcome::Faster), Some(ratio)) => format!("{ratio:.2}x as fast"),
        (Some(Outcome::Slower), Some(ratio)) => {
            format!("{:.1} % slower", (1.0 / ratio - 1.0) * 100.0)
        }
        (Some(Outcome::Same), _) => "unchanged".into(),
        (Some(Outcome::Noisy), _) if !verdict.is_some_and(has_enough) => {
            "too few runs to tell".into()
        }
        (Some(Outcome::Noisy), _) => "too noisy to tell".into(),
        _ => "not measured".into(),
    }
}

/// Whether there were enough runs for an interval.
fn has_enough(verdict: &Verdict) -> bool {
    verdict.time.is_none_or(|time| time.is_certain)
}
