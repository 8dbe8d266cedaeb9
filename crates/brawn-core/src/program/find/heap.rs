//! Tells the functions of musl's heap from functions of the program's own.
//!
//! A name alone is not enough, since every heap has a `malloc` and any program may have a function `trim`. A function
//! is musl's in these cases. It uses the state of musl's heap, or its code is that of a build of musl. Or it has a public name of the heap, keeps no data of
//! its own, and is or calls such a function. Or it has a name that only the heap uses inside, and
//! shares its address with such a function or is called by one.

use super::code::Code;
use super::place;
use super::reference::Reference;
use super::risk::{Risk, RiskKind};
use super::whole::Whole;
use super::{Function, Functions, Left};
use crate::advice::Advice;
use crate::component::Component;
use crate::identify::heap::Heap;
use crate::identify::reach::LOCAL;
use crate::identify::{INTERNAL, is_public, is_surface};
use crate::signatures::names::{Evidence, Named, Names};
use std::collections::BTreeSet;
use std::ops::Range;

/// The state of musl's heaps. oldmalloc's is `mal`, which may also be a name of the program's.
const STATE: [&str; 2] = ["__malloc_context", "__malloc_lock"];
const OLD_STATE: &str = "mal";
/// The smallest size of oldmalloc's state, in bytes: 64 bins of three words.
const OLD_STATE_SIZE: u64 = 64 * 24;
/// Data that functions of musl's heap read, but that is not its state: whether functions are replaced, and the page
/// size.
const FLAGS: [&str; 4] = [
    "__malloc_replaced",
    "__aligned_alloc_replaced",
    "__libc",
    "libc",
];
/// musl's simple heap, whose state has no name. It is the whole heap of a program that never frees. It asks the
/// kernel for memory itself or, before musl 1.2.1, through another function.
const SIMPLE: [&str; 3] = ["__simple_malloc", "__libc_malloc_impl", "__libc_malloc"];
const EXPAND: &str = "__expand_heap";
/// Functions that only call the heap, in each of musl's heaps.
const PASSING: [&str; 5] = [
    "calloc",
    "memalign",
    "posix_memalign",
    "reallocarray",
    "valloc",
];
/// Names of an empty function in programs without the heap.
const STUBS: [&str; 2] = ["__malloc_allzerop", "__malloc_atfork"];

/// The parts of musl's heap that stay in the program, and that nothing may use any more.
#[derive(Debug, Default)]
pub struct State {
    /// The addresses of its data.
    pub data: Vec<Range<u64>>,
    /// Functions that only the heap uses.
    pub inside: Vec<Range<u64>>,
}

/// A function that may be musl's.
struct Candidate<'n> {
    named: &'n Named,
    extent: Range<u64>,
    references: Vec<Reference>,
    is_musls: bool,
}

impl Candidate<'_> {
    fn name(&self) -> &str {
        &self.named.name
    }

    fn works_on(&self, state: &[Range<u64>]) -> bool {
        let mut targets = self.references.iter().map(|r| r.target);
        targets.any(|target| state.iter().any(|s| s.contains(&target)))
    }

    /// Whether it calls or jumps to one of `entries`.
    fn calls(&self, entries: &BTreeSet<u64>) -> bool {
        let mut branches = self.references.iter().filter(|r| r.is_branch);
        branches.any(|r| entries.contains(&r.target))
    }
}

