//! A comparison as one page for the browser, which needs no other file.

mod bars;
pub mod plots;
pub mod tables;

use super::say;
use brawn_core::link_args::shell;
use brawn_lab::data::{CandidateKind, Comparison, Finding};
use brawn_lab::data::{Outcome, Verdict};
use brawn_lab::run::request::called;
use brawn_lab::show::page::{document, line, machine};
use brawn_lab::show::units::bytes;
use brawn_lab::stats::pairs::CONFIDENCE;
use maud::{Markup, html};

/// The page.
pub fn page(data: &Comparison) -> String {
    let program = line(&data.command.program);
    let header = html! {
        h1 { "brawn compare " code { (typed(&command(data))) } }
        @for verdict in &data.verdicts { (told(data, verdict)) }
        @for finding in &data.findings { (found(data, finding)) }
    };
    let main = html! {
        (bars::expected(data))
        @if data.measured().next().is_some() {
            (tables::measures(data))
            (plots::runs(data, ""))
        }
        (plots::memory(data, ""))
        (bars::functions(data))
        (how(data))
    };
    document(
        &format!("{program}: brawn compare"),
        &header,
        &main,
        &[&data.brawn, &data.date],
    )
}

/// The colour of a form, by its number.
fn colour(candidate: usize) -> String {
    match candidate {
        0 => "k0".into(),
        n => format!("k{}", (n - 1) % 3 + 1),
    }
}

pub fn told(data: &Comparison, verdict: &Verdict) -> Markup {
    let class = match verdict.outcome {
        Outcome::Faster => "verdict good",
        Outcome::Slower | Outcome::Nothing => "verdict bad",
        Outcome::Same | Outcome::Noisy => "verdict",
    };
    let name = &data.candidates[verdict.candidate].name;
    let words = line(&verdict.words);
    let at = words.find(" (").unwrap_or(words.len());
    let (first, more) = words.split_at(at);
    html! {
        div class=(class) {
            p.big { (first) @if !more.is_empty() { " " span.more { (more.trim_start()) } } }
            p.soft { (line(name)) ", against " (against(data, verdict)) }
        }
    }
}

/// What a form was compared with.
fn against(data: &Comparison, verdict: &Verdict) -> String {
    let against = data.candidates[verdict.candidate].against;
    line(called(&data.candidates[against].name))
}

pub fn found(data: &Comparison, finding: &Finding) -> Markup {
    let class = match finding.kind.is_failure() {
        true => "finding bad",
        false => "finding",
    };
    let name = &data.candidates[finding.candidate].name;
    html! {
        div class=(class) {
            b { (line(name)) } ": " (line(&finding.what))
            @for path in &finding.kept { br; "kept in " code { (line(path)) } }
        }
    }
}

/// What was run.
fn command(data: &Comparison) -> Vec<String> {
    let command = &data.command;
    let mut words = vec![command.program.clone()];
    words.extend(command.arguments.iter().cloned());
    words
}

/// Words as a user types them in a shell.
fn typed(words: &[String]) -> String {
    line(&shell(words))
}

/// The command line that repeats the measurement.
fn again(data: &Comparison) -> Option<String> {
    let mut words = data.command.line.clone();
    let at = words.iter().position(|word| word == "compare")? + 1;
    // The last words are the program's, whatever they are.
    let end = words.len().saturating_sub(1 + data.command.arguments.len());
    let own = &words[at..end.max(at)];
    let has = |name: &str| own.iter().any(|word| word.starts_with(name));
    let mut more = Vec::new();
    if !has("--seed") {
        more.extend(["--seed".to_owned(), data.seed.to_string()]);
    }
    if !has("--runs") && !has("-r") && data.command.rounds > 0 {
        more.extend(["--runs".to_owned(), data.command.rounds.to_string()]);
    }
    words.splice(at..at, more);
    let folder = std::slice::from_ref(&data.command.folder);
    Some(format!("cd {} && {}", typed(folder), typed(&words)))
}

/// What was run and how, on which machine: names and values.
fn conditions(data: &Comparison) -> Vec<(&'static str, String)> {
    let command = &data.command;
    let mut rows = vec![
        ("program", typed(std::slice::from_ref(&command.program))),
        ("directory", line(&command.folder)),
    ];
    let asked = [
        ("shell", &command.shell),
        ("before each run", &command.prepare),
        ("input", &command.input),
    ];
    rows.extend(
        asked
            .into_iter()
            .filter_map(|(name, value)| Some((name, line(value.as_deref()?)))),
    );
    let runs = format!(
        "{} of each form, besides {} to warm up",
        command.rounds,
        command.warmup + 1
    );
    let order = match &data.apart {
        None => format!(
            "drawn by --seed {}, every second round backwards",
            data.seed
        ),
        Some([before, after]) => line(&format!("measured apart, on {before} and {after}")),
    };
    let verdicts = CONFIDENCE * 100.0;
    let intervals = format!("{verdicts:.0} % of the verdict, 95 % of medians");
    rows.extend([
        ("runs", runs),
        ("order", order),
        ("intervals", intervals),
        ("output compared", line(&command.compare_output.join(", "))),
    ]);
    rows.extend(machine(&data.machine));
    let [before, after] = data.load;
    rows.push(("load", format!("{before:.2} before, {after:.2} after")));
    let reason = data.counters.reason.iter();
    rows.extend(reason.map(|reason| {
        (
            "counters",
            format!("none of the processor's: {}", line(reason)),
        )
    }));
    rows.extend([("brawn", line(&data.brawn)), ("date", line(&data.date))]);
    rows
}

/// How it was measured, on which machine, and how to repeat it.
fn how(data: &Comparison) -> Markup {
    let rows = conditions(data);
    html! {
        section {
            h2 { "How it was measured" }
            dl {
                @for (name, value) in &rows { dt { (name) } dd { (value) } }
                @for (number, form) in data.candidates.iter().enumerate() {
                    dt { (line(&form.name)) }
                    dd {
                        code { (line(&form.file)) }
                        (match form.kind {
                            CandidateKind::Original => "",
                            CandidateKind::Other => ", another file",
                            CandidateKind::Rewritten => ", rewritten",
                            CandidateKind::Preload => ", with LD_PRELOAD",
                        })
                        ", " (bytes(form.size as f64)) ", SHA-256 "
                        code { (form.sha256.get(..16).unwrap_or_default()) "…" }
                        @if let Some(pss) = data.peak_pss(number) {
                            ", all processes had at most " (bytes(pss as f64))
                        }
                    }
                }
            }
            @if let Some(text) = again(data) {
                h2 { "To do it again" }
                pre { code { (text) } }
                @if text.contains('\u{fffd}') || text.contains("\\u{") {
                    p.soft { "Bytes that are not text, or that would be invisible, are shown as � or \\u{…}." }
                }
            }
        }
    }
}
