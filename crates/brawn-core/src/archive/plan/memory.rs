//! The memory functions of an archive, or another set of functions: what is removed and added, and what stays and
//! why.
//!
//! Nothing here refuses an archive: its heap can be exchanged without these functions.

use super::{Plan, Why, added, is_same};
use crate::advice::Advice;
use crate::archive::identify::{Content, Findings, Member, Role};
use crate::archive::read::Archive;
use crate::component::{Component, Families};
use crate::elf::object::{Binding, Symbol};
use crate::error::{Error, Result, printable};
use crate::identify::MEMORY_OWN;
use brawn_payload::{DEFAULTS, Function, Payload, Set};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Who wrote the functions of a set that the archive has afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// brawn's, except for those that are listed in [`Memory::stay`].
    Brawn,
    /// The archive keeps the functions that it has now.
    #[default]
    Stay,
}

/// A member that defines such functions and stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stays {
    /// Its name.
    pub name: String,
    /// Where its header is in the file.
    pub offset: u64,
    /// The functions of the set that it defines.
    pub defines: Vec<String>,
    /// Why it stays.
    pub why: String,
}

/// What happens to the functions of a set: the memory functions, or the other functions of libc.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Which functions the archive has afterwards.
    pub state: State,
    /// Why they stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The version of brawn that brawn's functions come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brawn: Option<String>,
    /// What compiled them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// SHA-256 over their sources, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Members that define such functions and stay.
    pub stay: Vec<Stays>,
}

impl Memory {
    fn stays(why: String, stay: Vec<Stays>) -> Self {
        Self {
            state: State::Stay,
            why: Some(why),
            stay,
            ..Self::default()
        }
    }

    /// The payload has no functions of the set, since its architecture has none yet.
    pub(super) fn none(payload: &Payload) -> Self {
        let name = payload.architecture.name();
        Self::stays(format!("this brawn has none for {name}"), Vec::new())
    }

    /// For a caller who asked for this set alone: the error that says why brawn's functions cannot be added.
    pub(super) fn refusal(&self, what: &str) -> Option<Error> {
        let why = self.why.as_ref().filter(|_| self.state == State::Stay)?;
        Some(Error::refused(format!("its {what} stay: {why}")))
    }
}

/// Plans to exchange them and adds that to the plan. `needed` are names of theirs that brawn's other functions need.
pub(super) fn plan(
    archive: &Archive<'_>,
    findings: &Findings<'_>,
    payload: &Payload,
    needed: HashSet<&str>,
    plan: &mut Plan,
) -> Result<Memory> {
    let Some(memory) = payload.memory else {
        return Ok(Memory::none(payload));
    };
    let exchange = Exchange {
        set: memory,
        functions: memory.functions.iter().collect(),
        families: Families::ALL,
        part: Component::Memory,
        why: Why::MuslMemory,
        needed,
    };
    exchange.plan(archive, findings, plan)
}

/// An exchange of a set of functions.
pub(super) struct Exchange<'p> {
    pub set: &'p Set,
    /// The functions of the set that may be added, in the set's order.
    pub functions: Vec<&'p Function>,
    /// What was chosen of the set.
    pub families: Families,
    pub part: Component,
    /// Why musl's members are removed.
    pub why: Why,
    /// brawn's own names of functions that are added in any case.
    pub needed: HashSet<&'p str>,
}

impl Exchange<'_> {
    /// Adds the exchange to the plan.
    ///
    /// # Errors
    /// The archive has functions of brawn's that were not chosen: musl's are no longer there.
    pub fn plan(
        self,
        archive: &Archive<'_>,
        findings: &Findings<'_>,
        plan: &mut Plan,
    ) -> Result<Memory> {
        let names = self.functions.iter().flat_map(|f| f.surface);
        let known: HashSet<&[u8]> = names.map(|name| name.as_bytes()).collect();
        let stay = staying(findings, &known);
        let old: Vec<&Member<'_>> = findings.with_role(Role::Ours(self.part)).collect();
        let musl: Vec<&Member<'_>> = findings
            .members
            .iter()
            .filter(|m| goes(m, &known) == Goes::Yes)
            .collect();
        // Functions that brawn added may not vanish: musl's own functions are no longer there.
        for member in &old {
            self.refuse_left_out(member)?;
            let lost = |name: &[u8]| !name.starts_with(MEMORY_OWN) && !known.contains(name);
            if let Some(symbol) = member.defined().find(|s| lost(s.name)) {
                let why = format!(
                    "member {} of another brawn defines `{}`, which this one does not have; \
                     {} brings musl's back",
                    printable(member.name),
                    printable(symbol.name),
                    Advice::Restore(None)
                );
                return Ok(Memory::stays(why, stay));
            }
        }
        let there: HashSet<&[u8]> = musl
            .iter()
            .chain(&old)
            .flat_map(|m| m.defined())
            .map(|s| s.name)
            .collect();
        let wanted = wanted(&self.functions, &there, &self.needed);
        if wanted.is_empty() {
            let why = match stay.first() {
                Some(first) => format!("member {}: {}", first.name, first.why),
                None => "the archive defines none of them".into(),
            };
            return Ok(Memory::stays(why, stay));
        }
        let found = Memory {
            state: State::Brawn,
            brawn: Some(self.set.version.into()),
            compiler: Some(self.set.compiler.into()),
            source: Some(self.set.source.into()),
            stay,
            ..Memory::default()
        };
        if musl.is_empty() && is_same(archive, &old, wanted.iter().map(|f| &f.member)) {
            return Ok(found);
        }
        let members = musl.iter().map(|m| (m, self.why));
        for (member, why) in members.chain(old.iter().map(|m| (m, Why::OtherPayload))) {
            plan.take_out(member, self.part, why);
        }
        let come = wanted.iter().map(|f| added(&f.member, self.part));
        plan.add.extend(come);
        Ok(found)
    }

    /// Refuses a member of brawn's with a function of this set that was not chosen.
    fn refuse_left_out(&self, member: &Member<'_>) -> Result<()> {
        let left = self.set.functions.iter().filter(|f| !self.families.take(f));
        let mut left = left.filter(|f| f.member.name.as_bytes() == member.name);
        let Some(function) = left.next() else {
            return Ok(());
        };
        let name = function.surface.first().copied().unwrap_or_default();
        let found = format!(
            "it already has brawn's `{name}`, which the options leave out or choose differently"
        );
        Err(member
            .refused(found)
            .expected("musl's own function")
            .next("patch the original libc.a with these options"))
    }
}