/// Finds the heap's functions, and the parts of the heap that stay.
pub fn find(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names, found: &mut Functions) -> State {
    let is_known = |n: &&Named| is_surface(n.name.as_bytes()) || is_inside(&n.name);
    let mut candidates: Vec<Candidate<'_>> = names
        .functions
        .iter()
        .filter(is_known)
        .filter(|n| code.from(n.address).is_some())
        .map(|named| {
            let extent = code.extent(named);
            Candidate {
                named,
                references: code.references(&extent),
                extent,
                is_musls: false,
            }
        })
        .collect();
    let state = state(names, &candidates);
    let is_old = !state.is_empty() && names.objects.iter().any(|o| is_old_state(o, &candidates));
    tie(whole, code, names, &state, is_old, &mut candidates);
    let surface = whole.payload.surface;
    let libc = names.libc();
    let mut strangers: Vec<&Candidate<'_>> = Vec::new();
    for name in surface {
        let of_name = || candidates.iter().filter(|c| c.name() == *name);
        let musls: Vec<&Candidate<'_>> = of_name().filter(|c| c.is_musls).collect();
        if musls.is_empty() {
            strangers.extend(of_name());
        }
        // If several functions have one name and only call others, as a file's own function may, then those among
        // libc's functions are musl's.
        let is_one = musls
            .iter()
            .all(|c| c.named.address == musls[0].named.address);
        let is_its = |c: &&Candidate<'_>| {
            is_one
                || c.named.evidence != Evidence::Symbol
                || c.works_on(&state)
                || libc.is_some_and(|libc| c.named.address >= libc)
        };
        let its = musls.into_iter().filter(is_its);
        its.for_each(|c| place::add(code, c.named, Component::Heap, found));
    }
    refuse(whole, &strangers, found);
    if whole.keeps_state() && !found.has_heap() {
        let text = "musl's heap is in it, but none of its functions could be found";
        found
            .risks
            .push(Risk::heap(RiskKind::MissingFunction, text));
    } else if whole.keeps_state() && state.is_empty() {
        let text = "the state of musl's heap could not be found, so brawn cannot check which other code uses it";
        found.risks.push(Risk::heap(RiskKind::HeapState, text));
    }
    let goes = |c: &Candidate<'_>| found.functions.iter().any(|f| f.address == c.named.address);
    let inside = candidates
        .iter()
        .filter(|c| c.is_musls && is_inside(c.name()) && !goes(c));
    State {
        inside: inside.map(|c| c.extent.clone()).collect(),
        data: state,
    }
}

/// Whether only functions of musl's heap use that name.
fn is_inside(name: &str) -> bool {
    LOCAL.contains(&name) || INTERNAL.contains(&name)
}

