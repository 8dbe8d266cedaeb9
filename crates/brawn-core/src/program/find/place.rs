//! Finds the place of a function's jump, and checks that there is room for it.

use super::code::Code;
use super::risk::{Risk, RiskKind};
use super::{Function, Functions, Left};
use crate::component::Component;
use crate::identify::{MEMORY, is_public};
use crate::signatures::names::Named;
use brawn_payload::LIBC_NAMES;

/// Adds `named` to the replaced functions; the payload's function of the same name replaces it.
pub fn add(code: &Code<'_>, named: &Named, component: Component, found: &mut Functions) {
    let mut functions = found.functions.iter_mut();
    if let Some(function) = functions.find(|f| f.address == named.address) {
        let is_known = function.name == named.name || function.aliases.contains(&named.name);
        if !is_known {
            function.aliases.push(named.name.clone());
            // Users know the public name. Aliases are one function in the payload too.
            if is_common(&named.name) && !is_common(&function.name) {
                let last = function.aliases.len() - 1;
                std::mem::swap(&mut function.name, &mut function.aliases[last]);
                function.target.clone_from(&function.name);
            }
        }
        return;
    }
    let extent = code.extent(named);
    let Some(bytes) = code.from(named.address) else {
        return;
    };
    let patch_at = code.behind_landing(named.address);
    // There may be padding between its end and the next function.
    let behind = bytes
        .get((extent.end - extent.start) as usize..)
        .unwrap_or_default();
    let end = extent.end + code.padding(&behind[..behind.len().min(16)]);
    let room = end.min(code.next(patch_at)).saturating_sub(patch_at);
    found.functions.push(Function {
        name: named.name.clone(),
        aliases: Vec::new(),
        component,
        address: named.address,
        patch_at,
        room,
        target: named.name.clone(),
        evidence: named.evidence.clone(),
        extent,
    });
}

fn is_common(name: &str) -> bool {
    is_public(name.as_bytes()) || MEMORY.contains(&name) || LIBC_NAMES.contains(&name)
}

/// Removes functions that are too short for a jump. If such a function only calls others that are replaced, it needs
/// no jump; otherwise it is a risk.
pub fn measure(code: &Code<'_>, found: &mut Functions) {
    let jump = code.jump();
    let entries: Vec<u64> = found
        .functions
        .iter()
        .flat_map(|f| [f.address, f.patch_at])
        .collect();
    let (short, functions) = std::mem::take(&mut found.functions)
        .into_iter()
        .partition(|f: &Function| f.room < jump);
    found.functions = functions;
    for function in short {
        let first = code
            .references(&(function.patch_at..function.extent.end))
            .into_iter()
            .next();
        let passes_on = first
            .filter(|r| r.at == function.patch_at && r.is_last && entries.contains(&r.target))
            .filter(|r| !(function.address..=function.patch_at).contains(&r.target));
        let (name, at) = (&function.name, function.address);
        let why = match passes_on {
            Some(to) => {
                let to = code.describe(to.target);
                format!("too short for a jump, and passes on to {to}")
            }
            None if function.component.is_libc() => "too short for a jump".to_owned(),
            None => {
                let text = format!("`{name}` has {} bytes, too few for a jump", function.room);
                let risk = Risk::of(RiskKind::TooShort, Some(function.component), text);
                found.risks.push(risk.at(at));
                continue;
            }
        };
        found.left.push(Left::new(name, at, why));
    }
}
