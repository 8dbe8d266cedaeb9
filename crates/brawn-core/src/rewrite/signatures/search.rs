//! Where the code of functions is in a program: one pass over its code for every build at once.

use super::{Build, Function, WINDOW};
use crate::rewrite::program::Program;
use std::collections::HashMap;

/// A function found at more places than this is none that its code tells.
const MOST: usize = 16;
/// Bits of a hash: a table of so many is small enough for the first cache.
const BITS: u32 = 18;

/// Where each function was found: by position of the build, then of the function.
pub type Places = Vec<Vec<Vec<u64>>>;

/// A signature with every function that has it.
struct Entry<'b> {
    function: &'b Function,
    at: u32,
    of: Vec<(usize, usize)>,
}

/// Searches `program`'s code for every function of `builds` that has a window.
pub fn search(program: &Program<'_>, builds: &[Build]) -> Places {
    let mut places: Places = builds
        .iter()
        .map(|b| vec![Vec::new(); b.functions.len()])
        .collect();
    let mut entries: HashMap<u64, Vec<Entry<'_>>> = HashMap::new();
    for (number, build) in builds.iter().enumerate() {
        if build.architecture != program.architecture {
            continue;
        }
        for (position, function) in build.functions.iter().enumerate() {
            let Some((at, bytes)) = function.window else {
                continue;
            };
            let same = entries.entry(u64::from_le_bytes(bytes)).or_default();
            let is_same = |e: &&mut Entry<'_>| (e.at, e.function.digest) == (at, function.digest);
            match same.iter_mut().find(is_same) {
                Some(entry) => entry.of.push((number, position)),
                None => same.push(Entry {
                    function,
                    at,
                    of: vec![(number, position)],
                }),
            }
        }
    }
    let mut filter = vec![0u64; 1 << (BITS - 6)];
    for key in entries.keys() {
        let hash = hash(*key);
        filter[hash >> 6] |= 1 << (hash & 63);
    }
    for (start, code) in program.code() {
        for (place, window) in code.windows(WINDOW).enumerate() {
            let key = u64::from_le_bytes(window.try_into().unwrap_or_default());
            let hash = hash(key);
            if filter[hash >> 6] >> (hash & 63) & 1 == 0 {
                continue;
            }
            for entry in entries.get(&key).into_iter().flatten() {
                let Some(from) = place.checked_sub(entry.at as usize) else {
                    continue;
                };
                let end = from.saturating_add(entry.function.size as usize);
                if code
                    .get(from..end)
                    .is_some_and(|code| entry.function.is(code))
                {
                    for (number, position) in &entry.of {
                        places[*number][*position].push(start + from as u64);
                    }
                }
            }
        }
    }
    for of_function in places.iter_mut().flatten() {
        if of_function.len() > MOST {
            of_function.clear();
        }
    }
    places
}

/// The upper bits of a product spread what a window's bytes differ in.
fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}
