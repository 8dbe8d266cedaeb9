//! Counts samples that are alike.

use crate::maps::Maps;
use crate::samples::{Hit, Place};
use std::collections::{HashMap, HashSet};

/// A sample as it comes.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The process.
    pub process: u32,
    /// The thread.
    pub thread: u32,
    /// The program's own address, which is 0 if it is unknown.
    pub address: u64,
    /// Whether the kernel ran.
    pub kernel: bool,
    /// The number of the kernel's function.
    pub call: Option<i64>,
    /// The words on top of the stack.
    pub stack: Vec<u64>,
}

type Key = (Option<Place>, bool, Option<i64>, Vec<Place>);

/// The samples so far.
#[derive(Debug, Default)]
pub struct Hits {
    counts: HashMap<Key, u64>,
    threads: HashSet<u32>,
}

/// More kinds of samples than this are not told apart by their callers.
const MOST_KINDS: usize = 200_000;

impl Hits {
    /// Counts a sample.
    pub fn add(&mut self, maps: &Maps, sample: &Sample) {
        self.threads.insert(sample.thread);
        let place = maps.place(sample.process, sample.address);
        let callers = if self.counts.len() < MOST_KINDS {
            maps.callers(sample.process, &sample.stack)
        } else {
            Vec::new()
        };
        let key = (place, sample.kernel, sample.call, callers);
        *self.counts.entry(key).or_default() += 1;
    }

    /// How many threads were seen.
    pub fn threads(&self) -> u64 {
        self.threads.len() as u64
    }

    /// The samples, in an order that does not depend on chance.
    pub fn into_hits(self) -> Vec<Hit> {
        let hit = |((place, kernel, call, callers), count)| Hit {
            place,
            kernel,
            call,
            callers,
            count,
        };
        let mut hits: Vec<Hit> = self.counts.into_iter().map(hit).collect();
        let key = |h: &Hit| (h.place, h.kernel, h.call, h.callers.clone());
        hits.sort_by_cached_key(|h| (std::cmp::Reverse(h.count), key(h)));
        hits
    }
}
