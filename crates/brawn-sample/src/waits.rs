//! What threads wait for: `/proc/PID/task/TID/syscall`, read every few milliseconds.

use crate::maps::Maps;
use crate::records::STACK;
use crate::samples::{FileOffset, Wait};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

/// The shortest time between two looks.
const SHORTEST: Duration = Duration::from_millis(10);
/// The time between two looks is at least this many times what a look takes of a processor.
const SHARE: f64 = 100.0;
/// More threads than these are not looked at one by one: those that are stand for the others.
const MOST_THREADS: usize = 128;

type Key = (u64, Option<FileOffset>, Vec<FileOffset>);

/// The threads, and what they waited for so far.
#[derive(Debug)]
pub struct Waits {
    threads: BTreeMap<(u32, u32), Option<File>>,
    found: HashMap<Key, f64>,
    last: Instant,
    pause: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        Self {
            threads: BTreeMap::new(),
            found: HashMap::new(),
            last: Instant::now(),
            pause: SHORTEST,
        }
    }
}

impl Waits {
    /// There is this thread.
    pub fn start(&mut self, process: u32, thread: u32) {
        self.threads.entry((process, thread)).or_default();
    }

    /// Whether a process has more than one thread.
    pub fn has_threads(&self) -> bool {
        let processes = self.threads.keys().map(|(process, _)| process);
        let others = processes.clone().skip(1);
        processes.zip(others).any(|(one, next)| one == next)
    }

    /// It is gone.
    pub fn end(&mut self, process: u32, thread: u32) {
        self.threads.remove(&(process, thread));
    }

    /// Looks, if it is time.
    pub fn look(&mut self, maps: &Maps) {
        let start = Instant::now();
        let passed = start - self.last;
        if passed < self.pause {
            return;
        }
        self.last = start;
        let before = processor_time();
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for (process, _) in self.threads.keys() {
            *counts.entry(*process).or_default() += 1;
        }
        // A process of one thread waits for no lock.
        let is_shared = |process: &u32| counts.get(process).is_some_and(|count| *count > 1);
        let all: usize = counts.values().filter(|count| **count > 1).sum();
        let weight = (all as f64 / MOST_THREADS as f64).max(1.0);
        let seconds = passed.as_secs_f64() * weight;
        let threads = self.threads.iter_mut();
        let threads = threads.filter(|((process, _), _)| is_shared(process));
        for ((process, thread), file) in threads.take(MOST_THREADS) {
            let path = || format!("/proc/{process}/task/{thread}/syscall");
            if file.is_none() {
                *file = File::open(path()).ok();
            }
            let Some(file) = file else { continue };
            if let Some((futex, sp, pc)) = waiting(file) {
                let stack = stack(*process, sp);
                let key = (
                    futex,
                    maps.place(*process, pc),
                    maps.callers(*process, &stack),
                );
                *self.found.entry(key).or_default() += seconds;
            }
        }
        let took = Duration::try_from_secs_f64(SHARE * (processor_time() - before));
        self.pause = SHORTEST.max(took.unwrap_or(SHORTEST));
    }

    /// What was found, the longest first.
    pub fn into_waits(self) -> Vec<Wait> {
        let wait = |((futex, place, callers), seconds)| Wait {
            futex,
            place,
            callers,
            seconds,
        };
        let mut waits: Vec<Wait> = self.found.into_iter().map(wait).collect();
        waits.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        waits
    }
}

/// The futex that the thread waits for, its stack pointer and its address: "NUMBER ARGUMENTS SP PC", in hex.
fn waiting(file: &File) -> Option<(u64, u64, u64)> {
    let mut text = [0; 256];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let mut words = text.split_ascii_whitespace();
    if words.next()?.parse() != Ok(libc::SYS_futex) {
        return None;
    }
    let number = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let words: Vec<u64> = words.map(number).collect::<Option<_>>()?;
    let [futex, operation, _, _, _, _, sp, pc] = words[..] else {
        return None;
    };
    // Without the flags for private futexes and clocks: wait, and wait with a mask.
    matches!(operation & 0x7f, 0 | 9).then_some((futex, sp, pc))
}

/// The words on top of a stack.
pub fn stack(process: u32, sp: u64) -> Vec<u64> {
    let mut bytes = [0; STACK * 8];
    let read = File::open(format!("/proc/{process}/mem")).and_then(|f| f.read_at(&mut bytes, sp));
    let bytes = &bytes[..read.unwrap_or(0)];
    let words = bytes.chunks_exact(8);
    let words = words.filter_map(|word| word.try_into().ok().map(u64::from_ne_bytes));
    words.collect()
}

/// The processor time of this thread, in seconds.
pub fn processor_time() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes the time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
