//! The functions of libc besides heap and memory functions: which of an archive's are exchanged, and why others stay.
//!
//! As with the memory functions, nothing here refuses an archive. These functions need more than the memory functions
//! do: names of libc that the archive must have, brawn's memory functions, and the other functions of their group,
//! with which they share state.

use super::memory::{self, Exchange, Goes, Memory, State, Stays, goes, staying};
use super::{Plan, Why};
use crate::advice::Advice;
use crate::archive::identify::{Findings, Member, Role};
use crate::archive::read::Archive;
use crate::component::{Component, Families};
use crate::error::{Result, printable};
use crate::identify::MEMORY_OWN;
use brawn_payload::{BUFFERS, Function, LIBC_FAMILIES, Payload, SORTS};
use std::collections::{BTreeMap, HashSet};

/// Plans to exchange the memory functions and the other functions of libc, which may need the memory functions.
pub(super) fn functions(
    archive: &Archive<'_>,
    findings: &Findings<'_>,
    payload: &Payload,
    components: &[Component],
    plan: &mut Plan,
) -> Result<()> {
    let families = Component::families(components);
    let has_memory = components.contains(&Component::Memory);
    let present = memory_present(findings, payload);
    let set = payload.memory_functions();
    let comes = |name: &str| set.iter().any(|f| f.own.contains(&name));
    let has = |name: &str| match has_memory {
        true => comes(name),
        false => present.contains(name),
    };
    let mut choice = families.map(|f| choose(findings, payload, f, &has));
    if has_memory {
        let needed = match &choice {
            Some(choice) => choice.needs(findings),
            None => needed_by_present(findings),
        };
        let memory = memory::plan(archive, findings, payload, needed, plan)?;
        if memory.state == State::Stay {
            choice = families.map(|f| choose(findings, payload, f, &|_| false));
        }
        if components == [Component::Memory]
            && let Some(error) = memory.refusal("memory functions")
        {
            return Err(error);
        }
        plan.memory = Some(memory);
    }
    if let Some(choice) = choice {
        let found = match payload.libc.functions {
            [] => Memory::none(payload),
            _ => choice.plan(archive, findings, payload, plan)?,
        };
        if components.len() == 1
            && let Some(error) = found.refusal("functions of libc")
        {
            if payload.memory.is_none() {
                return Err(error);
            }
            let both = [Component::Memory, Component::LIBC];
            return Err(error.next(format!(
                "many of them need brawn's memory functions: {}",
                Advice::Only(&both)
            )));
        }
        plan.libc = Some(found);
    }
    Ok(())
}

/// The parts of brawn's that the archive has, with the families of libc's functions that it has.
pub(super) fn present(findings: &Findings<'_>, payload: &Payload) -> Vec<Component> {
    let has = |component| findings.with_role(Role::Ours(component)).next().is_some();
    let mut all = Vec::new();
    all.extend(has(Component::Heap).then_some(Component::Heap));
    all.extend(has(Component::Memory).then_some(Component::Memory));
    if has(Component::LIBC) {
        all.push(Component::Libc(present_families(findings, payload)));
    }
    all
}

fn present_families(findings: &Findings<'_>, payload: &Payload) -> Families {
    let members = findings.with_role(Role::Ours(Component::LIBC));
    let names: HashSet<&[u8]> = members.map(|m| m.name).collect();
    let functions = payload.libc.functions;
    let has = |f: &Function| names.contains(f.member.name.as_bytes());
    let mut families = Families::ALL;
    if functions.iter().any(|f| f.choice == SORTS[1] && has(f)) {
        families = families.stable_sort();
    }
    if functions.iter().any(|f| f.choice == BUFFERS[1] && has(f)) {
        families = families.large_buffers();
    }
    for family in LIBC_FAMILIES {
        if !functions.iter().any(|f| f.family == *family && has(f)) {
            families = families.without(family);
        }
    }
    let inexact = |f: &&Function| f.family == "math" && !f.exact;
    if !functions.iter().filter(inexact).any(has) {
        families = families.exact_math();
    }
    families
}

/// The functions that can be exchanged.
pub(super) struct Choice<'p> {
    functions: Vec<&'p Function>,
    families: Families,
    /// Functions of musl's that must stay: the names of each, with the reason.
    lacks: BTreeMap<&'p str, String>,
}

/// Weak references of brawn's functions. The first two are in brawn's heap; the last
/// is the linker's.
const WEAK: [&str; 3] = ["brawn_wait_is_due", "brawn_wait_turn", "_DYNAMIC"];

fn lacks(there: &HashSet<&[u8]>, name: &str) -> bool {
    !WEAK.contains(&name) && !there.contains(name.as_bytes())
}

