//! What was asked for, by whom: sums over a recording's samples.

use super::recording::{Event, Recording};
use super::unwind::{Site, Stacks};
use brawn_core::demangle::demangled;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;
use std::path::PathBuf;

/// At most so many points of the curve over time.
const MOST_POINTS: usize = 400;

/// How many blocks, and how many bytes, as far as samples tell.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Amount {
    /// Blocks.
    pub blocks: f64,
    /// Bytes that were asked for.
    pub bytes: f64,
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.bytes += other.bytes;
    }
}

impl Amount {
    /// What one sample of `size` bytes stands for, where there is one in `interval` bytes: such a block is recorded with the
    /// chance 1 − exp(−size/interval).
    fn of(size: u64, interval: u64) -> Self {
        let size = size.max(1) as f64;
        let blocks = 1.0 / -(-size / interval.max(1) as f64).exp_m1();
        Self {
            blocks,
            bytes: blocks * size,
        }
    }

    fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |mut sum, amount| {
            sum += amount;
            sum
        })
    }
}

/// A function on a stack.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    /// Its name, readable; its address if it has none.
    pub function: String,
    /// The file that it is in.
    pub file: Option<PathBuf>,
}

/// What was asked for on a stack, by one thread.
#[derive(Clone, Debug, Serialize)]
pub struct Stack {
    /// Which frames, from who asked outwards.
    pub frames: Vec<usize>,
    /// The thread.
    pub thread: u32,
    /// All that it asked for.
    pub asked: Amount,
    /// What of that was in use when most was.
    pub at_peak: Amount,
    /// What of that was in use at the end.
    pub at_end: Amount,
}

/// A heap's profile.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// The functions that are on stacks.
    pub frames: Vec<Frame>,
    /// By what was in use at the peak, the largest first.
    pub stacks: Vec<Stack>,
    /// How many blocks were recorded.
    pub samples: usize,
    /// How many blocks should have been recorded, and could not be.
    pub lost: u64,
    /// Bytes, on average, between two samples, at first.
    pub interval: u64,
    /// How long it was recorded, in seconds.
    pub seconds: f64,
    /// When most was in use, in seconds from the first sample.
    pub peak_at: f64,
    /// In seconds from the first sample, the bytes in use.
    pub over_time: Vec<(f64, f64)>,
}

impl Profile {
    /// All that was asked for.
    pub fn asked(&self) -> Amount {
        Amount::sum(self.stacks.iter().map(|s| s.asked))
    }

    /// What was in use when most was.
    pub fn at_peak(&self) -> Amount {
        Amount::sum(self.stacks.iter().map(|s| s.at_peak))
    }

    /// What was in use at the end.
    pub fn at_end(&self) -> Amount {
        Amount::sum(self.stacks.iter().map(|s| s.at_end))
    }

    /// The threads, with what each asked for and had in use at the peak, the largest first.
    pub fn threads(&self) -> Vec<(u32, Amount, Amount)> {
        let mut all: BTreeMap<u32, (Amount, Amount)> = BTreeMap::new();
        for stack in &self.stacks {
            let (asked, at_peak) = all.entry(stack.thread).or_default();
            *asked += stack.asked;
            *at_peak += stack.at_peak;
        }
        let mut threads: Vec<_> = all.into_iter().map(|(t, (a, p))| (t, a, p)).collect();
        threads.sort_by(|a, b| b.1.bytes.total_cmp(&a.1.bytes));
        threads
    }
}

/// The blocks that are in use, and where most of them were.
struct Live {
    blocks: HashMap<(u32, u64), (usize, Amount)>,
    now: f64,
}

impl Live {
    fn new() -> Self {
        Self {
            blocks: HashMap::new(),
            now: 0.0,
        }
    }

    /// Applies an event; `stack` is that of a block that begins.
    fn apply(&mut self, event: &Event, stack: Option<(usize, Amount)>) {
        // A block at an address where one was not seen to end: of a process that has another program now.
        if let Some((_, old)) = self.blocks.remove(&(event.process, event.block)) {
            self.now -= old.bytes;
        }
        if let Some((stack, amount)) = stack {
            self.now += amount.bytes;
            self.blocks
                .insert((event.process, event.block), (stack, amount));
        }
    }
}

