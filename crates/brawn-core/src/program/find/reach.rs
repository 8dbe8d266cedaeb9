//! Finds other code that runs the replaced functions or uses their state. A program that may be rewritten has none.
//!
//! Functions that only replaced functions call, such as `alloc_slot`, are replaced with them. So code that refers to
//! replaced functions is only a danger if something that stays refers to that code.

use super::code::Code;
use super::heap::State;
use super::pass::{Hit, pass};
use super::risk::{Risk, RiskKind};
use super::scan::Wanted;
use super::whole::{Relocation, Whole};
use super::{Function, Functions, x86_64};
use crate::arch::Isa;
use crate::component::Component;
use crate::signatures::names::Names;
use std::collections::BTreeSet;
use std::ops::Range;

/// If more functions than this refer to the replaced code, all count as being called.
const MANY: usize = 64;
/// The most risks of one kind that are listed.
const ENOUGH: usize = 8;
/// The farthest target of a short jump, in bytes.
const SHORT: u64 = 130;

/// A function that refers to replaced code.
struct Node {
    extent: Range<u64>,
    is_run: bool,
    is_referred_to: bool,
}

/// Examines the whole program.
pub fn check(
    whole: &Whole<'_, '_>,
    code: &Code<'_>,
    names: &Names,
    state: &State,
    found: &mut Functions,
) {
    let gone = Gone::of(&found.functions);
    let is_shifted =
        whole.program.architecture == Isa::X86_64 && gone.components.contains(&Component::Heap);
    let tls = names.function("__tls_get_addr").filter(|_| is_shifted);
    let tls = tls.map(|n| n.address..n.address.saturating_add(1));
    let ranges = gone.bodies.iter().chain(&state.data).chain(&state.inside);
    let ranges = ranges.cloned().chain(tls.clone()).collect();
    let objects = state.data.iter().chain(&tls).map(|r| r.start);
    let mut begins: Vec<u64> = objects.collect();
    begins.sort_unstable();
    let hits = pass(whole, code, &Wanted::new(ranges), &begins, &gone.extents);
    let is_tls = |h: &Hit| tls.as_ref().is_some_and(|t| t.contains(&h.target));
    let (to_tls, mut hits): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(is_tls);
    // A number that happens to be an address inside a function does not count: `open` has 0x410000, which is a set of
    // flags.
    let is_amid = |h: &Hit| {
        let mut inside = state.inside.iter();
        inside.any(|e| e.contains(&h.target) && e.start != h.target)
    };
    hits.retain(|hit| !hit.is_absolute || !is_amid(hit));
    hits.retain(|hit| !(hit.is_code && code.is_padding(hit.from, hit.target)));
    relocations(whole, code, found);
    let passes_on = names.function("dl_iterate_phdr").map(|n| n.address);
    thread_locals(code, &to_tls, passes_on, found);
    let mut nodes: Vec<Node> = state.inside.iter().map(|e| node(e.clone())).collect();
    let known = nodes.len();
    for hit in hits.iter().filter(|h| h.is_code) {
        if !code.spend(nodes.len()) {
            return;
        }
        let is_new = !nodes.iter().any(|n| n.extent.contains(&hit.from));
        if let Some((extent, _)) = is_new.then(|| code.named(hit.from)).flatten() {
            nodes.push(node(extent));
        }
    }
    let new: Vec<Range<u64>> = nodes[known..].iter().map(|n| n.extent.clone()).collect();
    if new.len() > MANY {
        nodes[known..].iter_mut().for_each(|n| n.is_run = true);
    } else {
        hits.extend(pass(whole, code, &Wanted::new(new), &[], &gone.extents));
        // Replaced functions refer to them too, or nothing known does.
        let from_gone = gone.extents.iter().flat_map(|e| code.references(e));
        let mut referred: BTreeSet<u64> = from_gone.map(|r| r.target).collect();
        referred.extend(hits.iter().map(|h| h.target));
        for node in &mut nodes[known..] {
            node.is_referred_to = referred.range(node.extent.clone()).next().is_some();
        }
    }
    if !code.spend(hits.len().saturating_mul(nodes.len())) {
        return;
    }
    run(whole, &hits, &mut nodes, known);
    report(code, state, &gone, &hits, &nodes, found);
    if code.architecture == Isa::X86_64 {
        short_jumps(code, &gone, found);
    }
}

