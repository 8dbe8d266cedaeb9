//! The verdict on one candidate, as data and in words.

use crate::data::Comparison;
use crate::figures::{CPU, Metric, PEAK, WALL};
use crate::median::estimate;
use crate::pairs::{Ratio, needed, ratio};
use serde::{Deserialize, Serialize};

/// A difference below this is none: nobody would notice it, and alignment of code alone makes more.
const NOTHING: f64 = 0.005;
/// An interval within this of "as fast" says that there is no difference.
const CLOSE: f64 = 0.03;
/// Memory that is told of: a megabyte, and a twentieth.
const MEMORY: (f64, f64) = (1e6, 0.05);

/// Whether a candidate is faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is.
    Faster,
    /// It is slower.
    Slower,
    /// Neither, by more than a few percent.
    Same,
    /// The runs differ too much to tell.
    Noisy,
    /// There are no runs to judge by.
    Nothing,
}

/// What is said of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The candidate's number.
    pub candidate: usize,
    /// Whether it is faster.
    pub outcome: Outcome,
    /// How many times as fast, by time from start to end.
    pub time: Option<Ratio>,
    /// The same by processor time.
    pub cpu: Option<Ratio>,
    /// How many bytes more its peak is.
    pub memory: f64,
    /// Whether [`memory`](Self::memory) is worth a word.
    pub is_memory_told: bool,
    /// How many runs would tell a difference of a few percent, where these do not.
    pub runs_needed: Option<usize>,
    /// All that in words.
    pub words: String,
}

/// Judges candidate number `candidate` of `data`.
pub fn judge(data: &Comparison, candidate: usize) -> Verdict {
    let of = |metric: Metric| ratio(&data.pairs(candidate, metric));
    let (time, cpu) = (of(WALL), of(CPU));
    let outcome = outcome(time.as_ref(), cpu.as_ref());
    let median = |candidate| estimate(&data.values(candidate, PEAK)).map(|e| e.median);
    let (before, after) = (median(0).unwrap_or(0.0), median(candidate).unwrap_or(0.0));
    let memory = after - before;
    let mut verdict = Verdict {
        candidate,
        outcome,
        time,
        cpu,
        memory,
        is_memory_told: memory.abs() >= MEMORY.0.max(before * MEMORY.1),
        runs_needed: None,
        words: String::new(),
    };
    if outcome == Outcome::Noisy
        && let Some(time) = &verdict.time
    {
        let runs = needed(time, CLOSE).max(10);
        verdict.runs_needed = (runs > time.pairs).then_some(runs);
    }
    verdict.words = words(&verdict);
    verdict
}

fn outcome(time: Option<&Ratio>, cpu: Option<&Ratio>) -> Outcome {
    let Some(time) = time else {
        return Outcome::Nothing;
    };
    if !time.is_certain {
        return Outcome::Noisy;
    }
    let is_small = time.ratio.ln().abs() < NOTHING;
    if !time.has_one() && !is_small {
        return match time.ratio > 1.0 {
            true => Outcome::Faster,
            false => Outcome::Slower,
        };
    }
    // On a busy machine the time from start to end says less than the work that was done.
    let is_same = |ratio: &Ratio| ratio.is_certain && ratio.farthest() <= CLOSE;
    match is_same(time) || cpu.is_some_and(is_same) {
        true => Outcome::Same,
        false => Outcome::Noisy,
    }
}

/// The verdict in words.
fn words(verdict: &Verdict) -> String {
    let Some(time) = &verdict.time else {
        return "nothing was measured".into();
    };
    let memory = match verdict.is_memory_told {
        true => format!(", {}", signed_bytes(verdict.memory)),
        false => String::new(),
    };
    let text = match verdict.outcome {
        Outcome::Faster => format!(
            "{:.2}x as fast ({:.2}–{:.2})",
            time.ratio, time.low, time.high
        ),
        Outcome::Slower => {
            let more = |ratio: f64| (1.0 / ratio - 1.0) * 100.0;
            format!(
                "slower by {} % ({}–{})",
                percent(more(time.ratio)),
                percent(more(time.high)),
                percent(more(time.low))
            )
        }
        Outcome::Same => {
            let certain = [Some(time), verdict.cpu.as_ref()].into_iter().flatten();
            let certain = certain.filter(|ratio| ratio.is_certain);
            let within = certain.map(Ratio::farthest).fold(f64::INFINITY, f64::min);
            format!("no difference (within {} %)", percent(within * 100.0))
        }
        Outcome::Noisy if !time.is_certain => {
            format!("too few runs to tell: {} of each", time.pairs)
        }
        Outcome::Noisy => format!(
            "too noisy to tell a difference of less than {} %",
            percent(time.farthest() * 100.0)
        ),
        Outcome::Nothing => "nothing was measured".into(),
    };
    let more = match verdict.runs_needed {
        Some(runs) => format!("; `--runs {runs}` would"),
        None => String::new(),
    };
    format!("{text}{memory}{more}")
}

/// A percentage, with a decimal where it is small.
fn percent(value: f64) -> String {
    match value.abs() < 9.95 {
        true => format!("{value:.1}"),
        false => format!("{value:.0}"),
    }
}

/// As in `−12 MB`.
fn signed_bytes(value: f64) -> String {
    let sign = if value < 0.0 { '−' } else { '+' };
    format!("{sign}{}", bytes(value.abs()))
}

/// As in `12 MB`.
pub fn bytes(value: f64) -> String {
    match value {
        v if v >= 9.95e9 => format!("{:.0} GB", v / 1e9),
        v if v >= 1e9 => format!("{:.1} GB", v / 1e9),
        v if v >= 9.95e6 => format!("{:.0} MB", v / 1e6),
        v if v >= 1e6 => format!("{:.1} MB", v / 1e6),
        v => format!("{:.0} kB", v / 1e3),
    }
}

/// As in `12.3 ms`.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        n if n >= 1e9 => (n / 1e9, "s"),
        n if n >= 1e6 => (n / 1e6, "ms"),
        n => (n / 1e3, "µs"),
    };
    match value {
        v if v >= 100.0 => format!("{v:.0} {unit}"),
        v if v >= 10.0 => format!("{v:.1} {unit}"),
        v => format!("{v:.2} {unit}"),
    }
}
