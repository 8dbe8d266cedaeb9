//! Finds functions of libc other than the heap and the memory functions.
//!
//! Any program may have functions with names such as `time` and `round`, so a name alone is not enough. A function is
//! musl's if its code is that of a build in the database, and everything that it refers to is where the program has
//! these names. Functions that are not recognized stay as they are; that is never a reason to refuse a program.
//!
//! The functions of a group share state, for example a lock's. They are replaced together, and only if the program's symbols
//! show that brawn knows all of them. Without symbols, the program may have one more, so all of them stay.

use super::code::Code;
use super::place;
use super::whole::Whole;
use super::{Functions, Left};
use crate::component::{Component, Families};
use crate::signatures::names::{Evidence, Named, Names};
use brawn_payload::{Function, Payload, Set};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Where musl's programs begin.
const START: [&str; 2] = ["__libc_start_main", "__init_libc"];
/// What is said of a function that may be anybody's.
const UNKNOWN: &str = "its code is not from a build of musl that brawn knows";

/// Functions that stay for a known reason, by address.
pub type Stay = BTreeMap<u64, String>;

/// One of brawn's functions, with what the program has by its names.
struct Candidate<'n> {
    function: &'static Function,
    here: Vec<&'n Named>,
    /// Why none of that goes.
    lack: Option<String>,
}

impl Candidate<'_> {
    /// Whether its code is musl's.  Another name for the same code is no other function.
    fn is_musls(&self, named: &Named) -> bool {
        let mut known = self.here.iter().filter(|n| n.evidence != Evidence::Symbol);
        known.any(|n| n.address == named.address)
    }

    /// Why that stays, if it does.
    fn why(&self, named: &Named, stay: &Stay) -> Option<String> {
        let known = || self.lack.as_ref().or(stay.get(&named.address)).cloned();
        let strange = || UNKNOWN.to_owned();
        known().or_else(|| (!self.is_musls(named)).then(strange))
    }
}

/// Where the program has what brawn's functions may ask for, by name.
struct Places<'n> {
    /// The address; `None` for a name at several places.
    all: HashMap<&'n str, Option<u64>>,
    /// Names of data.
    data: HashSet<&'n str>,
}

impl<'n> Places<'n> {
    fn of(names: &'n Names, set: &Set) -> Self {
        let functions = set.functions.iter();
        let asked: HashSet<&str> = functions
            .flat_map(|f| f.asks.iter().chain(f.surface).copied())
            .collect();
        let is_asked = |named: &&Named| asked.contains(named.name.as_str());
        let mut all = HashMap::new();
        let named = names.functions.iter().chain(&names.objects);
        for named in named.filter(is_asked) {
            let place = all.entry(&*named.name).or_insert(Some(named.address));
            *place = place.filter(|address| *address == named.address);
        }
        let data = names.objects.iter().filter(is_asked).map(|n| &*n.name);
        Self {
            all,
            data: data.collect(),
        }
    }

    /// The address of that function or datum, if there is exactly one.
    fn place(&self, name: &str) -> Option<u64> {
        self.all.get(name).copied().flatten()
    }
}

/// Finds the functions of `families`. `has_memory`: whether brawn's memory functions, which many of them need, are added or already there.
pub fn find(
    whole: &Whole<'_, '_>,
    code: &Code<'_>,
    names: &Names,
    families: Families,
    has_memory: bool,
    stay: &Stay,
    found: &mut Functions,
) {
    let set = whole.payload.libc;
    let surface: BTreeSet<&str> = set.surface().collect();
    let mut named: HashMap<&str, Vec<&Named>> = HashMap::new();
    for function in &names.functions {
        let is_there = code.from(function.address).is_some();
        if is_there && surface.contains(function.name.as_str()) {
            named.entry(&function.name).or_default().push(function);
        }
    }
    let places = Places::of(names, set);
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for function in set.functions.iter().filter(|f| families.take(f)) {
        let here = function.surface.iter().filter_map(|name| named.get(name));
        let here: Vec<&Named> = here.flatten().copied().collect();
        if !here.is_empty() {
            let lack = lack(set, function, &places, has_memory, found);
            candidates.push(Candidate {
                function,
                here,
                lack,
            });
        }
    }
    whole_groups(code, names, stay, &mut candidates);
    for candidate in &candidates {
        for named in &candidate.here {
            match candidate.why(named, stay) {
                None => place::add(code, named, Component::Libc(families), found),
                Some(why) => {
                    let left = Left::new(&named.name, named.address, why);
                    found.left.push(left);
                }
            }
        }
    }
}