/// The addresses of the heap's state.
fn state(names: &Names, candidates: &[Candidate<'_>]) -> Vec<Range<u64>> {
    let is_state = |o: &&Named| STATE.contains(&o.name.as_str()) || is_old_state(o, candidates);
    names.objects.iter().filter(is_state).map(range).collect()
}

fn range(object: &Named) -> Range<u64> {
    object.address..object.address.saturating_add(object.size.max(1))
}

/// Whether it is oldmalloc's state: it is large enough, and functions of a heap use it.
fn is_old_state(object: &Named, candidates: &[Candidate<'_>]) -> bool {
    let mut references = candidates.iter().flat_map(|c| &c.references);
    object.name == OLD_STATE
        && object.size >= OLD_STATE_SIZE
        && references.any(|r| range(object).contains(&r.target))
}

/// Marks the functions that are musl's.
fn tie(
    whole: &Whole<'_, '_>,
    code: &Code<'_>,
    names: &Names,
    state: &[Range<u64>],
    is_old: bool,
    candidates: &mut [Candidate<'_>],
) {
    let flags = names
        .objects
        .iter()
        .filter(|o| FLAGS.contains(&o.name.as_str()));
    let flags: Vec<Range<u64>> = flags.map(range).collect();
    let is_in = |ranges: &[Range<u64>], r: &Reference| {
        ranges.iter().any(|s: &Range<u64>| s.contains(&r.target))
    };
    let writable = whole
        .program
        .loads()
        .filter(|s| s.flags & object::elf::PF_W.0 != 0);
    let writable: Vec<Range<u64>> = writable.map(|s| s.addresses()).collect();
    let keeps_records = |c: &Candidate<'_>| {
        let mut data = c.references.iter().filter(|r: &&Reference| !r.is_branch);
        data.any(|r| is_in(&writable, r) && !is_in(state, r) && !is_in(&flags, r))
    };
    let expand = names.function(EXPAND).map(|n| n.address);
    let asks_kernel = |c: &Candidate<'_>| {
        code.calls_kernel(&c.extent) || c.references.iter().any(|r| Some(r.target) == expand)
    };
    let is_stub = |c: &Candidate<'_>| STUBS.contains(&c.name()) && code.is_stub(&c.extent);
    for candidate in candidates.iter_mut() {
        let name = candidate.name();
        // Its code is musl's.  But a function that only calls the heap serves any heap, and one that is known by its callers
        // alone may be anybody's: another heap's `free` is a single jump, too.
        let is_by_code = matches!(candidate.named.evidence, Evidence::Signature(_))
            && (candidate.works_on(state) || is_inside(name) || !PASSING.contains(&name));
        candidate.is_musls = !is_stub(candidate)
            && (is_by_code
                || candidate.works_on(state)
                || (state.is_empty() && SIMPLE.contains(&name) && asks_kernel(candidate))
                // These only read the header before a block.
                || (is_old && ["malloc_usable_size", "__malloc_allzerop"].contains(&name)
                    && candidate.references.iter().all(|r| candidate.extent.contains(&r.target))));
    }
    loop {
        let musls = || candidates.iter().filter(|c| c.is_musls);
        let entries: BTreeSet<u64> = musls().map(|c| c.named.address).collect();
        let called: BTreeSet<u64> = musls()
            .flat_map(|c| c.references.iter().filter(|r| r.is_branch))
            .map(|r| r.target)
            .collect();
        let mut changed = false;
        for candidate in candidates.iter_mut().filter(|c| !c.is_musls) {
            let address = candidate.named.address;
            // A program's own `trim` may call `free`, but musl's functions do not call the program's.
            let is_musls = entries.contains(&address)
                || match is_inside(candidate.name()) {
                    true => called.contains(&address),
                    false => {
                        let is_by_code = matches!(candidate.named.evidence, Evidence::Signature(_));
                        candidate.calls(&entries) && (is_by_code || !keeps_records(candidate))
                    }
                };
            candidate.is_musls = is_musls && !is_stub(candidate);
            changed |= candidate.is_musls;
        }
        if !changed {
            return;
        }
    }
}

/// Adds the risks that follow from functions that are not musl's.
fn refuse(whole: &Whole<'_, '_>, strangers: &[&Candidate<'_>], found: &mut Functions) {
    let (stubs, strangers): (Vec<&Candidate<'_>>, Vec<&Candidate<'_>>) = strangers
        .iter()
        .copied()
        .partition(|c| !is_public(c.named.name.as_bytes()));
    let stubs = stubs.iter().map(|c| c.named);
    let left = stubs.map(|n| Left::new(&n.name, n.address, "it does nothing"));
    found.left.extend(left);
    let other = whole.other_heap();
    let only_memory = || format!("rewrite with {}", Advice::Only(&[Component::Memory]));
    if let Some(malloc) = strangers.iter().find(|c| c.name() == "malloc") {
        let is_by_code = malloc.named.evidence != Evidence::Symbol;
        let risk = if is_by_code && whole.keeps_state() && other.is_none() {
            let text = "musl's heap is in it, but its `malloc` could not be told from other code";
            Risk::heap(RiskKind::MissingFunction, text)
        } else {
            let whose = match other.map(|h| h.heap) {
                None | Some(Heap::Own) => "the program's own".to_string(),
                Some(heap) => format!("not musl's: {} is in the program", heap.name()),
            };
            Risk::heap(RiskKind::OtherHeap, format!("`malloc` is {whose}")).next(only_memory())
        };
        found.risks.push(risk.at(malloc.named.address));
        return;
    }
    let mut heap = found
        .functions
        .iter()
        .filter(|f| f.component == Component::Heap);
    // (Who only takes aligned blocks has musl's `free`, and no `malloc`.)
    let is_either = |name: &str| matches!(name, "malloc" | "free" | "__libc_free");
    let is_basic = |f: &Function| is_either(&f.name) || f.aliases.iter().any(|a| is_either(a));
    if let Some(other) = heap.clone().next()
        && !heap.any(is_basic)
    {
        let text = format!(
            "`{}` is musl's, but neither `malloc` nor `free` of musl's was found: the program may have its own",
            other.name
        );
        let risk = Risk::heap(RiskKind::MissingFunction, text).next(only_memory());
        found.risks.push(risk.at(other.address));
        return;
    }
    for stranger in strangers {
        let text = format!(
            "`{}` is not musl's, but `malloc` is: it would get blocks of another heap",
            stranger.name()
        );
        let risk = Risk::heap(RiskKind::MissingFunction, text).at(stranger.named.address);
        found.risks.push(risk);
    }
    if let Some(other) = other {
        found.notes.push(format!(
            "{} is also in it: the code that uses it does not change",
            other.heap.name()
        ));
    }
}
