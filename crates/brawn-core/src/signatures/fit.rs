//! Finds the right build, and decides which of the places found are its functions: places that agree with each other.
//!
//! Every function that is found says where it is, and where everything is that it refers to. A name has one address.
//! If functions disagree about an address, the majority is right, and the others are dropped. The known names then
//! help to find functions that are too short to be searched for: by functions that refer to them, or by their own
//! jumps.

mod calls;
mod told;

use super::borrow::borrow;
use super::operand;
use super::search::Places;
use super::{Build, Function, half};
use crate::elf::program::Program;
use crate::signatures::names::{Names, START};
use calls::Called;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// If this many of a function's bytes are the same in every program, its code is enough to recognize it among other
/// functions of its build.
const ENOUGH: u32 = 16;

/// The largest size of an empty function in bytes, including everything before its return.
const EMPTY: u64 = 12;

/// How a function's place is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// By its code.
    Code,
    /// By functions that refer to it, or by names that it refers to.
    Reference,
}

struct Fit<'b, 'p, 'a> {
    program: &'p Program<'a>,
    build: &'b Build,
    /// The place of each function.
    places: Vec<Option<(u64, How)>>,
    /// The address of each name.
    known: HashMap<u32, u64>,
    /// Where branches lead, once that was asked.
    called: OnceCell<Called>,
}

