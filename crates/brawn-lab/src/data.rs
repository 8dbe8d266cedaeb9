//! The data of a comparison: every figure of every run, and everything that is needed to judge and show it again.

use crate::process::counters::Availability;
use crate::process::figures::{Figures, Metric, PEAK};
use crate::process::job::{End, Moment};
use crate::stats::median::estimate;
use crate::stats::pairs::Ratio;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What [`Comparison::format`] says.
pub const FORMAT: &str = "brawn-compare";
/// The number that grows when older readers would misread the data.
pub const VERSION: u32 = 1;

/// The most forms of a program that one comparison has: for each of them all runs are gone through. There are a handful of
/// profiles, and two saved files have twice as many.
pub const MOST_CANDIDATES: usize = 64;

/// A whole comparison.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Comparison {
    /// Always [`FORMAT`].
    pub format: String,
    /// [`VERSION`] of who wrote it.
    pub version: u32,
    /// brawn's version.
    pub brawn: String,
    /// When it began, as in 2025-12-31.
    pub date: String,
    /// What was run.
    pub command: Command,
    /// The machine, by property.
    pub machine: BTreeMap<String, String>,
    /// Load averages of the last minute, before and after.
    pub load: [f64; 2],
    /// Whether the processor's counters were read, or why not.
    pub counters: Availability,
    /// The number from which the order of runs was computed.
    pub seed: u64,
    /// The compared forms. The first is the program as it is, or in the first of two files.
    pub candidates: Vec<Candidate>,
    /// The measured rounds, each with the candidates' numbers in the order in which they ran.
    pub order: Vec<Vec<usize>>,
    /// Every run, in the order in which they ran.
    pub runs: Vec<Run>,
    /// What should not have happened.
    pub findings: Vec<Finding>,
    /// One for each candidate but the first.
    pub verdicts: Vec<Verdict>,
    /// Where the time is spent, if samples were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<serde_json::Value>,
    /// The expectation before the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<serde_json::Value>,
    /// If the data comes from two files (`beside`): when each was written. Their runs did not take turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<[String; 2]>,
}

/// A command, and how it was run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Command {
    /// The program, as it was named.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The command line that measured it, word by word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
    /// The directory.
    pub folder: String,
    /// The shell line that ran it, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// The shell line before each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// What it read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether its exit code was ignored.
    pub ignore_failure: bool,
    /// Warm-up runs of each candidate.
    pub warmup: usize,
    /// Measured runs of each candidate.
    pub rounds: usize,
    /// The limit for a run in seconds, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Which of its outputs were compared.
    pub compare_output: Vec<String>,
}

/// One form of the program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name for people: `as it is`, `fast`.
    pub name: String,
    /// How it came to be.
    pub kind: CandidateKind,
    /// The number of the candidate that it is compared with; its own number if there is none.
    #[serde(default, skip_serializing_if = "is_first")]
    pub against: usize,
    /// The heap's variant, if it is brawn's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The file that ran.
    pub file: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its fingerprint.
    pub sha256: String,
    /// The shared object that is preloaded, and its fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preload: Option<[String; 2]>,
}

/// Files of a single comparison do not contain this.
fn is_first(number: &usize) -> bool {
    *number == 0
}

/// How a candidate came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateKind {
    /// It is the program as it is.
    Original,
    /// By `brawn rewrite`.
    Rewritten,
    /// By `brawn preload`.
    Preload,
    /// It is another file.
    Other,
}

impl CandidateKind {
    /// Whether it is the program with brawn's functions.
    pub fn is_brawns(self) -> bool {
        matches!(self, Self::Rewritten | Self::Preload)
    }
}

/// Whether a candidate is faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is.
    Faster,
    /// It is slower.
    Slower,
    /// Neither is faster by more than a few percent.
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
    /// How many runs would show a difference of a few percent, if these do not. `None` if that would be too many.
    pub runs_needed: Option<usize>,
    /// All that in words.
    pub words: String,
}

