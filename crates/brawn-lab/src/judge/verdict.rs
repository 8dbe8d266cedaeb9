//! The verdict on one candidate, as data and in words.

use crate::data::{Comparison, Outcome, Verdict};
use crate::process::figures::{CPU, Metric, WALL};
use crate::show::units::{percent, signed_bytes};
use crate::stats::pairs::{Ratio, needed, ratio};

/// A smaller difference does not count: nobody would notice it, and the alignment of code alone can cause more.
const NOTHING: f64 = 0.005;
/// If the whole interval is within this distance of "as fast", the verdict is that there is no difference.
const CLOSE: f64 = 0.03;
/// Nobody waits for more runs than this, or for longer than this: an hour, in nanoseconds.
const MOST: (usize, f64) = (1000, 3.6e12);
/// Changes of memory that are mentioned: more than a megabyte and more than a twentieth.
const MEMORY: (f64, f64) = (1e6, 0.05);

/// Judges every candidate that is compared with another.
pub fn all(data: &Comparison) -> Vec<Verdict> {
    let candidates = data.candidates.iter().enumerate();
    let compared = candidates.filter(|(number, form)| form.against != *number);
    compared.map(|(number, _)| judge(data, number)).collect()
}

fn judge(data: &Comparison, candidate: usize) -> Verdict {
    let of = |metric: Metric| ratio(&data.pairs(candidate, metric));
    let (time, cpu) = (of(WALL), of(CPU));
    let outcome = outcome(time.as_ref(), cpu.as_ref());
    let peak = data.peak(data.candidates[candidate].against);
    let (before, after) = peak.zip(data.peak(candidate)).unwrap_or_default();
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
        verdict.runs_needed = reasonable(time, &data.pairs(candidate, WALL));
    }
    verdict.words = words(&verdict);
    verdict
}

/// How many runs are worth trying if `time` says too little; `None` if that would be too many.
fn reasonable(time: &Ratio, pairs: &[(f64, f64)]) -> Option<usize> {
    // If the interval is narrow enough but in an undecided place, twice as many runs may move it.
    let runs = needed(time, CLOSE).max((2 * time.pairs).next_multiple_of(10));
    let round = pairs.iter().map(|(a, b)| a + b).sum::<f64>() / pairs.len().max(1) as f64;
    (runs <= MOST.0 && runs as f64 * round <= MOST.1).then_some(runs)
}

fn outcome(time: Option<&Ratio>, cpu: Option<&Ratio>) -> Outcome {
    let Some(time) = time else {
        return Outcome::Nothing;
    };
    if !time.is_certain {
        return Outcome::Noisy;
    }
    let faster = |ratio: &Ratio| match ratio.ratio > 1.0 {
        true => Outcome::Faster,
        false => Outcome::Slower,
    };
    let is_same = |ratio: &Ratio| ratio.is_certain && ratio.farthest() <= CLOSE;
    if differs(time) {
        return faster(time);
    }
    if is_same(time) {
        return Outcome::Same;
    }
    // On a busy machine, the time from start to end says less than the work that was done.
    match cpu {
        Some(cpu) if differs(cpu) && faster(cpu) == faster(time) => faster(cpu),
        Some(cpu) if is_same(cpu) => Outcome::Same,
        _ => Outcome::Noisy,
    }
}

/// Whether the interval says that there is a difference.
fn differs(ratio: &Ratio) -> bool {
    let is_nothing = ratio.low <= NOTHING.exp() && ratio.high >= (-NOTHING).exp();
    ratio.is_certain && !is_nothing
}

impl Verdict {
    /// The figure that shows a difference: the time or, if that is too noisy, processor time. `None` if none does.
    pub fn difference(&self) -> Option<&Ratio> {
        let is_seen = matches!(self.outcome, Outcome::Faster | Outcome::Slower);
        let both = [self.time.as_ref(), self.cpu.as_ref()];
        let found = both.into_iter().flatten().find(|ratio| differs(ratio));
        found.or(self.time.as_ref()).filter(|_| is_seen)
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
    let seen = verdict.difference().unwrap_or(time);
    let by = match differs(time) {
        true => "",
        false => " by processor time; time is too noisy",
    };
    let text = match verdict.outcome {
        Outcome::Faster => format!(
            "{:.2}x as fast ({:.2}–{:.2}){by}",
            seen.ratio, seen.low, seen.high
        ),
        Outcome::Slower => {
            let more = |ratio: f64| (1.0 / ratio - 1.0) * 100.0;
            format!(
                "slower by {} % ({}–{}){by}",
                percent(more(seen.ratio)),
                percent(more(seen.high)),
                percent(more(seen.low))
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
        // One form may take several times as long as the other, or none: a number says nothing more.
        Outcome::Noisy if time.farthest() >= 1.0 => "too noisy to tell a difference".into(),
        Outcome::Noisy => format!(
            "too noisy to tell a difference of less than {} %",
            percent(time.farthest() * 100.0)
        ),
        Outcome::Nothing => "nothing was measured".into(),
    };
    let more = match verdict.runs_needed {
        Some(runs) => format!("; `--runs {runs}` would"),
        None if verdict.outcome == Outcome::Noisy && time.is_certain => {
            "; no reasonable number of runs would".into()
        }
        None => String::new(),
    };
    format!("{text}{memory}{more}")
}

#[cfg(test)]
mod tests;
