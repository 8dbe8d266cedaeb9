//! A comparison for people: the verdict first, then a table.

use super::diagnosis;
use crate::ui;
use anstyle::{AnsiColor, Style};
use brawn_core::shown;
use brawn_lab::data::{CandidateKind, Comparison, Outcome};
use brawn_lab::process::figures::{CPU, METRICS, Metric, PEAK, WALL};
use brawn_lab::show::columns::{Row, columns};
use brawn_lab::show::units::{bytes, elapsed};
use brawn_lab::stats::pairs::CONFIDENCE;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const NEITHER: Style = Style::new().bold();

/// Prints it.
pub fn print(data: &Comparison, verbose: bool) {
    for verdict in &data.verdicts {
        let style = match verdict.outcome {
            Outcome::Faster => GOOD,
            Outcome::Slower | Outcome::Nothing => BAD,
            Outcome::Same | Outcome::Noisy => NEITHER,
        };
        let words = match data.verdicts.len() {
            1 if data.apart.is_none() => verdict.words.clone(),
            _ => format!(
                "{}: {}",
                data.candidates[verdict.candidate].name, verdict.words
            ),
        };
        ui::text(&format!("{style}{}{style:#}", shown::line(&words)));
    }
    for finding in &data.findings {
        let style = if finding.kind.is_failure() {
            BAD
        } else {
            NEITHER
        };
        let name = &data.candidates[finding.candidate].name;
        let text = format!("{name}: {}", finding.what);
        ui::text(&format!("{style}{}{style:#}", shown::line(&text)));
        for path in &finding.kept {
            ui::text(&format!("  kept in {}", shown::line(path)));
        }
    }
    if data.measured().next().is_some() {
        ui::text("");
        let rows: Vec<Row> = rows(data).map(Row::from).collect();
        ui::text(&columns(HEAD, &rows, ui::width()));
    }
    where_it_goes(data);
    if verbose {
        details(data);
    }
}

/// Where the program as it is spends its time, and what that lets one expect.
fn where_it_goes(data: &Comparison) {
    let kept = diagnosis::of(data);
    let Some(first) = kept.forms.iter().find(|form| form.candidate == 0) else {
        if let Some(reason) = &kept.reason {
            ui::text(&format!("not sampled: {}", shown::line(reason)));
        }
        return;
    };
    let has_brawn = data.candidates.iter().any(|form| form.kind.is_brawns());
    ui::text("");
    if let Some(expected) =
        diagnosis::expected(data).filter(|_| has_brawn && first.diagnosis.samples > 0)
    {
        ui::text(&format!("expected: {}", shown::line(&expected.words())));
    }
    ui::text(&format!("as it is: {}", shown::line(&first.words)));
}

/// The table's head.
pub const HEAD: [&str; 6] = [
    "form",
    "time",
    "9 runs in 10",
    "processor",
    "peak memory",
    "against it",
];

/// The table's lines, one for each form.
pub fn rows(data: &Comparison) -> impl Iterator<Item = [String; 6]> {
    (0..data.candidates.len()).map(|candidate| cells(data, candidate))
}

fn cells(data: &Comparison, candidate: usize) -> [String; 6] {
    let middle = |metric: Metric| show(metric, data.median(candidate, metric));
    let mut times = data.values(candidate, WALL);
    times.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len().max(1) - 1) as f64 * share).round() as usize);
    let range = match (at(0.05), at(0.95)) {
        (Some(low), Some(high)) => format!("{} – {}", elapsed(*low), elapsed(*high)),
        _ => String::new(),
    };
    let verdict = data
        .verdicts
        .iter()
        .find(|verdict| verdict.candidate == candidate);
    let against = match verdict.and_then(|verdict| verdict.time) {
        Some(ratio) => ratio.to_string(),
        None => String::new(),
    };
    [
        data.candidates[candidate].name.clone(),
        middle(WALL),
        range,
        middle(CPU),
        show(PEAK, data.peak(candidate)),
        against,
    ]
}

pub fn show(metric: Metric, value: Option<f64>) -> String {
    match (metric.unit, value) {
        (_, None) => "–".into(),
        ("ns", Some(value)) => elapsed(value),
        ("bytes", Some(value)) => bytes(value),
        (_, Some(value)) => format!("{value:.0}"),
    }
}

/// The median of every figure, and what was compared and how.
fn details(data: &Comparison) {
    let all = 0..data.candidates.len();
    let rows: Vec<Row> = METRICS
        .iter()
        .filter(|metric| all.clone().any(|c| data.median(c, **metric).is_some()))
        .map(|metric| {
            let cells = all
                .clone()
                .map(|c| format!("{:>12}", show(*metric, data.median(c, *metric))));
            Row::from([
                metric.title.to_owned(),
                cells.collect::<Vec<_>>().join("  "),
            ])
        })
        .collect();
    if !rows.is_empty() {
        ui::text("");
        let head = ["median of", "in the order above"];
        ui::text(&columns(head, &rows, ui::width()));
    }
    let mut lines = Vec::new();
    for (number, candidate) in data.candidates.iter().enumerate() {
        let how = match candidate.kind {
            CandidateKind::Original | CandidateKind::Other => "",
            CandidateKind::Rewritten => ", rewritten",
            CandidateKind::Preload => ", with LD_PRELOAD",
        };
        let hash = candidate.sha256.get(..16).unwrap_or_default();
        lines.push(format!(
            "{}: {}{how}, SHA-256 {hash}…",
            candidate.name, candidate.file
        ));
        if let Some(pss) = data.peak_pss(number) {
            lines.push(format!(
                "{}: all processes had at most {}",
                candidate.name,
                bytes(pss as f64)
            ));
        }
    }
    let command = &data.command;
    let order = match &data.apart {
        None => format!("--seed {}", data.seed),
        Some([before, after]) => format!("measured apart, on {before} and {after}"),
    };
    lines.push(match rows.is_empty() {
        true => "no run was measured".into(),
        false => format!(
            "{} runs of each after {} to warm up, {:.0} % intervals, {order}",
            command.rounds,
            command.warmup + 1,
            CONFIDENCE * 100.0,
        ),
    });
    let machine = |name: &str| data.machine.get(name).map_or("unknown", String::as_str);
    lines.push(format!(
        "{}, {} processors, Linux {}, load {:.2} before and {:.2} after",
        machine("cpu"),
        machine("processors"),
        machine("kernel"),
        data.load[0],
        data.load[1]
    ));
    if let Some(reason) = &data.counters.reason {
        lines.push(format!("no counters of the processor: {reason}"));
    }
    ui::text("");
    for line in lines {
        ui::text(&shown::line(&line).to_string());
    }
}