/// What a run was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// A run to compare output and watch memory: its times do not count.
    Look,
    /// A run to warm the machine up; it does not count.
    WarmUp,
    /// It counts.
    Measured,
}

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The candidate's number.
    pub candidate: usize,
    /// The round's number in its phase.
    pub round: usize,
    /// What it was for.
    pub phase: Phase,
    /// How it ended.
    pub end: End,
    /// What was measured.
    pub figures: Figures,
    /// Its memory over time, if that was watched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<Moment>,
}

/// Something that should not have happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The candidate's number.
    pub candidate: usize,
    /// Which kind.
    pub kind: FindingKind,
    /// In words.
    pub what: String,
    /// Files with the outputs of the program as it is and of the candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

/// Which kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A run failed, or ended in another way than the program as it is.
    Failed,
    /// A run exceeded its time limit.
    Hung,
    /// Output is not the program's.
    Differs,
    /// A fact that the user should know, and that is no fault of a form.
    Note,
}

impl FindingKind {
    /// Whether the command fails for it.
    pub fn is_failure(self) -> bool {
        self != Self::Note
    }
}

impl Finding {
    /// What is told about a candidate, and is no failure.
    pub fn note(candidate: usize, what: String) -> Self {
        Self {
            candidate,
            kind: FindingKind::Note,
            what,
            kept: Vec::new(),
        }
    }
}

impl Comparison {
    /// The median of a figure in all runs that were measured and have it.
    pub fn median(&self, candidate: usize, metric: Metric) -> Option<f64> {
        estimate(&self.values(candidate, metric)).map(|estimate| estimate.median)
    }

    /// The measured figures of one candidate, by round.
    pub fn values(&self, candidate: usize, metric: Metric) -> Vec<f64> {
        let runs = self.measured().filter(|run| run.candidate == candidate);
        runs.filter_map(|run| (metric.of)(&run.figures)).collect()
    }

    /// For each round, the figure of the form that a candidate is compared with, and the candidate's figure.
    pub fn pairs(&self, candidate: usize, metric: Metric) -> Vec<(f64, f64)> {
        let by_round = |candidate: usize| -> BTreeMap<usize, f64> {
            let runs = self.measured().filter(|run| run.candidate == candidate);
            let values = runs.filter_map(|run| Some((run.round, (metric.of)(&run.figures)?)));
            values.collect()
        };
        let against = self.candidates[candidate].against;
        let (original, other) = (by_round(against), by_round(candidate));
        let pairs = original
            .iter()
            .filter_map(|(round, a)| Some((*a, *other.get(round)?)));
        pairs.collect()
    }

    /// The runs that count.
    pub fn measured(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| run.phase == Phase::Measured)
    }

    /// The largest memory of a candidate's whole process tree at one instant, if it ran long enough to be watched.
    pub fn peak_pss(&self, candidate: usize) -> Option<u64> {
        let runs = self.runs.iter().filter(|run| run.candidate == candidate);
        runs.flat_map(|run| &run.memory)
            .map(|moment| moment.pss)
            .max()
    }

    /// The peak memory of a candidate in bytes: the kernel's figure or, for programs with too little memory for that,
    /// the watched one.
    pub fn peak(&self, candidate: usize) -> Option<f64> {
        let values = self.values(candidate, PEAK);
        let all = self
            .measured()
            .filter(|run| run.candidate == candidate)
            .count();
        match values.len() == all {
            true => estimate(&values).map(|estimate| estimate.median),
            false => self.peak_pss(candidate).map(|pss| pss as f64),
        }
    }

    /// Checks that this brawn can read the data.
    ///
    /// # Errors
    /// Why not, as a fragment of a sentence.
    pub fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("its format is {}, not {FORMAT}", self.format));
        }
        if self.version > VERSION {
            return Err(format!(
                "version {} is newer than this brawn's {VERSION}",
                self.version
            ));
        }
        let all = self.candidates.len();
        if all > MOST_CANDIDATES {
            return Err(format!(
                "{all} forms, and at most {MOST_CANDIDATES} are compared"
            ));
        }
        let known = |candidate: usize| candidate < all;
        let is_whole = all > 0
            && self.candidates.iter().all(|form| known(form.against))
            && self.runs.iter().all(|run| known(run.candidate))
            && self.findings.iter().all(|finding| known(finding.candidate));
        is_whole
            .then_some(())
            .ok_or_else(|| "it names a candidate that is not in it".into())
    }
}
