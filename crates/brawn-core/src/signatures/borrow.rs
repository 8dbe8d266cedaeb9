//! Takes functions from other builds that the chosen build lacks. A build that was learnt from programs has only the
//! functions that those programs need, and another build may have the same code.
//!
//! A function of another build counts if the chosen build has no function of that name, its code is at exactly one
//! place, and everything that it refers to is where the chosen build says. If it refers to nothing, its place must be
//! among the others.

use super::search::Places;
use super::wanted::is_libc;
use super::{Build, operand};
use crate::elf::program::Program;
use crate::signatures::names::{Evidence, Named, Names};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Adds names that other builds give to `names`, which come from `chosen`.
pub fn borrow(
    program: &Program<'_>,
    builds: &[&Build],
    places: &Places,
    chosen: &Build,
    names: &mut Names,
) {
    let own: HashSet<&str> = chosen
        .functions
        .iter()
        .flat_map(|f| f.names.iter().chain(&f.weak))
        .map(|n| chosen.text(*n))
        .collect();
    let all = names.functions.iter().chain(&names.objects);
    let mut known: HashMap<String, u64> = all.map(|n| (n.name.clone(), n.address)).collect();
    let functions = || names.functions.iter();
    let mut taken: Vec<Range<u64>> = functions().map(|n| n.address..n.address + n.size).collect();
    let first = functions().map(|n| n.address).min();
    let last = functions().map(|n| n.address).max();
    let (Some(first), Some(last)) = (first, last) else {
        return;
    };
    let mut found: Vec<Named> = Vec::new();
    // Each function that is found may show where others are.
    loop {
        let before = found.len();
        for (build, places) in builds.iter().zip(places) {
            if build.architecture != program.architecture {
                continue;
            }
            for (function, places) in build.functions.iter().zip(places) {
                let texts = || function.names.iter().map(|n| build.text(*n));
                let [place] = places[..] else { continue };
                if !function.is_telling()
                    || texts().any(|n| own.contains(n) || n.starts_with('$') || is_libc(n))
                    || taken.iter().any(|t| t.contains(&place))
                {
                    continue;
                }
                let mut claims: Vec<(u32, u64)> =
                    function.names.iter().map(|n| (*n, place)).collect();
                operand::addresses(program, place, &function.operands, |name, address| {
                    claims.push((name, address));
                });
                let known_at = |name: u32| known.get(build.text(name)).copied();
                let is_wrong =
                    |(name, at): &(u32, u64)| known_at(*name).is_some_and(|known| known != *at);
                let is_right = |(name, at): &(u32, u64)| known_at(*name) == Some(*at);
                let refers = claims.len() > function.names.len();
                let is_told = match refers {
                    true => claims.iter().any(is_right),
                    false => (first..=last).contains(&place),
                };
                if !is_told || claims.iter().any(is_wrong) {
                    continue;
                }
                taken.push(place..place + u64::from(function.size));
                found.extend(texts().map(|name| Named {
                    name: name.to_owned(),
                    address: place,
                    size: u64::from(function.size),
                    evidence: Evidence::Signature(build.name.clone()),
                }));
                for (name, address) in claims {
                    known.entry(build.text(name).to_owned()).or_insert(address);
                }
            }
        }
        if found.len() == before {
            break;
        }
    }
    names.functions.extend(found);
    names
        .functions
        .sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
}