fn node(extent: Range<u64>) -> Node {
    Node {
        extent,
        is_run: false,
        is_referred_to: true,
    }
}

/// The code that is replaced.
struct Gone {
    /// Its functions, ascending.
    extents: Vec<Range<u64>>,
    /// The code behind their entries, with the function that each part belongs to.
    bodies: Vec<Range<u64>>,
    components: Vec<Component>,
}

impl Gone {
    fn of(functions: &[Function]) -> Self {
        let mut by_address: Vec<&Function> = functions.iter().collect();
        by_address.sort_by_key(|f| f.address);
        let end = |f: &Function| f.extent.end.max(f.patch_at + 1);
        Self {
            extents: by_address.iter().map(|f| f.address..end(f)).collect(),
            bodies: by_address.iter().map(|f| f.patch_at + 1..end(f)).collect(),
            components: by_address.iter().map(|f| f.component).collect(),
        }
    }

    fn has(&self, address: u64) -> bool {
        self.extents.iter().any(|e| e.contains(&address))
    }
}

/// Marks the functions that are run: by code that stays, or by other functions that are run.
fn run(whole: &Whole<'_, '_>, hits: &[Hit], nodes: &mut [Node], known: usize) {
    let of = |nodes: &[Node], at: u64| nodes.iter().position(|n| n.extent.contains(&at));
    for (n, node) in nodes.iter_mut().enumerate() {
        let is_entry = node.extent.contains(&whole.program.entry);
        node.is_run |= is_entry || (n >= known && !node.is_referred_to);
    }
    loop {
        let mut changed = false;
        for hit in hits {
            let Some(to) = of(nodes, hit.target) else {
                continue;
            };
            let from = if hit.is_code {
                of(nodes, hit.from)
            } else {
                None
            };
            let is_run = from.is_none_or(|n| n != to && nodes[n].is_run);
            changed |= is_run && !nodes[to].is_run;
            nodes[to].is_run |= is_run;
        }
        if !changed {
            return;
        }
    }
}

fn report(
    code: &Code<'_>,
    state: &State,
    gone: &Gone,
    hits: &[Hit],
    nodes: &[Node],
    found: &mut Functions,
) {
    let mut told = BTreeSet::new();
    let mut more = 0;
    for hit in hits {
        let is_inside = |at: u64| state.inside.iter().any(|e| e.contains(&at));
        let from = nodes
            .iter()
            .find(|n| hit.is_code && n.extent.contains(&hit.from));
        // References inside musl's heap are reported for the function that calls them.
        if from.is_some_and(|n| !n.is_run || is_inside(n.extent.start)) {
            continue;
        }
        let who = match hit.is_code {
            true => code.describe(hit.from),
            false => "data".to_string(),
        };
        let body = gone.bodies.iter().position(|b| b.contains(&hit.target));
        let (kind, component, text) = if state.data.iter().any(|d| d.contains(&hit.target)) {
            let text = format!(
                "{who} uses the state of musl's heap, and would not see the new heap's blocks"
            );
            (RiskKind::HeapState, Component::Heap, text)
        } else if is_inside(hit.target) {
            let what = code.describe(hit.target);
            let text = format!(
                "{who} uses {what} of musl's heap, which does not know the new heap's blocks"
            );
            (RiskKind::HeapState, Component::Heap, text)
        } else if let Some(n) = body {
            // A number in an instruction is not a jump: popcount's 0x01010101 may be an address in programs by zig.
            if hit.is_absolute {
                continue;
            }
            let what = code.describe(hit.target);
            let text = format!(
                "{who} leads into {what} behind its entry, at {:#x}",
                hit.target
            );
            (RiskKind::EnteredInside, gone.components[n], text)
        } else {
            continue;
        };
        let mut risk = Risk::of(kind, Some(component), text).at(hit.from);
        // Functions of libc are left out one by one, so each place is needed.
        if component.is_libc() {
            risk.function = body.map(|n| gone.extents[n].start);
            found.risks.push(risk);
            continue;
        }
        if told.insert((kind, who, component == Component::Heap)) {
            if told.len() > ENOUGH {
                more += 1;
                continue;
            }
            found.risks.push(risk);
        }
    }
    if more > 0 {
        found
            .notes
            .push(format!("{more} more places refer to code that is replaced"));
    }
}