/// The names from the build that fits best; empty if no build fits.
pub fn fit(program: &Program<'_>, builds: &[&Build], all: &Places) -> Names {
    // Among equally good builds, the first.
    let mut best: Option<(u64, Fit<'_, '_, '_>, &[Vec<u64>])> = None;
    for (build, places) in builds.iter().copied().zip(all) {
        let mut fit = Fit {
            program,
            build,
            places: vec![None; build.functions.len()],
            known: HashMap::new(),
            called: OnceCell::new(),
        };
        fit.begin(places);
        let weight = fit.weight();
        if weight > best.as_ref().map_or(0, |(most, ..)| *most) {
            best = Some((weight, fit, places));
        }
    }
    let Some((_, mut fit, places)) = best else {
        return Names::default();
    };
    fit.finish(places);
    if !fit.begins() {
        return Names::default();
    }
    let mut names = fit.names();
    borrow(program, builds, all, fit.build, &mut names);
    names
}

impl Fit<'_, '_, '_> {
    /// Whether the program begins like programs of this build.
    fn begins(&self) -> bool {
        let placed = self.build.functions.iter().zip(&self.places);
        let mut told = placed.filter(|(_, place)| matches!(place, Some((_, How::Code))));
        told.any(|(function, _)| {
            let mut names = function.names.iter().map(|n| self.build.text(*n));
            names.any(|name| START.contains(&name))
        })
    }

    /// Groups of functions with the same code, such as `calloc` and `__libc_calloc`: code alone cannot tell them
    /// apart.
    fn twins(&self) -> Vec<Vec<usize>> {
        let mut twins: HashMap<[u8; 16], Vec<usize>> = HashMap::new();
        for (number, function) in self.build.functions.iter().enumerate() {
            twins.entry(function.digest).or_default().push(number);
        }
        let mut twins: Vec<Vec<usize>> = twins.into_values().collect();
        twins.sort_unstable();
        twins
    }

    /// Begins with functions that were found at one place, and are long enough to be recognized by their code.
    fn begin(&mut self, places: &[Vec<u64>]) {
        let mut found: Vec<(usize, u64)> = Vec::new();
        for numbers in self.twins() {
            if let [number] = numbers[..]
                && let [place] = places[number][..]
                && self.build.functions[number].is_telling()
            {
                found.push((number, place));
            }
        }
        if let Some(known) = self.agree(&mut found) {
            self.known = known;
            for (number, place) in found {
                self.places[number] = Some((place, How::Code));
            }
        }
    }

    /// Uses the known names to choose among several places and to find short functions. Each result may help to find
    /// more.
    fn finish(&mut self, places: &[Vec<u64>]) {
        let twins = self.twins();
        loop {
            let before = self.placed();
            for numbers in &twins {
                self.choose(numbers, &places[numbers[0]]);
            }
            for number in 0..self.places.len() {
                self.follow(number);
            }
            if self.placed() == before {
                self.calls(&twins);
            }
            if self.placed() == before {
                self.neighbours(&twins, places);
            }
            if self.placed() == before && !self.give() {
                break;
            }
        }
    }

    /// Gives weak names that no other function took to the functions that have them: in a program that frees nothing,
    /// `__libc_malloc_impl` is `__simple_malloc`, and `malloc` is a jump there. Returns whether there was such a name.
    fn give(&mut self) -> bool {
        let before = self.known.len();
        for (function, place) in self.build.functions.iter().zip(&self.places) {
            if let Some((address, How::Code)) = place
                && function.is_telling()
            {
                for name in &function.weak {
                    self.known.entry(*name).or_insert(*address);
                }
            }
        }
        self.known.len() > before
    }

    fn placed(&self) -> usize {
        self.places.iter().flatten().count()
    }

    /// The address of each name, by the functions `found`. Functions that contradict the majority are removed from
    /// `found`. `None` if the constants differ from this build's.
    fn agree(&self, found: &mut Vec<(usize, u64)>) -> Option<HashMap<u32, u64>> {
        loop {
            let mut votes: HashMap<u32, HashMap<u64, u64>> = HashMap::new();
            for (number, place) in found.iter() {
                let weight = u64::from(self.build.functions[*number].fixed());
                for (name, address) in self.claims(*number, *place) {
                    *votes.entry(name).or_default().entry(address).or_default() += weight;
                }
            }
            let known: HashMap<u32, u64> = votes
                .iter()
                .filter_map(|(name, addresses)| {
                    let (address, most) = addresses.iter().max_by_key(|(_, votes)| **votes)?;
                    let is_only = addresses.values().filter(|votes| *votes == most).count() == 1;
                    is_only.then_some((*name, *address))
                })
                .collect();
            let before = found.len();
            found.retain(|(number, place)| {
                let claims = self.claims(*number, *place);
                claims.iter().all(|(name, address)| {
                    let at = known.get(name);
                    at == Some(address) || at.is_some_and(|at| self.may_differ(*at, *address))
                })
            });
            if found.len() == before {
                return self.constants_fit(&known).then_some(known);
            }
        }
    }

    /// Whether a name may be at both addresses: this is so if there is an empty function at one of them.
    ///
    /// A build that was learnt from a program has one name for everything that was at one address there. Empty
    /// functions often share an address: musl defines many names by a weak function that does nothing, which another
    /// member may replace; and linkers fold functions with the same code. In another program they may be apart.
    fn may_differ(&self, one: u64, other: u64) -> bool {
        self.is_empty(one) || self.is_empty(other)
    }

    /// Whether an empty function is there.
    fn is_empty(&self, address: u64) -> bool {
        let mut loads = self.program.loads().filter(|s| s.is_code());
        let load = loads.find(|s| s.filled().contains(&address));
        let room = load.map_or(0, |s| s.filled().end - address);
        let code = self.program.at(address, room.min(EMPTY));
        code.is_some_and(self.program.architecture.facts().is_stub)
    }

    fn constants_fit(&self, known: &HashMap<u32, u64>) -> bool {
        self.build.constants.iter().all(|constant| {
            let Some(address) = known.get(&constant.name) else {
                return true;
            };
            let bytes = self.program.at(*address, u64::from(constant.size));
            bytes.is_some_and(|bytes| half(bytes) == constant.digest)
        })
    }

    /// The addresses of names that follow from function `number` at `place`. Each name is there once; twice if the
    /// function contradicts itself.
    fn claims(&self, number: usize, place: u64) -> Vec<(u32, u64)> {
        let function = &self.build.functions[number];
        let mut claims: Vec<(u32, u64)> =
            function.names.iter().map(|name| (*name, place)).collect();
        operand::addresses(self.program, place, &function.operands, |name, address| {
            claims.push((name, address));
        });
        claims.sort_unstable();
        claims.dedup();
        claims
    }

    /// How many names function `number` at `place` confirms at their known addresses; `None` if it contradicts one.
    fn confirmed(&self, number: usize, place: u64) -> Option<usize> {
        let mut confirmed = 0;
        for (name, address) in self.claims(number, place) {
            match self.known.get(&name) {
                Some(known) if *known == address => confirmed += 1,
                Some(known) if self.may_differ(*known, address) => {}
                Some(_) => return None,
                None => {}
            }
        }
        Some(confirmed)
    }

    fn is_code_at(&self, function: &Function, place: u64) -> bool {
        let code = self.program.at(place, u64::from(function.size));
        code.is_some_and(|code| function.is(code))
    }

    fn place(&mut self, number: usize, place: u64, how: How) {
        self.places[number] = Some((place, how));
        for (name, address) in self.claims(number, place) {
            self.known.entry(name).or_insert(address);
        }
    }

    /// Whether everything that function `number` at `place` refers to has its code there, as far as the build has code
    /// of it. An empty function may stand for any.
    fn refers_to_its_own(&self, number: usize, place: u64) -> bool {
        let own = &self.build.functions[number].names;
        self.claims(number, place).iter().all(|(name, address)| {
            let functions = self.build.functions.iter();
            let mut functions =
                functions.filter(|f| f.names.contains(name) || f.weak.contains(name));
            own.contains(name)
                || functions.clone().next().is_none()
                || functions.any(|f| self.is_code_at(f, *address))
                || self.is_empty(*address)
        })
    }

    /// The functions `numbers` have the same code, which is at `places`. Pairs them if the known names confirm a
    /// pair.
    fn choose(&mut self, numbers: &[usize], places: &[u64]) {
        let Some((numbers, places)) = self.left(numbers, places) else {
            return;
        };
        let function = &self.build.functions[numbers[0]];
        // A long function needs no confirmation if there are no more places than functions.
        let needed = usize::from(!(function.is_telling() && places.len() <= numbers.len()));
        self.pair(&numbers, &places, needed, How::Code);
    }

    /// Those of `numbers` without a place, and those of `places` that are in no function yet; `None` if either is
    /// empty.
    fn left(&self, numbers: &[usize], places: &[u64]) -> Option<(Vec<usize>, Vec<u64>)> {
        let mut numbers = numbers.to_vec();
        numbers.retain(|n| self.places[*n].is_none());
        let mut places = places.to_vec();
        places.sort_unstable();
        places.dedup();
        let placed = self.build.functions.iter().zip(&self.places);
        let placed =
            placed.filter_map(|(f, place)| place.map(|(at, _)| at..at + u64::from(f.size)));
        let placed: Vec<_> = placed.collect();
        places.retain(|place| placed.iter().all(|taken| !taken.contains(place)));
        (!numbers.is_empty() && !places.is_empty()).then_some((numbers, places))
    }

    /// Gives each function the place that confirms it by the most names, with at least `needed` of them. If that is
    /// not decisive, functions of one object keep their order.
    fn pair(&mut self, numbers: &[usize], places: &[u64], needed: usize, how: How) {
        let mut numbers = numbers.to_vec();
        let mut places = places.to_vec();
        let is_one = numbers.len() == 1;
        loop {
            let score = |number, place| {
                let fits = is_one || self.refers_to_its_own(number, place);
                self.confirmed(number, place).filter(|_| fits)
            };
            let scores =
                |n: &usize| -> Vec<_> { places.iter().map(|place| score(*n, *place)).collect() };
            let scores: Vec<Vec<Option<usize>>> = numbers.iter().map(scores).collect();
            let Some(best) = scores.iter().flatten().flatten().max().copied() else {
                return;
            };
            let is_best = |(row, column): &(usize, usize)| scores[*row][*column] == Some(best);
            let all = (0..numbers.len())
                .flat_map(|row| (0..places.len()).map(move |column| (row, column)));
            let pairs: Vec<(usize, usize)> = all.filter(is_best).collect();
            let is_told = pairs.len() == 1 || places.len() == 1;
            // Of the functions that pass on to others each has one place that fits, and is the only one that fits there.
            let fits = |row: &Vec<Option<usize>>| row.iter().flatten().count();
            let is_alone = |(row, column): &&(usize, usize)| {
                let others = scores.iter().filter(|row| row[*column].is_some());
                fits(&scores[*row]) == 1 && others.count() == 1
            };
            let alone = pairs.iter().find(is_alone).copied();
            let is_told = is_told || numbers.len() == places.len();
            if best < needed || !(is_told || alone.is_some()) {
                return;
            }
            let pairs = match alone {
                Some(alone) if !is_told => vec![alone],
                _ => pairs,
            };
            // Of several functions for one place the public one.
            let is_own = |row: usize| {
                self.build.functions[row]
                    .names
                    .iter()
                    .all(|n| self.build.text(*n).starts_with('_'))
            };
            let Some((row, column)) = pairs.into_iter().min_by_key(|(row, column)| {
                (places.len() == 1 && is_own(numbers[*row]), *row, *column)
            }) else {
                return;
            };
            self.place(numbers.remove(row), places.remove(column), how);
            if numbers.is_empty() || places.is_empty() {
                return;
            }
        }
    }

    /// Finds a function that others refer to, if its code is at that address.
    fn follow(&mut self, number: usize) {
        let function = &self.build.functions[number];
        if self.places[number].is_some() {
            return;
        }
        let names = function.names.iter().chain(&function.weak);
        let Some(place) = names.filter_map(|n| self.known.get(n)).next().copied() else {
            return;
        };
        if self.is_code_at(function, place) && self.confirmed(number, place).is_some() {
            self.place(number, place, How::Reference);
        }
    }

    /// The range from the first to the last function that was found.
    fn span(&self) -> RangeInclusive<u64> {
        let found = || self.places.iter().flatten().map(|(at, _)| *at);
        found().min().unwrap_or(u64::MAX)..=found().max().unwrap_or(0)
    }

    /// Functions of some length that nothing confirms: they count if their code is at one place only, among the
    /// others.
    fn neighbours(&mut self, twins: &[Vec<usize>], places: &[Vec<u64>]) {
        let span = self.span();
        for numbers in twins {
            let Some((numbers, places)) = self.left(numbers, &places[numbers[0]]) else {
                continue;
            };
            if self.build.functions[numbers[0]].fixed() >= ENOUGH
                && let ([_], [place]) = (&numbers[..], &places[..])
                && span.contains(place)
            {
                self.pair(&numbers, &places, 0, How::Code);
            }
        }
    }

    /// How many bytes of code come from this build.
    fn weight(&self) -> u64 {
        let placed = self.build.functions.iter().zip(&self.places);
        let placed = placed.filter(|(_, place)| place.is_some());
        placed
            .map(|(function, _)| u64::from(function.fixed()))
            .sum()
    }
}
