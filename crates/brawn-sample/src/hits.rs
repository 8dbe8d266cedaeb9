//! Counts samples that are alike.

use crate::maps::Maps;
use crate::samples::{FileOffset, Hit};
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
    /// Where the program runs, the third argument, as a function that copies keeps it; in the kernel the second one of the
    /// function that was called.
    pub length: Option<u64>,
    /// The words on top of the stack.
    pub stack: Vec<u64>,
}

type Key = (
    Option<FileOffset>,
    bool,
    Option<i64>,
    Option<u8>,
    Vec<FileOffset>,
);

/// The longest copies of each class but the last.
pub const LENGTHS: [u64; 3] = [64, 512, 4096];

/// The largest blocks that brawn's heap keeps for a while when they are free; larger ones go back to the kernel at once.
pub const KEPT: u64 = 16 << 20;

/// The class of a length; less than a word is what a copy has left at its end. In the kernel: whether it is more than
/// brawn's heap keeps.
fn class(length: u64, kernel: bool) -> Option<u8> {
    if kernel {
        // What is so long is no length of memory.
        return (KEPT + 1..1 << 46).contains(&length).then_some(1);
    }
    (length >= 8).then(|| LENGTHS.partition_point(|most| *most < length) as u8)
}

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
        let length = sample.length.and_then(|n| class(n, sample.kernel));
        let key = (place, sample.kernel, sample.call, length, callers);
        *self.counts.entry(key).or_default() += 1;
    }

    /// How many threads were seen.
    pub fn threads(&self) -> u64 {
        self.threads.len() as u64
    }

    /// The samples, in an order that does not depend on chance.
    pub fn into_hits(self) -> Vec<Hit> {
        let hit = |((place, kernel, call, length, callers), count)| Hit {
            place,
            kernel,
            call,
            length,
            callers,
            count,
        };
        let mut hits: Vec<Hit> = self.counts.into_iter().map(hit).collect();
        let key = |h: &Hit| (h.place, h.kernel, h.call, h.length, h.callers.clone());
        hits.sort_by_cached_key(|h| (std::cmp::Reverse(h.count), key(h)));
        hits
    }
}
