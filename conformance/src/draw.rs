//! Chooses the trials that are enough: most trials repeat a case in surroundings that other trials cover together.
//!
//! The choice is small and covers this: every program runs at every place at least once; and every case runs by every
//! route, on every musl, with every link, and with every profile. It does not cover every combination of these. A run
//! on a heap that is not brawn's covers only its place and its route, since it shows nothing about brawn's heap.
//!
//! Under an emulator, where a trial takes ten times as long, each case runs once for each size of pages, not on each version
//! of musl. What differs between the versions is the same as on x86_64, where every case runs on each of them.
//!
//! C++ is left out on a musl that only its own zig can link: zig would compile its C++ library for two programs, which
//! takes minutes. So is a musl that repeats another one under an emulator.

use crate::musls::Musl;
use crate::place::Place;
use crate::trial::Trial;
use brawn_payload::{Architecture, Profile};
use brawn_verify::ways::{Libc, Link};
use std::collections::{BinaryHeap, HashSet};

/// What one trial covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Covered<'a> {
    Place(Place, &'a str),
    Route(Libc, &'a str, &'a str),
    Musl(Surroundings<'a>, &'a str, &'a str),
    Link(Link, &'a str, &'a str),
    Profile(Profile, &'a str, &'a str),
}

/// What a musl is for the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Surroundings<'a> {
    Distribution,
    Musl(&'a str),
    Emulated(Architecture, u32),
}

fn surroundings(musl: Option<&Musl>) -> Surroundings<'_> {
    match musl {
        None => Surroundings::Distribution,
        Some(musl) if musl.is_emulated() => {
            Surroundings::Emulated(musl.tools.architecture, musl.page())
        }
        Some(musl) => Surroundings::Musl(&musl.name),
    }
}

fn covered<'a>(trial: &Trial<'a>) -> Vec<Covered<'a>> {
    let (place, program) = (trial.place, trial.program.name.as_str());
    let case = trial.case.unwrap_or_default();
    let musl = surroundings(place.musl);
    let mut covered = vec![
        Covered::Place(place, program),
        Covered::Route(place.libc, program, case),
    ];
    if place.libc.is_brawns() {
        covered.extend([
            Covered::Musl(musl, program, case),
            Covered::Link(place.link, program, case),
            Covered::Profile(place.profile, program, case),
        ]);
    }
    covered
}

fn is_costly(trial: &Trial<'_>) -> bool {
    let is_costly = |musl: &Musl| trial.program.cxx && musl.link == Link::Zig || musl.repeats();
    trial.place.musl.is_some_and(is_costly)
}

/// For each of `trials`, whether it is chosen. The same list always gives the same choice. A trial that is declared as
/// not covered is kept: the runner lists it.
pub fn draw(trials: &[Trial<'_>]) -> Vec<bool> {
    let mut chosen: Vec<bool> = trials.iter().map(|t| t.not_covered().is_some()).collect();
    let candidates = (0..trials.len()).filter(|n| !chosen[*n] && !is_costly(&trials[*n]));
    let candidates: Vec<usize> = candidates.collect();
    let all = candidates.iter().flat_map(|n| covered(&trials[*n]));
    let mut open: HashSet<Covered<'_>> = all.collect();
    // Trials that would cover most come first; among equals, the first in the list. When a trial's turn comes, things
    // that others have covered meanwhile no longer count for it.
    let mut turns: BinaryHeap<(usize, std::cmp::Reverse<usize>)> = candidates
        .into_iter()
        .map(|n| (covered(&trials[n]).len(), std::cmp::Reverse(n)))
        .collect();
    while let Some((expected, std::cmp::Reverse(number))) = turns.pop() {
        let covers = covered(&trials[number]);
        let gain = covers.iter().filter(|c| open.contains(c)).count();
        match gain {
            0 => {}
            _ if gain < expected => turns.push((gain, std::cmp::Reverse(number))),
            _ => {
                chosen[number] = true;
                covers.iter().for_each(|c| {
                    open.remove(c);
                });
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::musls::matrix;
    use crate::trial::{programs, trials};

    #[test]
    fn what_is_left_out_is_covered_by_what_is_chosen() {
        let programs = programs().unwrap();
        let matrix: &'static _ = Box::leak(matrix().unwrap().into_boxed_slice());
        let all: Vec<_> = programs.iter().flat_map(|p| trials(p, matrix)).collect();
        let chosen = draw(&all);
        let is_real = |t: &&Trial<'_>| t.not_covered().is_none() && !is_costly(t);
        let every: HashSet<_> = all.iter().filter(is_real).flat_map(covered).collect();
        let kept = all.iter().zip(&chosen).filter(|(_, c)| **c).map(|(t, _)| t);
        let kept: Vec<_> = kept.filter(is_real).collect();
        let by_kept: HashSet<_> = kept.iter().flat_map(|t| covered(t)).collect();
        assert_eq!(by_kept, every);
        assert!(
            kept.len() < all.len() * 6 / 10,
            "{} of {}",
            kept.len(),
            all.len()
        );
    }
}
