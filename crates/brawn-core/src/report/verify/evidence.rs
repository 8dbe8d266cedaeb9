//! Finds out where a function comes from.

use super::code::{Located, Match, Whereabouts};
use super::{Function, Group, Provider};
use crate::archive::mimalloc;
use crate::elf::image::{Image, Symbol, SymbolKind};
use crate::identify::heap::{self, Heap, Sure};
use crate::identify::reach::refers_to;
use crate::identify::rewritten::Rewritten;
use crate::identify::{INTERNAL, MEMORY_OWN, Memory, PRIVATE, is_libcs, is_public, is_surface};
use crate::report::inspect;
use crate::signatures::names::{Evidence as KnownBy, Names};
use crate::work::Ranges;
use std::collections::HashSet;

/// The evidence in an executable.
pub(super) struct Evidence<'e, 'a> {
    pub(super) image: &'e Image<'a>,
    pub(super) found: &'e inspect::Inspection,
    /// The heap's code that was found in it.
    pub(super) located: Option<Located<'e>>,
    /// The memory functions' code that was found in it.
    pub(super) memory: Option<Located<'e>>,
    /// The other functions' code that was found in it.
    pub(super) others: Option<Located<'e>>,
    /// The places of functions that have one of brawn's own names.
    pub(super) own_places: HashSet<(usize, u64)>,
    /// The memory functions that also have one of brawn's names.
    pub(super) memory_names: Vec<&'static str>,
    /// The payload, if it was added to the finished executable.
    pub(super) rewritten: Option<Rewritten>,
    /// Whether its note names a payload that this brawn does not have.
    pub(super) is_other: bool,
    /// For a program without symbols: musl's functions, found by their code.
    pub(super) names: Names,
    /// The address where musl's functions begin. Linkers keep an archive's members together, and libc.a comes last.
    pub(super) libc: Option<u64>,
}

impl Evidence<'_, '_> {
    pub(super) fn function(&self, name: &'static str, group: Group) -> Function {
        let (provider, sure, address, evidence) = if self.image.has_symbol_table {
            match self.image.named(name) {
                Some(symbol) => {
                    let (provider, sure, evidence) = self.named(name, symbol, group);
                    (provider, sure, Some(symbol.address), evidence)
                }
                None => (
                    Provider::Absent,
                    Sure::Certain,
                    None,
                    "no symbol of this name".to_string(),
                ),
            }
        } else {
            match self.stripped(name, group) {
                told @ (Provider::Brawn, ..) => told,
                told => self.by_signature(name).unwrap_or(told),
            }
        };
        Function {
            name,
            group,
            provider,
            sure,
            address,
            evidence,
        }
    }

