//! The functions of libc beside heap and memory functions.
//!
//! Names such as `time` and `round` are anybody's, so a name alone does not tell.  A function is musl's if its code is
//! that of a build of musl that the database knows, with everything that it refers to where the program has it by that
//! name.  Of what is not known to be so, nothing is changed, and nothing here refuses a program.
//!
//! Locks stay: what a lock's state means is agreed on by many functions, some of which other code of musl's may have
//! inlined, and not all of which a program without symbols shows.

use super::code::Code;
use super::place;
use super::whole::Whole;
use super::{Functions, Left};
use crate::component::{Component, Families};
use crate::signatures::names::{Evidence, Named, Names};
use brawn_payload::{Function, Payload, Set};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The family whose functions stay.
const LOCKS: &str = "threads";

/// Functions that stay for a reason that is known already: by address.
pub type Stay = BTreeMap<u64, String>;

/// Finds those of `families`.  `has_memory` says whether brawn's memory functions come or are there, which many need.
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
    let mut named: HashMap<&str, Vec<&Named>> = HashMap::new();
    let surface: BTreeSet<&str> = set
        .functions
        .iter()
        .flat_map(|f| f.surface)
        .copied()
        .collect();
    for function in names
        .functions
        .iter()
        .filter(|n| surface.contains(n.name.as_str()))
    {
        named
            .entry(function.name.as_str())
            .or_default()
            .push(function);
    }
    let comes = set
        .functions
        .iter()
        .filter(|f| families.take(f) && f.family != LOCKS);
    for function in comes {
        let here = function.surface.iter().filter_map(|name| named.get(name));
        let here: Vec<&Named> = here.flatten().copied().collect();
        let here: Vec<&Named> = here
            .into_iter()
            .filter(|n| code.from(n.address).is_some())
            .collect();
        if here.is_empty() {
            continue;
        }
        // Another name for the same code is no other function.
        let is_musls = |named: &Named| {
            let mut known = here.iter().filter(|n| n.evidence != Evidence::Symbol);
            known.any(|n| n.address == named.address)
        };
        let lack = lack(set, function, names, has_memory, found);
        for named in &here {
            let why = match (&lack, stay.get(&named.address)) {
                (Some(why), _) | (None, Some(why)) => why.clone(),
                _ if !is_musls(named) => {
                    "its code is that of no build of musl that brawn knows".to_string()
                }
                _ => {
                    place::add(code, named, Component::Libc(families), found);
                    continue;
                }
            };
            found.left.push(Left {
                name: named.name.clone(),
                address: named.address,
                why,
            });
        }
    }
}

/// What the program lacks that brawn's function needs, in words; what it has of that is noted in `found`.
fn lack(
    set: &Set,
    function: &Function,
    names: &Names,
    has_memory: bool,
    found: &mut Functions,
) -> Option<String> {
    let mut all: Vec<&Function> = vec![function];
    let mut next = 0;
    while let Some(function) = all.get(next).copied() {
        next += 1;
        for need in function.needs {
            let Some(own) = set.functions.iter().find(|f| f.own.contains(need)) else {
                if has_memory {
                    continue;
                }
                return Some(format!(
                    "brawn's needs `{need}` of its memory functions, which do not come"
                ));
            };
            if !own.group.is_empty() {
                return Some(format!(
                    "brawn's needs `{need}`, which shares the state of others"
                ));
            }
            if !all.iter().any(|f| f.member.name == own.member.name) {
                all.push(own);
            }
        }
    }
    let mut host = BTreeMap::new();
    for name in all.iter().flat_map(|f| f.asks) {
        match place_of(names, name) {
            Some(address) => host.insert((*name).to_owned(), address),
            None => return Some(format!("brawn's needs `{name}`, which could not be found")),
        };
    }
    found.host.extend(host);
    None
}

/// Where that function or datum is, if there is one alone.
fn place_of(names: &Names, name: &str) -> Option<u64> {
    let all = names.functions.iter().chain(&names.objects);
    let mut places = all.filter(|n| n.name == name).map(|n| n.address);
    let first = places.next()?;
    places.all(|place| place == first).then_some(first)
}

/// All of them, which stay for that reason.
pub fn left(names: &Names, payload: &Payload, why: &str) -> Vec<Left> {
    let surface: BTreeSet<&str> = payload
        .libc
        .functions
        .iter()
        .flat_map(|f| f.surface)
        .copied()
        .collect();
    let named = names
        .functions
        .iter()
        .filter(|n| surface.contains(n.name.as_str()));
    let of_libc = named.filter(|n| n.evidence != Evidence::Symbol);
    of_libc
        .map(|n| Left {
            name: n.name.clone(),
            address: n.address,
            why: why.to_owned(),
        })
        .collect()
}
