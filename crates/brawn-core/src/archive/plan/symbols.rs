//! Checks that every name still has exactly one definition after the heap is exchanged.

use super::Plan;
use crate::archive::findings::{Findings, Member, Role};
use crate::component::Component;
use crate::elf::object::Binding;
use crate::error::{Error, Result, printable};
use crate::identify::{fork, is_surface};
use brawn_payload::Payload;
use std::collections::{HashMap, HashSet};

/// The removed and the added members.
struct Exchange<'p> {
    /// The names of the payload's heap.
    surface: HashSet<&'p str>,
    /// The entries that are removed with the heap.
    gone: HashSet<usize>,
}

/// Names that nothing defines any more, each with the member that defined it.
type Lost<'f, 'a> = HashMap<&'a [u8], &'f Member<'a>>;

/// Members that stay must find every name that they need, and must not clash with added members.
pub(super) fn check(findings: &Findings<'_>, payload: &Payload, plan: &Plan) -> Result<()> {
    // When functions of the sets are removed, brawn's replace them.
    let gone = plan
        .remove
        .iter()
        .filter(|r| !matches!(r.component, Component::Memory | Component::Libc(_)));
    let exchange = Exchange {
        surface: payload.surface.iter().copied().collect(),
        gone: gone.map(|r| r.entry).collect(),
    };
    let mut lost = exchange.lost(findings)?;
    let mut missing: HashSet<&[u8]> = payload.needs.iter().map(|n| n.as_bytes()).collect();
    for name in payload.surface {
        missing.remove(name.as_bytes());
    }
    for name in exchange.staying(findings)? {
        lost.remove(name);
        missing.remove(name);
    }
    let supplied = plan.add.iter().flat_map(|added| &added.defines);
    let supplied: HashSet<&[u8]> = supplied.map(|name| name.as_bytes()).collect();
    lost.retain(|name, _| !exchange.provides(name) && !supplied.contains(name));
    exchange.check_needs(findings, &lost)?;
    match missing.into_iter().min() {
        Some(name) => {
            let name = printable(name);
            let found = format!("no member defines `{name}`, which the payload needs");
            Err(Error::refused(found).expected(fork::EXPECTED))
        }
        None => Ok(()),
    }
}

impl Exchange<'_> {
    fn provides(&self, name: &[u8]) -> bool {
        std::str::from_utf8(name).is_ok_and(|name| self.surface.contains(name))
    }

    /// If the payload's heap is already there, its names count as provided.
    fn goes(&self, member: &Member<'_>) -> bool {
        self.gone.contains(&member.entry) || member.role == Role::Ours(Component::Heap)
    }

    /// The names that are lost with the removed members.
    fn lost<'f, 'a>(&self, findings: &'f Findings<'a>) -> Result<Lost<'f, 'a>> {
        let mut lost = Lost::new();
        for member in findings.members.iter().filter(|m| self.goes(m)) {
            for symbol in member.defined() {
                if is_surface(symbol.name) && !self.provides(symbol.name) {
                    let name = printable(symbol.name);
                    return Err(member
                        .refused(format!("it defines `{name}`, which the payload does not"))
                        .expected("a heap whose names the payload has"));
                }
                lost.insert(symbol.name, member);
            }
        }
        Ok(lost)
    }

    /// The names that the members that stay define.
    fn staying<'a>(&self, findings: &Findings<'a>) -> Result<Vec<&'a [u8]>> {
        let mut names: Vec<&[u8]> = findings.indexed.iter().map(|(name, _)| *name).collect();
        for member in findings.members.iter().filter(|m| !self.goes(m)) {
            for symbol in member.defined() {
                if symbol.binding == Binding::Strong && self.provides(symbol.name) {
                    let name = printable(symbol.name);
                    let found = format!("it defines `{name}`, and so does the payload");
                    return Err(member.refused(found));
                }
                names.push(symbol.name);
            }
        }
        Ok(names)
    }

    /// No member that stays may need a lost name.
    fn check_needs(&self, findings: &Findings<'_>, lost: &Lost<'_, '_>) -> Result<()> {
        for member in findings.members.iter().filter(|m| !self.goes(m)) {
            for symbol in member.undefined() {
                if let Some(gone) = lost.get(symbol.name) {
                    let found = format!(
                        "it needs `{}`, which only member {} defines, and that is part of the heap",
                        printable(symbol.name),
                        printable(gone.name)
                    );
                    return Err(member
                        .refused(found)
                        .expected("a musl whose other members need no internals of its heap"));
                }
            }
        }
        Ok(())
    }
}
