//! Finds the code of functions in a program, in one pass over its code for all builds.
//!
//! Only every fourth place is looked at. On x86_64, the search therefore knows four rows of bytes for each window; on
//! aarch64, every instruction has four bytes.

use super::{Build, Function, WINDOW};
use crate::elf::program::Program;
use std::collections::HashMap;

/// If a function is found at more places than this, its code is not enough to recognize it.
const MOST: usize = 16;
/// How often a function is compared at places with its key: a key that is everywhere shows nothing.
const TRIES: u32 = 1024;
/// How many bytes are compared in total: a thousand times musl's code.
const BUDGET: usize = 1 << 28;
/// Bits of a hash: a table of this size fits into the processor's first cache.
const BITS: u32 = 18;
/// The distance between the places that are looked at, in bytes.
const STEP: usize = 4;
/// How many bytes are read at each place.
const KEY: usize = 8;

const _: () = assert!(KEY + STEP - 1 == WINDOW);

/// The places of each function: by the position of its build, then by its own.
pub type Places = Vec<Vec<Vec<u64>>>;

/// A signature, with every function that has it.
struct Entry<'b> {
    function: &'b Function,
    /// The offset of the key in the function.
    at: usize,
    of: Vec<(usize, usize)>,
    /// How many more times it may be compared.
    tries: u32,
}

/// The functions that are searched for, by key.
#[derive(Default)]
struct Entries<'b>(HashMap<u64, Vec<Entry<'b>>>);

/// The hashes of all keys.
struct Filter(Box<[u64; 1 << (BITS - 6)]>);

/// Searches `program`'s code for every function of `builds` that has a window.
pub fn search(program: &Program<'_>, builds: &[&Build]) -> Places {
    let mut entries = Entries::default();
    for (number, build) in builds.iter().enumerate() {
        if build.architecture == program.architecture {
            entries.add(number, build);
        }
    }
    let mut filter = Filter(Box::new([0; 1 << (BITS - 6)]));
    entries.0.keys().for_each(|key| filter.add(*key));
    let empty = |build: &&Build| vec![Vec::new(); build.functions.len()];
    let mut places: Places = builds.iter().map(empty).collect();
    let mut budget = BUDGET;
    for (start, code) in program.code() {
        // The step counts from addresses in memory, not from places in the file.
        let skip = (start.wrapping_neg() % STEP as u64) as usize;
        let keys = code.get(skip..).unwrap_or_default();
        for (number, window) in keys.windows(KEY).step_by(STEP).enumerate() {
            let key = u64::from_le_bytes(window.try_into().unwrap_or_default());
            if !filter.has(key) {
                continue;
            }
            let Some(of_key) = entries.0.get_mut(&key) else {
                continue;
            };
            for entry in of_key.iter_mut() {
                entry.tries -= 1;
                let from = (skip + number * STEP).checked_sub(entry.at);
                let Some((from, code)) = from.and_then(|from| {
                    let end = from.saturating_add(entry.function.size as usize);
                    Some((from, code.get(from..end)?))
                }) else {
                    continue;
                };
                if budget < code.len() || !entry.function.has_window(code) {
                    continue;
                }
                budget -= code.len();
                if entry.function.is(code) {
                    for (number, position) in &entry.of {
                        places[*number][*position].push(start + from as u64);
                    }
                }
            }
            of_key.retain(|entry| entry.tries > 0);
        }
    }
    for of_function in places.iter_mut().flatten() {
        if of_function.len() > MOST {
            of_function.clear();
        }
    }
    places
}

impl<'b> Entries<'b> {
    fn add(&mut self, number: usize, build: &'b Build) {
        let phases = (STEP / build.architecture.facts().step).max(1);
        for (position, function) in build.functions.iter().enumerate() {
            let Some((at, bytes)) = &function.window else {
                continue;
            };
            for (phase, key) in bytes.windows(KEY).enumerate().take(phases) {
                let key = u64::from_le_bytes(key.try_into().unwrap_or_default());
                let at = *at as usize + phase;
                let same = self.0.entry(key).or_default();
                let is_same = |e: &&mut Entry<'_>| {
                    e.at == at
                        && e.function.size == function.size
                        && e.function.digest == function.digest
                };
                match same.iter_mut().find(is_same) {
                    Some(entry) => entry.of.push((number, position)),
                    None => same.push(Entry {
                        function,
                        at,
                        of: vec![(number, position)],
                        tries: TRIES,
                    }),
                }
            }
        }
    }
}

impl Filter {
    /// Two places: few keys that are not there have both. The upper bits of a product depend on all bits of the key.
    fn hash(key: u64) -> [usize; 2] {
        let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        [64 - BITS, 64 - 2 * BITS].map(|shift| (product >> shift) as usize & ((1 << BITS) - 1))
    }

    fn add(&mut self, key: u64) {
        for hash in Self::hash(key) {
            self.0[hash >> 6] |= 1 << (hash & 63);
        }
    }

    fn has(&self, key: u64) -> bool {
        let [one, other] = Self::hash(key);
        let has = |hash: usize| self.0[hash >> 6] >> (hash & 63) & 1 != 0;
        has(one) && has(other)
    }
}
