//! Functions that an archive lacks once another heap's members have left it, and functions that brawn supplied
//! before.

use super::{Plan, Why, added, is_same};
use crate::archive::identify::{Findings, Member, Role};
use crate::archive::mimalloc::is_operator;
use crate::archive::read::Archive;
use crate::component::Component;
use crate::error::{Error, Result, printable};
use brawn_payload::{Payload, Supply};
use std::collections::HashSet;

/// Plans them after everything else. `exchanges` says whether mimalloc's members are removed.
pub(super) fn plan(
    archive: &Archive<'_>,
    findings: &Findings<'_>,
    payload: &Payload,
    exchanges: bool,
    plan: &mut Plan,
) -> Result<()> {
    let functions = payload.supplied.functions;
    let known = |name: &[u8]| functions.iter().any(|f| f.name.as_bytes() == name);
    // A function that another brawn supplied and this one does not have stays, since it may not vanish.
    let old: Vec<&Member<'_>> = findings
        .with_role(Role::Ours(Component::Supplied))
        .filter(|m| m.defined().any(|s| known(s.name)))
        .collect();
    let goes: HashSet<usize> = old
        .iter()
        .map(|m| m.entry)
        .chain(plan.remove.iter().map(|r| r.entry))
        .collect();
    let there: HashSet<&[u8]> = findings
        .members
        .iter()
        .filter(|m| !goes.contains(&m.entry))
        .flat_map(|m| m.defined())
        .map(|s| s.name)
        .chain(findings.indexed.iter().map(|(name, _)| *name))
        .chain(payload.surface.iter().map(|name| name.as_bytes()))
        .collect();
    let had: HashSet<&[u8]> = old
        .iter()
        .flat_map(|m| m.defined())
        .map(|s| s.name)
        .collect();
    // brawn cannot see from here whether the C++ runtime lost its operators. It kept them if nothing took their
    // place.
    let brings_operators = findings
        .with_role(Role::Mimalloc)
        .flat_map(Member::defined)
        .any(|s| is_operator(s.name));
    let is_wanted = |f: &&Supply| {
        let name = f.name.as_bytes();
        let is_lost = exchanges && (!f.is_operator() || brings_operators);
        !there.contains(name) && (is_lost || had.contains(name))
    };
    let wanted: Vec<&Supply> = functions.iter().filter(is_wanted).collect();
    if is_same(archive, &old, wanted.iter().map(|f| &f.member)) {
        return Ok(());
    }
    for member in &old {
        plan.take_out(member, Component::Supplied, Why::OtherPayload);
    }
    for function in &wanted {
        // Names like `_Z…` and `__cxa_…` are not musl's but the C++ runtime's, which is not in this archive.
        let is_missing = |name: &&&str| {
            let is_memory = || payload.functions().any(|f| f.surface.contains(name));
            !name.starts_with('_') && !there.contains(name.as_bytes()) && !is_memory()
        };
        if let Some(name) = function.needs.iter().find(is_missing) {
            return Err(Error::refused(format!(
                "no member defines `{name}`, which `{}` needs that brawn has to supply",
                printable(function.name.as_bytes())
            ))
            .expected("musl's libc.a"));
        }
        let mut member = added(&function.member, Component::Supplied);
        member.defines.push(function.name.into());
        plan.add.push(member);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