/// Chooses the functions for which the archive has everything that they need. `has` says whether one of brawn's own
/// names outside this set is there.
pub(super) fn choose<'p>(
    findings: &Findings<'_>,
    payload: &'p Payload,
    families: Families,
    has: &dyn Fn(&str) -> bool,
) -> Choice<'p> {
    let members = findings.members.iter().flat_map(Member::defined);
    let indexed = findings.indexed.iter().map(|(name, _)| *name);
    let there: HashSet<&[u8]> = members.map(|s| s.name).chain(indexed).collect();
    let functions = payload.libc.functions.iter();
    let mut choice = Choice {
        functions: functions.filter(|f| families.take(f)).collect(),
        families,
        lacks: BTreeMap::new(),
    };
    // A function that is dropped may be needed by another, or be in another's group: so repeat.
    loop {
        let known: HashSet<&[u8]> = surface(&choice.functions).collect();
        let own: HashSet<&str> = choice
            .functions
            .iter()
            .flat_map(|f| f.own)
            .copied()
            .collect();
        let stay = staying(findings, &known);
        let stay: HashSet<&str> = stay
            .iter()
            .flat_map(|s| &s.defines)
            .map(String::as_str)
            .collect();
        let reason = |f: &Function| -> Option<String> {
            if let Some(name) = f.asks.iter().find(|name| lacks(&there, name)) {
                return Some(format!(
                    "brawn's needs `{name}`, which the archive does not define"
                ));
            }
            if let Some(name) = f
                .needs
                .iter()
                .find(|name| !own.contains(*name) && !WEAK.contains(name) && !has(name))
            {
                return Some(format!(
                    "brawn's needs `{name}` of brawn's, which is not added"
                ));
            }
            let grouped = f.surface.iter().filter(|_| !f.group.is_empty());
            let mut kept = grouped.filter(|name| stay.contains(*name));
            let name = kept.next()?;
            Some(format!("`{name}` shares a member with others that stay"))
        };
        let mut lacking: BTreeMap<&str, String> = BTreeMap::new();
        let mut groups: BTreeMap<&str, &str> = BTreeMap::new();
        for f in &choice.functions {
            if let Some(why) = reason(f) {
                lacking.insert(f.member.name, why);
                groups.insert(f.group, f.member.name);
            }
        }
        groups.remove("");
        for f in &choice.functions {
            if groups.contains_key(f.group) {
                let why = || format!("the other functions of its group, {}, stay", f.group);
                lacking.entry(f.member.name).or_insert_with(why);
            }
        }
        if lacking.is_empty() {
            return choice;
        }
        let (gone, left): (Vec<_>, Vec<_>) = choice
            .functions
            .into_iter()
            .partition(|f| lacking.contains_key(f.member.name));
        choice.functions = left;
        for f in gone {
            let why = lacking.remove(f.member.name).unwrap_or_default();
            choice
                .lacks
                .extend(f.surface.iter().map(|name| (*name, why.clone())));
        }
    }
}

fn surface<'p>(functions: &[&'p Function]) -> impl Iterator<Item = &'p [u8]> {
    let names = functions.iter().flat_map(|f| f.surface);
    names.map(|name| name.as_bytes())
}

impl<'p> Choice<'p> {
    /// brawn's own names outside this set that the chosen functions need, if the archive has the functions that they
    /// replace.
    pub(super) fn needs(&self, findings: &Findings<'_>) -> HashSet<&'p str> {
        let known: HashSet<&[u8]> = surface(&self.functions).collect();
        let there = replaced(findings, &known);
        let wanted = memory::wanted(&self.functions, &there, &HashSet::new());
        wanted.iter().flat_map(|f| f.needs).copied().collect()
    }

    /// Adds the exchange to the plan.
    pub(super) fn plan(
        self,
        archive: &Archive<'_>,
        findings: &Findings<'_>,
        payload: &'p Payload,
        plan: &mut Plan,
    ) -> Result<Memory> {
        let exchange = Exchange {
            set: payload.libc,
            functions: self.functions,
            families: self.families,
            part: Component::LIBC,
            why: Why::MuslLibc,
            needed: HashSet::new(),
        };
        let mut found = exchange.plan(archive, findings, plan)?;
        let of_libc = |m: &&Member<'_>| matches!(m.role, Role::Rest | Role::ForeignHeap);
        for member in findings.members.iter().filter(of_libc) {
            let names = member
                .defined()
                .filter_map(|s| std::str::from_utf8(s.name).ok());
            let lacked: Vec<&str> = names.filter(|n| self.lacks.contains_key(n)).collect();
            if let Some(why) = lacked.first().and_then(|name| self.lacks.get(name)) {
                found.stay.push(Stays {
                    name: printable(member.name),
                    offset: member.offset,
                    defines: lacked.iter().map(|name| (*name).to_owned()).collect(),
                    why: why.clone(),
                });
            }
        }
        Ok(found)
    }
}

/// The names that brawn's functions would replace: names in musl's members that can be removed, and in brawn's
/// members.
fn replaced<'a>(findings: &Findings<'a>, known: &HashSet<&[u8]>) -> HashSet<&'a [u8]> {
    let goes =
        |m: &&Member<'_>| m.role == Role::Ours(Component::LIBC) || goes(m, known) == Goes::Yes;
    let members = findings.members.iter().filter(goes);
    let mut names = HashSet::new();
    for member in members {
        names.extend(member.defined().map(|s| s.name));
    }
    names
}

/// The names of brawn's memory functions that its functions of libc in the archive need.
pub(super) fn needed_by_present<'a>(findings: &'a Findings<'_>) -> HashSet<&'a str> {
    let present = findings.with_role(Role::Ours(Component::LIBC));
    let needs = present.flat_map(Member::undefined).map(|s| s.name);
    let own = needs.filter(|name| name.starts_with(MEMORY_OWN));
    own.filter_map(|name| std::str::from_utf8(name).ok())
        .collect()
}

/// The names that brawn's memory functions in the archive define; none if one of them is of another build.
pub(super) fn memory_present<'a>(
    findings: &'a Findings<'_>,
    payload: &Payload,
) -> HashSet<&'a str> {
    let members = || findings.with_role(Role::Ours(Component::Memory));
    let source = payload.memory.map(|memory| memory.source);
    let mut notes = members().flat_map(|m| m.notes());
    if !notes.all(|note| Some(note.source.as_str()) == source) {
        return HashSet::new();
    }
    let names = members().flat_map(Member::defined).map(|s| s.name);
    names
        .filter_map(|name| std::str::from_utf8(name).ok())
        .collect()
}

#[cfg(test)]
mod tests;