    fn named(&self, name: &str, symbol: &Symbol<'_>, group: Group) -> (Provider, Sure, String) {
        let answer = |provider, sure, what: &str| (provider, sure, what.to_string());
        if let Some(located) = self.code(group) {
            let version = located.code.version;
            let jump = self.rewritten.as_ref();
            let jump = jump.and_then(|r| r.behind(self.image, symbol.address));
            let what = match located.at(self.image, name, jump.unwrap_or(symbol.address)) {
                Match::Same(bytes) => Some(format!(
                    "its code is brawn {version}'s: {bytes} bytes are the same"
                )),
                Match::InPlace => Some(format!("its code and its place are brawn {version}'s")),
                Match::Other => None,
            };
            if let Some(what) = what {
                return (Provider::Brawn, Sure::Certain, what);
            }
            let is_all = || located.is_all(self.image, name, symbol.address);
            if group == Group::Heap && self.is_folded(symbol) && is_all() {
                let what = format!(
                    "its code is brawn {version}'s, at one place with functions that have the same"
                );
                return (Provider::Brawn, Sure::Likely, what);
            }
        }
        let is_private = PRIVATE.contains(&name);
        let rewritten = self.rewritten.as_ref();
        if rewritten.is_some_and(|r| r.has(self.image, symbol.address)) {
            return answer(
                Provider::Brawn,
                Sure::Likely,
                "it is brawn's payload's, or jumps to it",
            );
        }
        if group == Group::Heap && self.is_other && (is_private || symbol.weak) {
            let what = "the note is of another brawn; its binding is the payload's";
            return answer(Provider::Brawn, Sure::Likely, what);
        }
        // Hidden functions of these names are not musl's.
        let is_inside = symbol.global && self.libc.is_some_and(|start| symbol.address >= start);
        if group != Group::Heap {
            return self.of_libc(name, symbol, group, is_inside);
        }
        let is_musls = self.found.heaps.iter().any(|h| h.heap.is_musl());
        let mut heaps = self.found.heaps.iter().map(|h| h.heap);
        if let Some(other) = heaps.find(|h| h.is_another() && self.is_of(symbol, *h)) {
            let what = format!(
                "it is at the place of, or uses, something that only {} has",
                other.name()
            );
            return (Provider::Own, Sure::Certain, what);
        }
        // Without musl's heap, no function calls it. A weak one is the fallback in the member with fork.
        if is_private && (is_musls || symbol.weak) {
            return answer(Provider::Musl, Sure::Certain, "a name of musl's own");
        }
        match is_inside {
            inside if is_musls && self.is_tied(symbol, is_musls_own) => match inside {
                true => answer(Provider::Musl, Sure::Certain, "it passes on to musl's heap"),
                false => answer(
                    Provider::Musl,
                    Sure::Likely,
                    "it passes on to musl's heap, but does not lie among musl's functions",
                ),
            },
            true => answer(Provider::Musl, Sure::Likely, INSIDE),
            false => answer(Provider::Own, Sure::Likely, OUTSIDE),
        }
    }

    /// Whose a function of libc beside the heap is, which has not the payload's code.
    fn of_libc(
        &self,
        name: &str,
        symbol: &Symbol<'_>,
        group: Group,
        is_inside: bool,
    ) -> (Provider, Sure, String) {
        let answer = |provider, sure, what: &str| (provider, sure, what.to_string());
        let is_memory = group == Group::Memory;
        let is_brawns = match is_memory {
            true => self.memory_names.contains(&name),
            false => self.own_places.contains(&(symbol.section, symbol.address)),
        };
        if is_brawns {
            let what = "it is at the same place as a function of brawn's";
            return answer(Provider::Brawn, Sure::Likely, what);
        }
        match self.found.memory {
            Memory::Musl if is_memory && name == "memcpy" => {
                answer(Provider::Musl, Sure::Certain, "its code is musl's")
            }
            Memory::Other if is_memory && name == "memcpy" => {
                answer(Provider::Own, Sure::Certain, "its code is not musl's")
            }
            _ if is_inside => answer(Provider::Musl, Sure::Likely, INSIDE),
            _ => answer(Provider::Own, Sure::Likely, OUTSIDE),
        }
    }

    /// Whether functions that are not the heap's are at its place: linkers put functions with the same code together, if
    /// they are told to (`--icf`). Brawn's empty functions are then among musl's.
    fn is_folded(&self, symbol: &Symbol<'_>) -> bool {
        let mut all = self.image.defined();
        all.any(|s| {
            s.address == symbol.address
                && s.kind == SymbolKind::Function
                && !is_surface(s.name.as_bytes())
        })
    }

