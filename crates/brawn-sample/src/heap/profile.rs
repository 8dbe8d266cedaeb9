//! What was asked for, by whom: sums over a recording's samples.

mod curve;

use super::recording::{Event, Recording};
use super::unwind::{Site, Stacks};
use brawn_core::demangle::demangled;
use curve::Estimate;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;
use std::path::PathBuf;

/// At most so many threads have a curve of their own.
const MOST_THREADS: usize = 3;

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

    /// The variance of such an estimate from one sample, in bytes squared (Horvitz and Thompson, 1952).
    fn variance(self) -> f64 {
        (1.0 - 1.0 / self.blocks) * self.bytes * self.bytes
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

/// What a thread had asked for and was in use, whoever freed it then.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadCurve {
    /// The thread.
    pub thread: u32,
    /// Bytes, at the times of [`Profile::over_time`].
    pub bytes: Vec<f64>,
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
    /// How far what was in use then may be off, in bytes: two standard errors of the estimate.
    pub peak_doubt: f64,
    /// The same of what was in use at the end.
    pub end_doubt: f64,
    /// In seconds from the first sample, the bytes in use.
    pub over_time: Vec<(f64, f64)>,
    /// Of that, the parts of the threads with the highest points, the highest first.
    pub threads_over_time: Vec<ThreadCurve>,
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

/// A block that begins.
#[derive(Clone, Copy, Debug)]
struct Begin {
    stack: usize,
    /// What it stands for.
    amount: Amount,
}

/// The blocks that are in use, and where most of them were.
struct Live {
    blocks: HashMap<(u32, u64), Begin>,
    now: f64,
    /// The variance of that.
    variance: f64,
    /// The same by stack.
    of_stacks: Vec<f64>,
}

impl Live {
    fn new(stacks: usize) -> Self {
        Self {
            blocks: HashMap::new(),
            now: 0.0,
            variance: 0.0,
            of_stacks: vec![0.0; stacks],
        }
    }

    /// Applies an event; `begin` if a block begins.
    fn apply(&mut self, event: &Event, begin: Option<Begin>) {
        // A block at an address where one was not seen to end: of a process that has another program now.
        if let Some(old) = self.blocks.remove(&(event.process, event.block)) {
            self.now -= old.amount.bytes;
            self.variance -= old.amount.variance();
            self.of_stacks[old.stack] -= old.amount.bytes;
        }
        if let Some(begin) = begin {
            self.now += begin.amount.bytes;
            self.variance += begin.amount.variance();
            self.of_stacks[begin.stack] += begin.amount.bytes;
            self.blocks.insert((event.process, event.block), begin);
        }
        if self.blocks.is_empty() {
            // What rounding left over would be certain.
            (self.now, self.variance) = (0.0, 0.0);
        }
    }

    fn estimate(&self, seconds: f64) -> Estimate {
        Estimate {
            seconds,
            bytes: self.now.max(0.0),
            error: self.variance.max(0.0).sqrt(),
        }
    }
}

/// What was in use behind each event, and at the end. There are so many `stacks`.
fn followed(
    recording: &Recording,
    begins: &[Option<Begin>],
    stacks: usize,
) -> (Vec<Estimate>, Live) {
    let first = recording.events.first().map_or(0, |e| e.time);
    let mut live = Live::new(stacks);
    let mut estimates = Vec::with_capacity(begins.len());
    for (event, begin) in recording.events.iter().zip(begins) {
        live.apply(event, *begin);
        estimates.push(live.estimate(event.time.saturating_sub(first) as f64 / 1e9));
    }
    (estimates, live)
}

/// Sums up a recording.
pub fn profile(recording: &Recording) -> Profile {
    let mut unwinder = Stacks::new(recording);
    let mut known: HashMap<(Vec<Site>, u32), usize> = HashMap::new();
    let mut sites: Vec<(Vec<Site>, u32)> = Vec::new();
    let mut sums: Vec<[Amount; 3]> = Vec::new();
    let begins: Vec<Option<Begin>> = recording
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
            Some(Begin { stack, amount })
        })
        .collect();
    // First when most was in use, then what that was.
    let (estimates, at_end) = followed(recording, &begins, sites.len());
    for block in at_end.blocks.values() {
        sums[block.stack][2] += block.amount;
    }
    let peak = curve::peak(&estimates);
    let shown = curve::shown(&estimates, peak);
    let mut threads = Threads::new(&sites);
    let mut next = shown.iter().peekable();
    let mut live = Live::new(sites.len());
    for (number, (event, begin)) in recording.events.iter().zip(&begins).enumerate() {
        live.apply(event, *begin);
        if peak == Some(number) {
            for block in live.blocks.values() {
                sums[block.stack][1] += block.amount;
            }
        }
        while let Some((_, bytes)) = next.next_if(|(shown, _)| *shown == number) {
            threads.look(&live, *bytes);
        }
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
        seconds: estimates.last().map_or(0.0, |last| last.seconds),
        peak_at: peak.map_or(0.0, |number| estimates[number].seconds),
        peak_doubt: peak.map_or(0.0, |number| estimates[number].doubt()),
        end_doubt: estimates.last().map_or(0.0, Estimate::doubt),
        over_time: shown
            .iter()
            .map(|(number, bytes)| (estimates[*number].seconds, *bytes))
            .collect(),
        threads_over_time: threads.highest(),
    }
}

/// What each thread has in use, from one look to the next.
struct Threads {
    /// Of each stack.
    numbers: Vec<u32>,
    looks: Vec<BTreeMap<u32, f64>>,
}

impl Threads {
    fn new(sites: &[(Vec<Site>, u32)]) -> Self {
        Self {
            numbers: sites.iter().map(|(_, thread)| *thread).collect(),
            looks: Vec::new(),
        }
    }

    /// Looks at a point where `all` is shown as in use.
    fn look(&mut self, live: &Live, all: f64) {
        let mut now = BTreeMap::new();
        let in_use = live.of_stacks.iter().zip(&self.numbers);
        for (bytes, thread) in in_use.filter(|(bytes, _)| **bytes > 0.0) {
            *now.entry(*thread).or_insert(0.0) += bytes;
        }
        // A thread has no more than all have.
        now.values_mut()
            .for_each(|bytes: &mut f64| *bytes = bytes.min(all));
        self.looks.push(now);
    }

    /// The curves with the highest points.
    fn highest(&self) -> Vec<ThreadCurve> {
        let mut peaks: BTreeMap<u32, f64> = BTreeMap::new();
        for (thread, bytes) in self.looks.iter().flatten() {
            let peak = peaks.entry(*thread).or_default();
            *peak = peak.max(*bytes);
        }
        let mut peaks: Vec<(u32, f64)> = peaks.into_iter().collect();
        peaks.sort_by(|a, b| b.1.total_cmp(&a.1));
        peaks.truncate(MOST_THREADS);
        let curve = |(thread, _)| ThreadCurve {
            thread,
            bytes: self
                .looks
                .iter()
                .map(|now| now.get(&thread).copied().unwrap_or(0.0))
                .collect(),
        };
        peaks.into_iter().map(curve).collect()
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

#[cfg(test)]
mod tests;