/// Sums up a recording.
pub fn profile(recording: &Recording) -> Profile {
    let mut unwinder = Stacks::new(recording);
    let mut known: HashMap<(Vec<Site>, u32), usize> = HashMap::new();
    let mut sites: Vec<(Vec<Site>, u32)> = Vec::new();
    let mut sums: Vec<[Amount; 3]> = Vec::new();
    // The stack of each event that begins a block.
    let begins: Vec<Option<(usize, Amount)>> = recording
        .events
        .iter()
        .map(|event| {
            let taken = event.taken.as_ref()?;
            let key = (unwinder.of(recording, event, taken), event.thread);
            let stack = *known.entry(key).or_insert_with_key(|key| {
                sites.push(key.clone());
                sums.push(Default::default());
                sites.len() - 1
            });
            let amount = Amount::of(taken.size, taken.interval);
            sums[stack][0] += amount;
            Some((stack, amount))
        })
        .collect();
    let first = recording.events.first().map_or(0, |e| e.time);
    let seconds = |event: &Event| (event.time - first) as f64 / 1e9;
    // First when most was in use, then what that was.
    let mut live = Live::new();
    let (mut peak, mut peak_event) = (0.0, None);
    let mut curve = Vec::new();
    for (number, (event, begin)) in recording.events.iter().zip(&begins).enumerate() {
        live.apply(event, *begin);
        curve.push((seconds(event), live.now.max(0.0)));
        if live.now > peak {
            (peak, peak_event) = (live.now, Some(number));
        }
    }
    for (stack, amount) in live.blocks.values() {
        sums[*stack][2] += *amount;
    }
    let until = peak_event.map_or(0, |number| number + 1);
    let mut live = Live::new();
    for (event, begin) in recording.events.iter().zip(&begins).take(until) {
        live.apply(event, *begin);
    }
    for (stack, amount) in live.blocks.values() {
        sums[*stack][1] += *amount;
    }
    let (frames, numbers) = frames(&unwinder, &sites);
    let mut stacks: Vec<Stack> = sites
        .iter()
        .zip(&sums)
        .map(|((sites, thread), [asked, at_peak, at_end])| Stack {
            frames: sites.iter().map(|site| numbers[site]).collect(),
            thread: *thread,
            asked: *asked,
            at_peak: *at_peak,
            at_end: *at_end,
        })
        .collect();
    stacks.sort_by(|a, b| b.at_peak.bytes.total_cmp(&a.at_peak.bytes));
    Profile {
        frames,
        stacks,
        samples: begins.iter().flatten().count(),
        lost: recording.lost,
        interval: recording.interval,
        seconds: recording.events.last().map_or(0.0, seconds),
        peak_at: peak_event.map_or(0.0, |n| seconds(&recording.events[n])),
        over_time: thinned(&curve),
    }
}

/// Each site's frame, numbered as they come.
fn frames(stacks: &Stacks, all: &[(Vec<Site>, u32)]) -> (Vec<Frame>, HashMap<Site, usize>) {
    let mut frames = Vec::new();
    let mut numbers = HashMap::new();
    for site in all.iter().flat_map(|(sites, _)| sites) {
        numbers.entry(*site).or_insert_with(|| {
            let (name, file) = stacks.name(*site);
            frames.push(Frame {
                function: demangled(&name),
                file: file.map(PathBuf::from),
            });
            frames.len() - 1
        });
    }
    (frames, numbers)
}

/// The highest point of each piece of a curve: the peak is among them.
fn thinned(curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let piece = curve.len().div_ceil(MOST_POINTS).max(1);
    let highest = |piece: &[(f64, f64)]| piece.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let mut points: Vec<_> = curve.chunks(piece).filter_map(highest).collect();
    points.extend(curve.last());
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_stands_for_what_was_not_recorded() {
        let small = Amount::of(16, 512 << 10);
        assert!(
            (small.bytes - f64::from(512 << 10)).abs() < 16.0,
            "{small:?}"
        );
        let large = Amount::of(64 << 20, 512 << 10);
        assert!((large.blocks - 1.0).abs() < 1e-9, "{large:?}");
        assert!(Amount::of(0, 0).bytes.is_finite());
    }

    #[test]
    fn a_thinned_curve_keeps_its_peak_and_its_end() {
        let mut curve: Vec<(f64, f64)> = (0..100_000).map(|n| (f64::from(n), 1.0)).collect();
        curve[77_777].1 = 9.0;
        let thin = thinned(&curve);
        assert!(thin.len() <= MOST_POINTS + 1);
        assert!(thin.contains(&(77_777.0, 9.0)));
        assert_eq!(thin.last(), Some(&(99_999.0, 1.0)));
        assert!(thinned(&[]).is_empty());
    }
}