    /// The payload's code for functions of `group`.
    fn code(&self, group: Group) -> Option<&Located<'_>> {
        match group {
            Group::Heap => self.located.as_ref(),
            Group::Memory => self.memory.as_ref(),
            Group::Libc => self.others.as_ref(),
            Group::Supplied => None,
        }
    }

    /// Whether `symbol` is a function of `heap`, which is neither musl's nor brawn's.
    fn is_of(&self, symbol: &Symbol<'_>, heap: Heap) -> bool {
        let is_its = |s: &Symbol<'_>| {
            heap::by_symbol(s.name.as_bytes()) == Some(heap)
                || heap == Heap::Mimalloc && mimalloc::is_own(s.name.as_bytes())
        };
        let mut all = self.image.defined();
        if all.any(|s| s.address == symbol.address && is_its(s)) {
            return true;
        }
        // A function that only calls `malloc` may come from anywhere, whatever its name.
        let public = self
            .image
            .defined()
            .filter(|s| is_public(s.name.as_bytes()));
        let public: HashSet<u64> = public.map(|s| s.address).collect();
        self.is_tied(symbol, |s| is_its(s) && !public.contains(&s.address))
    }

    /// Whether `symbol` has the same address as, or uses, a symbol for which `is_telling` holds.
    fn is_tied(&self, symbol: &Symbol<'_>, is_telling: impl Fn(&Symbol<'_>) -> bool) -> bool {
        let places = self.image.defined().filter(|s| is_telling(s));
        let mut is_one = false;
        let places = places.map(|s| {
            is_one |= s.address == symbol.address;
            s.address..s.address.saturating_add(s.size.max(1))
        });
        let places = Ranges::new(places);
        is_one || refers_to(self.image, symbol, &places)
    }

    /// Finds musl's function by its code. Beside brawn's heap, a function that only calls another proves nothing: it
    /// may call brawn's.
    fn by_signature(&self, name: &str) -> Option<(Provider, Sure, Option<u64>, String)> {
        let named = self.names.functions.iter().find(|f| f.name == name)?;
        let mut heaps = self.found.heaps.iter();
        let what = match &named.evidence {
            KnownBy::Signature(build) => format!("its code is musl's, as in {build}"),
            KnownBy::Reference(_) if heaps.any(|h| h.heap == Heap::Brawn) => return None,
            KnownBy::Reference(build) => format!("musl's code refers to it, as in {build}"),
            KnownBy::Symbol => return None,
        };
        Some((Provider::Musl, Sure::Likely, Some(named.address), what))
    }

    fn stripped(&self, name: &str, group: Group) -> (Provider, Sure, Option<u64>, String) {
        let unknown = |what: &str| (Provider::Unknown, Sure::Guess, None, what.to_string());
        let Some(located) = self.code(group) else {
            let is_memory = group == Group::Memory;
            return match self.found.memory {
                Memory::Musl if is_memory && name == "memcpy" => (
                    Provider::Musl,
                    Sure::Likely,
                    None,
                    "musl's code for it is in the program".to_string(),
                ),
                _ if is_memory || !self.is_other => unknown("stripped"),
                _ => unknown("stripped, and the note is of another brawn"),
            };
        };
        let version = located.code.version;
        let brawns = |address, what: &str| {
            let what = format!("brawn {version}'s code for it is in the program{what}");
            (Provider::Brawn, Sure::Likely, address, what)
        };
        match located.find(self.image, name) {
            Whereabouts::At(address) => brawns(Some(address), ""),
            Whereabouts::Parts => brawns(None, ", in parts"),
            Whereabouts::Not => unknown(
                "stripped, and brawn's code for it is not in the program: brawn cannot find out whether another one is",
            ),
            Whereabouts::TooShort => {
                unknown("stripped, and too short to be recognized by its code")
            }
        }
    }
}

const INSIDE: &str = "it lies behind the first of musl's functions";
const OUTSIDE: &str = "it lies before musl's functions, or is hidden";

/// Whether only musl's heap has a symbol of this name. Names that are local to its files may also be used elsewhere.
fn is_musls_own(symbol: &Symbol<'_>) -> bool {
    let mut names = PRIVATE.iter().chain(&INTERNAL);
    names.any(|n| **n == *symbol.name)
}

/// The places of functions that have one of brawn's own names.
pub(super) fn own_places(image: &Image<'_>) -> HashSet<(usize, u64)> {
    let own = image
        .defined()
        .filter(|s| s.name.as_bytes().starts_with(MEMORY_OWN));
    own.map(|s| (s.section, s.address)).collect()
}

/// The address of the first function that is musl's by its name, except for the heap's.
pub(super) fn libc(image: &Image<'_>) -> Option<u64> {
    let is_musls = |s: &&Symbol<'_>| s.kind.may_be_code() && is_libcs(s.name.as_bytes());
    image.defined().filter(is_musls).map(|s| s.address).min()
}