#[derive(PartialEq)]
pub(super) enum Goes {
    /// It defines such functions and nothing else.
    Yes,
    /// It defines such functions and something else.
    Besides,
    /// It has nothing to do with them.
    No,
}

pub(super) fn goes(member: &Member<'_>, known: &HashSet<&[u8]>) -> Goes {
    if !matches!(member.role, Role::Rest | Role::ForeignHeap) {
        return Goes::No;
    }
    let mut names = member.defined().filter(|s| known.contains(s.name));
    let is_weak = |s: &Symbol<'_>| s.binding == Binding::Weak;
    let is_default = |s: &Symbol<'_>| is_weak(s) && DEFAULTS.iter().any(|d| d.as_bytes() == s.name);
    if member
        .defined()
        .all(|s| known.contains(s.name) || is_default(s))
    {
        return match names.next() {
            Some(_) => Goes::Yes,
            None => Goes::No,
        };
    }
    // A weak private name beside others is a fallback for programs without the function: the member with `fork` has
    // one for each lock that it asks for.
    let is_fallback = |s: &Symbol<'_>| is_weak(s) && s.name.starts_with(b"__");
    match names.all(is_fallback) {
        true => Goes::No,
        false => Goes::Besides,
    }
}

/// Members that define some of these functions, and stay: members that also define something else, and members that
/// brawn cannot look into.
pub(super) fn staying(findings: &Findings<'_>, known: &HashSet<&[u8]>) -> Vec<Stays> {
    let mut all = Vec::new();
    // What the archive's index says that each member defines.
    let mut indexed: HashMap<usize, Vec<&[u8]>> = HashMap::new();
    for (name, entry) in &findings.indexed {
        indexed.entry(*entry).or_default().push(name);
    }
    for member in &findings.members {
        let mut indexed = || indexed.remove(&member.entry).unwrap_or_default();
        let (names, why): (Vec<&[u8]>, String) = match member.content {
            Content::Object(_) if goes(member, known) == Goes::Besides => {
                let mut names = member.defined().map(|s| s.name);
                let other = names.find(|name| !known.contains(name));
                let why = format!("it defines `{}`, too", printable(other.unwrap_or_default()));
                (member.defined().map(|s| s.name).collect(), why)
            }
            Content::Object(_) => continue,
            Content::Bitcode => (indexed(), "it is LLVM bitcode".into()),
            Content::OtherElf(_) => (indexed(), "it is ELF of another class".into()),
            Content::Other => (indexed(), "it is not ELF".into()),
        };
        let defines: Vec<String> = names
            .into_iter()
            .filter(|name| known.contains(name))
            .map(printable)
            .collect();
        if !defines.is_empty() {
            all.push(Stays {
                name: printable(member.name),
                offset: member.offset,
                defines,
                why,
            });
        }
    }
    all
}

/// The functions that replace a name in `there` or have an own name in `also`, and all functions that they need, in
/// the order of the set.
pub(super) fn wanted<'p>(
    functions: &[&'p Function],
    there: &HashSet<&[u8]>,
    also: &HashSet<&str>,
) -> Vec<&'p Function> {
    let mut is_wanted: Vec<bool> = functions
        .iter()
        .map(|f| {
            let mut names = f.surface.iter().map(|name| name.as_bytes());
            names.any(|name| there.contains(name)) || f.own.iter().any(|name| also.contains(name))
        })
        .collect();
    loop {
        let needed: HashSet<&str> = functions
            .iter()
            .zip(&is_wanted)
            .filter(|(_, wanted)| **wanted)
            .flat_map(|(f, _)| f.needs.iter().copied())
            .collect();
        let mut grown = false;
        for (function, wanted) in functions.iter().zip(&mut is_wanted) {
            if !*wanted && function.own.iter().any(|name| needed.contains(name)) {
                (*wanted, grown) = (true, true);
            }
        }
        if !grown {
            break;
        }
    }
    let both = functions.iter().zip(is_wanted);
    both.filter_map(|(f, wanted)| wanted.then_some(*f))
        .collect()
}

#[cfg(test)]
mod tests;
