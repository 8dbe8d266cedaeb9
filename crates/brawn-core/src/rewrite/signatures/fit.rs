//! Which build it is, and which of the places found are its functions: those that agree with each other.
//!
//! Every function that is found says where it is, and where everything is that it refers to.  A name has one
//! address; functions that say otherwise than the most are none.  What is then known finds the rest: functions
//! that are too short to be searched for, by what refers to them or by what they jump to.

use super::borrow::borrow;
use super::operand::{self, Form};
use super::search::Places;
use super::{Build, Function, half};
use crate::rewrite::find;
use crate::rewrite::names::{Evidence, Named, Names};
use crate::rewrite::program::Program;
use brawn_payload::Architecture;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// A function with so many bytes that are the same in every program is told by them amid others of its build.
const ENOUGH: u32 = 16;

/// An empty function has no more bytes than this, with what stands before its return.
const EMPTY: u64 = 12;
/// What a linker may put between two functions for alignment.
const GAP: u64 = 16;
/// How far in bytes a function may be from those that are known.
const NEAR: u64 = 1 << 16;

/// How a function's place is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// By its code.
    Code,
    /// By what refers to it, or by what it refers to.
    Reference,
}

struct Fit<'b, 'p, 'a> {
    program: &'p Program<'a>,
    build: &'b Build,
    /// Where each function is.
    places: Vec<Option<(u64, How)>>,
    /// Where each name is.
    known: HashMap<u32, u64>,
}

