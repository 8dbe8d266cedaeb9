//! What raw data say about each pattern and heap.

use super::patterns::{neighbours, patterns};
use super::{GLIBC, Raw};
use crate::stats::median;
use std::collections::BTreeMap;

/// A bar: the peak against glibc's, and so many KiB more.
pub const PEAK: (f64, f64) = (1.1, 256.0);
/// A cliff: a pattern takes more than so many times what one of its neighbours takes, both against glibc.
pub const CLIFF: f64 = 3.0;

/// One pattern with one heap: medians over the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Microseconds of processor time.
    pub us: f64,
    /// The peak.
    pub kib: f64,
    /// Against glibc in the same round.
    pub time: f64,
    /// Whether the peak is above the bar.
    pub is_high: bool,
}

/// All heaps' figures of one pattern; NaN where there are none.
#[derive(Clone, Debug)]
pub struct Line {
    /// The pattern's.
    pub name: String,
    /// The figures by heap.
    pub of: BTreeMap<&'static str, Figures>,
}

impl Line {
    /// Processor time against glibc.
    pub fn time(&self, heap: &str) -> f64 {
        self.of.get(heap).map_or(f64::NAN, |figures| figures.time)
    }

    /// Whether the peak is above the bar.
    pub fn is_high(&self, heap: &str) -> bool {
        self.of.get(heap).is_some_and(|figures| figures.is_high)
    }
}

/// The patterns in the catalogue's order; those that it does not have stand at the end.
pub fn lines(raw: &Raw) -> Vec<Line> {
    let sweep = &raw.sweep;
    let known = patterns().into_iter().map(|pattern| pattern.to_string());
    let mut names: Vec<String> = known.filter(|name| sweep.us.contains_key(name)).collect();
    let others = sweep.us.keys().filter(|name| !names.contains(name));
    let others: Vec<String> = others.cloned().collect();
    names.extend(others);
    let heaps = heaps(raw);
    let line = |name: String| {
        let of = heaps.iter().map(|heap| (*heap, figures(raw, &name, heap)));
        Line {
            of: of.collect(),
            name,
        }
    };
    names.into_iter().map(line).collect()
}

/// The heaps that a run has, in their order.
pub fn heaps(raw: &Raw) -> Vec<&'static str> {
    let has = |heap: &&str| raw.sweep.heaps.iter().any(|h| h == heap);
    super::HEAPS.into_iter().filter(has).collect()
}

fn figures(raw: &Raw, name: &str, heap: &str) -> Figures {
    let sweep = &raw.sweep;
    let [(us, base_us), (kib, base_kib)] = [&sweep.us, &sweep.kib].map(|figures| {
        let of = |heap| {
            let rounds = sweep.of(figures, name, heap).iter();
            rounds.map(|value| value.map_or(f64::NAN, |value| value as f64))
        };
        (of(heap), of(GLIBC))
    });
    let (peak, base) = (median(kib.clone()), median(base_kib));
    Figures {
        us: median(us.clone()),
        kib: peak,
        time: median(us.zip(base_us).map(|(a, b)| a / b)),
        is_high: peak > base * PEAK.0 + PEAK.1,
    }
}

/// Patterns that take a heap more than [`CLIFF`] times what a neighbour takes, both for each block and against glibc, and more than glibc takes.
/// Each with the neighbour that is lowest.  (Larger blocks take longer with every heap, and where glibc itself has a cliff, the pattern before it looks
/// slow beside it: neither is a cliff of the heap.)
pub fn cliffs<'a>(lines: &'a [Line], heap: &str) -> Vec<[&'a Line; 2]> {
    let patterns = patterns();
    let by_name = lines.iter().map(|line| (line.name.as_str(), line));
    let by_name: BTreeMap<&str, &Line> = by_name.collect();
    let all = patterns.iter().map(|pattern| {
        let line = by_name.get(pattern.to_string().as_str())?;
        let figures = line.of.get(heap)?;
        Some((*line, figures.time, figures.us / pattern.blocks() as f64))
    });
    let all: Vec<Option<(&Line, f64, f64)>> = all.collect();
    let mut lowest: BTreeMap<usize, (&Line, f64)> = BTreeMap::new();
    for [a, b] in neighbours(&patterns) {
        for (high, low) in [(a, b), (b, a)] {
            let (Some((_, time, block)), Some((below, less, less_block))) = (all[high], all[low])
            else {
                continue;
            };
            if time > 1.0 && time > CLIFF * less && block > CLIFF * less_block {
                let kept = lowest.entry(high).or_insert((below, less));
                if less < kept.1 {
                    *kept = (below, less);
                }
            }
        }
    }
    let pairs = lowest.into_iter();
    let pairs = pairs.filter_map(|(at, (below, _))| Some([all[at]?.0, below]));
    pairs.collect()
}
