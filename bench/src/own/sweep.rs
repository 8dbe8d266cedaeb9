//! Measures many ways of using large and growing blocks (`bench/workloads/sweep.c`) with every heap, so that no cliff stays unseen.
//!
//! In each round, every pattern runs once with every heap, one right after another and in a random order, so that a slow moment of the machine
//! is the same for all heaps of a pattern.

pub mod figure;
pub mod pattern;
pub mod patterns;
pub mod results;
pub mod table;
pub mod words;

use super::rss::{variant, variants};
use super::{Choice, Raw, Site, chosen, request};
use crate::catalogue::{Entry, by_itself};
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::{Result, machine};
use brawn_lab::run::rounds::Order;
use pattern::Pattern;
use patterns::patterns;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The heaps.
pub const HEAPS: [&str; 8] = [
    GLIBC,
    "stock",
    BRAWN,
    "lean",
    "secure",
    "mimalloc2",
    "mimalloc3",
    "jemalloc",
];
const GLIBC: &str = "glibc";
const BRAWN: &str = "brawn";
const WORKLOAD: &str = "sweep";
/// `--quick` takes one pattern of so many.
const QUICK: usize = 12;

/// The patterns that are asked for: all that have all words of one of the texts.
pub fn asked(choice: &Choice) -> Result<Vec<Pattern>> {
    let step = if choice.quick { QUICK } else { 1 };
    let is_asked = |pattern: &Pattern| {
        let (name, only) = (pattern.to_string(), &choice.only);
        only.is_empty() || only.iter().any(|text| has_words(&name, text))
    };
    let asked: Vec<Pattern> = patterns()
        .into_iter()
        .filter(is_asked)
        .step_by(step)
        .collect();
    match asked.is_empty() {
        true => Err(format!(
            "no pattern has the words {}",
            choice.only.join(", or ")
        )),
        false => Ok(asked),
    }
}

/// Whether a name has all words of a text.
fn has_words(name: &str, text: &str) -> bool {
    let words: Vec<&str> = name.split(' ').collect();
    text.split_whitespace().all(|word| words.contains(&word))
}

/// The figures of all runs: for each pattern a list with a place for each heap and round, the first heap's rounds first. `null` where the run
/// failed. The lists are as short as they can be, since there are thousands of runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sweep {
    /// The heaps in their order.
    pub heaps: Vec<String>,
    /// Microseconds of processor time.
    pub us: BTreeMap<String, Vec<Option<u64>>>,
    /// Peaks in KiB.
    pub kib: BTreeMap<String, Vec<Option<u64>>>,
}

impl Sweep {
    /// Whether these are raw data of something else.
    pub fn is_empty(&self) -> bool {
        self.us.is_empty()
    }

    /// The rounds of a pattern and heap.
    fn of<'a>(
        &self,
        figures: &'a BTreeMap<String, Vec<Option<u64>>>,
        pattern: &str,
        heap: &str,
    ) -> &'a [Option<u64>] {
        let place = self.heaps.iter().position(|h| h == heap);
        let part = || {
            let all = figures.get(pattern)?;
            let rounds = all.len() / self.heaps.len();
            all.get(place? * rounds..(place? + 1) * rounds)
        };
        part().unwrap_or_default()
    }
}

const ENTRY: Entry = by_itself(WORKLOAD, "ways of using large and growing blocks");

/// Builds the programs, runs `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, choice: &Choice, rounds: usize, progress: &Progress) -> Result<Raw> {
    // The others are shown against it.
    let named = |names: &[String]| match names {
        [] => Vec::new(),
        names => [names, &[GLIBC.to_owned()]].concat(),
    };
    let heaps = chosen(&HEAPS, &named(&choice.heaps));
    let patterns = asked(choice)?;
    let variants = variants(&heaps);
    let built = site.built(&variants, &[&ENTRY], progress)?;
    let mut raw = Raw::of_built("brawn-bench sweep", &built);
    let nothing = || {
        let lists = patterns
            .iter()
            .map(|p| (p.to_string(), vec![None; heaps.len() * rounds]));
        lists.collect::<BTreeMap<_, _>>()
    };
    let mut sweep = Sweep {
        heaps: heaps.iter().map(ToString::to_string).collect(),
        us: nothing(),
        kib: nothing(),
    };
    let sides: Vec<(usize, &str)> = heaps.iter().copied().enumerate().collect();
    let request = request((rounds, Order::Both), (&patterns, &sides));
    progress.steps(&format!("{} patterns", patterns.len()), request.count());
    for turn in request.turns() {
        let (pattern, (number, heap)) = (turn.thing, *turn.side);
        match run(&built, pattern, heap) {
            Ok(figures) => {
                let place = number * rounds + turn.round;
                for (lists, figure) in [&mut sweep.us, &mut sweep.kib].into_iter().zip(figures) {
                    let list = lists.entry(pattern.to_string());
                    list.and_modify(|list| list[place] = Some(figure));
                }
            }
            Err(what) => eprintln!("{pattern}, {heap}: {what}"),
        }
        progress.advance();
    }
    raw.sweep = sweep;
    raw.load[1] = machine::load();
    Ok(raw)
}

/// Runs a pattern once: microseconds of processor time, and the peak in KiB.
fn run(built: &Prepared, pattern: &Pattern, heap: &str) -> Result<[u64; 2]> {
    let variant = variant(heap).ok_or("no such heap")?;
    let program = built.executable(variant, WORKLOAD);
    let arguments = pattern.arguments();
    let sample = built.launcher.run(&program, &arguments, false, &[])?;
    let of = |name: &str| sample.get(name).copied().ok_or(format!("no {name}"));
    Ok([(of("load_ns")? / 1000.0) as u64, of("hwm_kb")? as u64])
}

#[cfg(test)]
mod tests;