/// The names of the build that fits best; none, if none does.
pub fn fit(program: &Program<'_>, builds: &[&Build], all: &Places) -> Names {
    // Of equals the first.
    let mut best: Option<(u64, Fit<'_, '_, '_>, &[Vec<u64>])> = None;
    for (build, places) in builds.iter().copied().zip(all) {
        let mut fit = Fit {
            program,
            build,
            places: vec![None; build.functions.len()],
            known: HashMap::new(),
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

/// Where every static program of musl begins.  Small functions such as `strdup` may have the same code in other libcs.
const START: [&str; 3] = ["__init_libc", "__libc_start_main", "__init_tls"];

impl Fit<'_, '_, '_> {
    /// Whether the program begins as those of this build.
    fn begins(&self) -> bool {
        let placed = self.build.functions.iter().zip(&self.places);
        let mut told = placed.filter(|(_, place)| matches!(place, Some((_, How::Code))));
        told.any(|(function, _)| {
            let mut names = function.names.iter().map(|n| self.build.text(*n));
            names.any(|name| START.contains(&name))
        })
    }

    /// Functions with the same code, as `calloc` and `__libc_calloc`, which are not told by it.
    fn twins(&self) -> Vec<Vec<usize>> {
        let mut twins: HashMap<[u8; 16], Vec<usize>> = HashMap::new();
        for (number, function) in self.build.functions.iter().enumerate() {
            twins.entry(function.digest).or_default().push(number);
        }
        let mut twins: Vec<Vec<usize>> = twins.into_values().collect();
        twins.sort_unstable();
        twins
    }

    /// What stands at one place, and is long enough to be told by its code.
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

    /// What is now known tells among several places, and finds what is short; which may tell more.
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
            if self.placed() == before {
                break;
            }
        }
    }

    fn placed(&self) -> usize {
        self.places.iter().flatten().count()
    }

    /// Where each name is, by the functions `found`; those that contradict the most are taken out.  `None` if the
    /// constants are not what they are in this build.
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

    /// Whether a name may be at two places: where one of them is an empty function.
    ///
    /// A build that is learnt from a program has one name for all that was at one address there.  Empty functions are
    /// often at one: musl defines many names by a weak one that does nothing, each of which another member may define
    /// for good, and linkers fold what has the same code.  In the next program they are apart.
    fn may_differ(&self, one: u64, other: u64) -> bool {
        let is_empty = |address: u64| {
            let mut loads = self.program.loads().filter(|s| s.is_code());
            let load = loads.find(|s| s.filled().contains(&address));
            let room = load.map_or(0, |s| s.filled().end - address);
            let code = self.program.at(address, room.min(EMPTY));
            code.is_some_and(|code| find::is_empty(self.program.architecture, code))
        };
        is_empty(one) || is_empty(other)
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

    /// What function `number` at `place` says of where names are, each once; twice where it contradicts itself.
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

    /// How many names function `number` at `place` says are where they are known to be; `None` if it contradicts.
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

    /// Of the functions `numbers`, which have the same code, and the places where it stands: those pairs that are
    /// confirmed by what is known.
    fn choose(&mut self, numbers: &[usize], places: &[u64]) {
        let Some((numbers, places)) = self.left(numbers, places) else {
            return;
        };
        let function = &self.build.functions[numbers[0]];
        // One that is long enough needs no more than to stand alone, once everything else is known.
        let needed = usize::from(!(function.is_telling() && places.len() <= numbers.len()));
        self.pair(&numbers, &places, needed, How::Code);
    }

    /// Which of `numbers` have no place yet, and which of `places` are in no function; `None` if there are none of either.
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

    /// Gives each of the functions the place that confirms it by the most names, at least so many; where that does
    /// not tell, those of one object stand in their order.
    fn pair(&mut self, numbers: &[usize], places: &[u64], needed: usize, how: How) {
        let mut numbers = numbers.to_vec();
        let mut places = places.to_vec();
        loop {
            let scores = |n: &usize| -> Vec<_> {
                places
                    .iter()
                    .map(|place| self.confirmed(*n, *place))
                    .collect()
            };
            let scores: Vec<Vec<Option<usize>>> = numbers.iter().map(scores).collect();
            let Some(best) = scores.iter().flatten().flatten().max().copied() else {
                return;
            };
            let is_best = |(row, column): &(usize, usize)| scores[*row][*column] == Some(best);
            let all = (0..numbers.len())
                .flat_map(|row| (0..places.len()).map(move |column| (row, column)));
            let pairs: Vec<(usize, usize)> = all.filter(is_best).collect();
            let is_told = pairs.len() == 1 || places.len() == 1;
            if best < needed || !(is_told || numbers.len() == places.len()) {
                return;
            }
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

    /// A function that others refer to, if what is there is its code.
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

    /// From the first to the last of the functions that were found.
    fn span(&self) -> RangeInclusive<u64> {
        let found = || self.places.iter().flatten().map(|(at, _)| *at);
        found().min().unwrap_or(u64::MAX)..=found().max().unwrap_or(0)
    }

    /// Functions of some length that nothing confirms: where they stand alone, amid the others.
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

    /// Functions too short to be searched for that call or jump to a known one (`free` to `__libc_free`): wherever
    /// their code stands about such a jump.
    fn calls(&mut self, twins: &[Vec<usize>]) {
        // By where they jump to: functions with one code, and how far into them the jump is.
        let mut wanted: HashMap<u64, Vec<(u64, Vec<usize>)>> = HashMap::new();
        for numbers in twins {
            let mut groups: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
            for number in numbers.iter().filter(|n| self.places[**n].is_none()) {
                if let Some(call) = self.call(&self.build.functions[*number]) {
                    groups.entry(call).or_default().push(*number);
                }
            }
            for ((at, to), numbers) in groups {
                wanted.entry(to).or_default().push((at, numbers));
            }
        }
        if wanted.is_empty() {
            return;
        }
        // They stand amid the others, or near.
        let span = self.span();
        let span = span.start().saturating_sub(NEAR)..=span.end().saturating_add(NEAR);
        let mut candidates: HashMap<&[usize], Vec<u64>> = HashMap::new();
        self.branches(&span, |at, to| {
            for (inside, numbers) in wanted.get(&to).into_iter().flatten() {
                let function = &self.build.functions[numbers[0]];
                if let Some(start) = at.checked_sub(*inside)
                    && self.is_code_at(function, start)
                {
                    candidates.entry(numbers).or_default().push(start);
                }
            }
        });
        let mut candidates: Vec<_> = candidates.into_iter().collect();
        candidates.sort_unstable();
        let mut called: Option<HashMap<u64, bool>> = None;
        for (numbers, places) in &candidates {
            let Some((numbers, mut places)) = self.left(numbers, places) else {
                continue;
            };
            // A jump in the midst of another function is called by nobody.
            let size = u64::from(self.build.functions[numbers[0]].size);
            if places.len() > numbers.len() || !places.iter().all(|at| self.is_beside(*at, size)) {
                let called = called.get_or_insert_with(|| {
                    let all = candidates.iter().flat_map(|(_, places)| places);
                    let mut called: HashMap<u64, bool> = all.map(|at| (*at, false)).collect();
                    self.branches(&(0..=u64::MAX), |_, to| {
                        if let Some(called) = called.get_mut(&to) {
                            *called = true;
                        }
                    });
                    called
                });
                places.retain(|place| called[place]);
            }
            self.pair(&numbers, &places, 1, How::Reference);
        }
    }

    /// Whether what is at `place` stands next to a function that was found, but for alignment.
    fn is_beside(&self, place: u64, size: u64) -> bool {
        let placed = self.build.functions.iter().zip(&self.places);
        let mut placed =
            placed.filter_map(|(f, at)| at.map(|(at, _)| (at, at + u64::from(f.size))));
        placed.any(|(from, to)| {
            (to..=to + GAP).contains(&place) || (place + size..=place + size + GAP).contains(&from)
        })
    }

    /// The first call or jump to a known place in a function that is not searched for: where its operand is in the
    /// function, and where it goes.
    fn call(&self, function: &Function) -> Option<(u64, u64)> {
        if function.window.is_some() {
            return None;
        }
        let calls = function.operands.iter().filter(|o| {
            let addend = o.target.map(|t| t.addend);
            o.form == Form::Branch && addend == Some(0)
                || o.form == Form::Distance && addend == Some(-4)
        });
        let mut known =
            calls.filter_map(|o| Some((u64::from(o.at), *self.known.get(&o.target?.name)?)));
        known.next()
    }

    /// Calls `found` with every direct call and jump of the program's code in `span`: the place of its operand, and
    /// where it goes.
    fn branches(&self, span: &RangeInclusive<u64>, mut found: impl FnMut(u64, u64)) {
        for (start, code) in self.program.code() {
            let from = span.start().saturating_sub(start).next_multiple_of(4);
            let to = span.end().saturating_sub(start).saturating_add(16);
            let to = usize::try_from(to).unwrap_or(usize::MAX).min(code.len());
            let Some(code) = usize::try_from(from)
                .ok()
                .and_then(|from| code.get(from..to))
            else {
                continue;
            };
            let start = start + from;
            match self.program.architecture {
                Architecture::X86_64 => {
                    for place in memchr::memchr2_iter(0xe8, 0xe9, code) {
                        let operand = code.get(place + 1..).and_then(|rest| rest.first_chunk());
                        let Some(operand) = operand else { continue };
                        let at = start + place as u64 + 1;
                        let distance = i64::from(i32::from_le_bytes(*operand)) + 4;
                        found(at, at.wrapping_add_signed(distance));
                    }
                }
                Architecture::Aarch64 => {
                    let (words, _) = code.as_chunks::<4>();
                    for (number, word) in words.iter().enumerate() {
                        let at = start + number as u64 * 4;
                        if let Some(to) = operand::branch(u32::from_le_bytes(*word), at) {
                            found(at, to);
                        }
                    }
                }
            }
        }
    }

    /// How many bytes of code are this build's.
    fn weight(&self) -> u64 {
        let placed = self.build.functions.iter().zip(&self.places);
        let placed = placed.filter(|(_, place)| place.is_some());
        placed
            .map(|(function, _)| u64::from(function.fixed()))
            .sum()
    }

    fn names(&self) -> Names {
        let mut names = Names::default();
        let text = |name: u32| self.build.text(name).to_owned();
        let evidence = |how| match how {
            How::Code => Evidence::Signature(self.build.name.clone()),
            How::Reference => Evidence::Reference(self.build.name.clone()),
        };
        for (function, place) in self.build.functions.iter().zip(&self.places) {
            let Some((address, how)) = *place else {
                continue;
            };
            let is_here = |name: &&u32| self.known.get(name) == Some(&address);
            for name in function
                .names
                .iter()
                .chain(function.weak.iter().filter(is_here))
            {
                names.functions.push(Named {
                    name: text(*name),
                    address,
                    size: u64::from(function.size),
                    evidence: evidence(how),
                });
            }
        }
        let is_code = |address: u64| {
            self.program
                .loads()
                .any(|s| s.is_code() && s.addresses().contains(&address))
        };
        let is_loaded = |address: u64| {
            self.program
                .loads()
                .any(|s| s.addresses().contains(&address))
        };
        for (name, address) in &self.known {
            if is_loaded(*address) && !is_code(*address) {
                let constants = &self.build.constants;
                let size = constants
                    .iter()
                    .find(|c| c.name == *name)
                    .map_or(0, |c| c.size);
                names.objects.push(Named {
                    name: text(*name),
                    address: *address,
                    size: u64::from(size),
                    evidence: evidence(How::Reference),
                });
            }
        }
        let order = |a: &Named, b: &Named| (a.address, &a.name).cmp(&(b.address, &b.name));
        names.functions.sort_by(order);
        names
            .functions
            .dedup_by(|a, b| (a.address, &a.name) == (b.address, &b.name));
        names.objects.sort_by(order);
        names
    }
}