/// Finds relocations that change the bytes of a jump, and indirect functions (`IRELATIVE`) that a replaced function
/// would choose. musl does not apply these relocations, so something else in the program does.
fn relocations(whole: &Whole<'_, '_>, code: &Code<'_>, found: &mut Functions) {
    for function in found.functions.clone() {
        let taken = function.patch_at.saturating_sub(7)..function.patch_at + code.jump();
        let changes = |r: &&Relocation| {
            taken.contains(&r.place) || r.other.is_some() && r.target == function.address
        };
        if let Some(relocation) = whole.relocations.iter().find(changes) {
            let text = format!(
                "a relocation changes or calls `{}` when the program is loaded",
                function.name
            );
            let risk = Risk::of(RiskKind::Relocation, Some(function.component), text);
            let risk = risk.at(relocation.place).function(function.address);
            found.risks.push(risk);
        }
    }
}

/// On x86_64 the payload's thread-locals come before the program's. Code that counts from the start of the block,
/// such as `__tls_get_addr`, would find wrong ones. `dl_iterate_phdr` only passes the address on.
fn thread_locals(code: &Code<'_>, hits: &[Hit], passes_on: Option<u64>, found: &mut Functions) {
    let mut told = BTreeSet::new();
    for hit in hits {
        let caller = code.named(hit.from).filter(|_| hit.is_code);
        let whose = caller.as_ref().map_or(hit.from, |(extent, _)| extent.start);
        if told.len() >= ENOUGH || !told.insert(whose) {
            continue;
        }
        if caller.is_some_and(|(extent, _)| Some(extent.start) == passes_on) {
            continue;
        }
        let text = format!(
            "{} looks up thread-locals by `__tls_get_addr`, which would find others",
            code.describe(hit.from)
        );
        found
            .risks
            .push(Risk::heap(RiskKind::ThreadLocals, text).at(hit.from));
    }
}

/// Finds short jumps beside a function that lead into the bytes of its new jump.
fn short_jumps(code: &Code<'_>, gone: &Gone, found: &mut Functions) {
    for (n, function) in found.functions.clone().iter().enumerate() {
        let taken = function.patch_at + 1..function.patch_at + x86_64::JUMP;
        let window = function.patch_at.saturating_sub(SHORT)..taken.end + SHORT;
        let Some(bytes) = code.from(window.start) else {
            continue;
        };
        let bytes = &bytes[..bytes.len().min((window.end - window.start) as usize)];
        for place in x86_64::short_jumps(bytes, window.start, &taken) {
            let reference = code.operand(place).filter(|r| taken.contains(&r.target));
            if let Some(reference) = reference.filter(|r| !gone.has(r.at)) {
                let text = format!(
                    "{} jumps into the first bytes of `{}`",
                    code.describe(reference.at),
                    function.name
                );
                let component = Some(gone.components[n]);
                let risk = Risk::of(RiskKind::EnteredInside, component, text);
                let risk = risk.at(reference.at).function(function.address);
                found.risks.push(risk);
            }
        }
    }
}