/// Makes all functions of a group stay if one of them stays, or if brawn cannot see whether it knows all of them.
fn whole_groups(code: &Code<'_>, names: &Names, stay: &Stay, candidates: &mut [Candidate<'_>]) {
    let mut start = START.iter().filter_map(|name| names.function(name));
    let has_symbols = start
        .next_back()
        .is_some_and(|n| n.evidence == Evidence::Symbol);
    let mut broken: BTreeMap<&str, String> = BTreeMap::new();
    for candidate in candidates.iter().filter(|c| !c.function.group.is_empty()) {
        let stays = |n: &&Named| {
            let is_short = code.extent(n).end < n.address + code.jump();
            let short = is_short.then(|| "it is too short for a jump".to_owned());
            let why = candidate.why(n, stay).or(short)?;
            Some(format!(
                "it is replaced only together with `{}`, which stays: {why}",
                n.name
            ))
        };
        let unseen = || {
            let text =
                "without symbols, brawn cannot see whether it knows all functions of the group";
            (!has_symbols).then(|| text.to_owned())
        };
        if let Some(why) = unseen().or_else(|| candidate.here.iter().find_map(stays)) {
            broken.entry(candidate.function.group).or_insert(why);
        }
    }
    for candidate in candidates {
        let why = broken.get(candidate.function.group);
        candidate.lack = why.cloned().or(candidate.lack.take());
    }
}

/// What brawn's function needs and the program lacks, in words. Names that the program has are noted in `found`.
fn lack(
    set: &'static Set,
    function: &'static Function,
    places: &Places<'_>,
    has_memory: bool,
    found: &mut Functions,
) -> Option<String> {
    let is_data = |name: &&&str| places.data.contains(**name);
    if let Some(name) = function.surface.iter().find(is_data) {
        return Some(format!(
            "brawn's version brings `{name}`, and the program has its own `{name}`"
        ));
    }
    let all = set.with_needs(function);
    if let Some(other) = all.iter().find(|f| f.has_data) {
        let name = other.surface.first().unwrap_or(&other.member.name);
        return Some(format!(
            "brawn's has its own `{name}`, which the program's other functions do not see"
        ));
    }
    let is_own = |need: &str| set.functions.iter().any(|f| f.own.contains(&need));
    let mut needs = all.iter().flat_map(|f| f.needs);
    if let Some(need) = needs.find(|need| !has_memory && !is_own(need)) {
        return Some(format!(
            "brawn's needs `{need}` of its memory functions, which is not added"
        ));
    }
    let is_other = |f: &&&Function| !f.group.is_empty() && f.group != function.group;
    if let Some(other) = all.iter().find(is_other) {
        let name = other.own.first().unwrap_or(&other.member.name);
        return Some(format!(
            "brawn's needs `{name}`, which shares the state of others"
        ));
    }
    let mut host = BTreeMap::new();
    for name in all.iter().flat_map(|f| f.asks) {
        match places.place(name) {
            Some(address) => host.insert((*name).to_owned(), address),
            None => return Some(format!("brawn's needs `{name}`, which could not be found")),
        };
    }
    found.host.extend(host);
    None
}

/// All functions of libc, which stay for the reason `why`.
pub fn left(names: &Names, payload: &Payload, why: &str) -> Vec<Left> {
    let surface: BTreeSet<&str> = payload.libc.surface().collect();
    let functions = names.functions.iter();
    let named = functions.filter(|n| surface.contains(n.name.as_str()));
    let of_libc = named.filter(|n| n.evidence != Evidence::Symbol);
    let left = of_libc.map(|n| Left::new(&n.name, n.address, why));
    left.collect()
}
