//! What a rewrite would change in a program, and every reason not to.
//!
//! The entry of each function of musl's becomes a jump.  That is safe if nothing else runs what lies behind the
//! entries, and if nothing that stays works on the state of the heap that goes: both are read off the code, by one
//! pass over all of it (`scan.rs`) and by decoding what that finds (`x86.rs`, `arm.rs`).

mod arm;
mod code;
mod heap;
mod hooks;
mod libc;
mod memory;
mod pass;
mod place;
mod reach;
mod reference;
mod risk;
mod scan;
mod threads;
mod whole;
mod words;
mod x86;

use crate::component::Component;
use crate::elf::program::Program;
use crate::error::Result;
use crate::identify::reach::LOCAL;
use crate::identify::{MEMORY, is_heap};
use crate::signatures::names::{Evidence, Names};
use brawn_payload::Payload;
use code::Code;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

pub use libc::left;
pub use risk::{Risk, RiskKind};

#[cfg(test)]
mod tests;

/// A function of musl's that the payload takes the place of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Other names for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Of which part of libc it is.
    pub component: Component,
    /// Its address.
    pub address: u64,
    /// Where the jump goes: behind the landing pad for indirect calls, where there is one.
    pub patch_at: u64,
    /// How many bytes from `patch_at` on may be overwritten; enough for a jump.
    pub room: u64,
    /// The payload's name for it.
    pub target: String,
    /// How its place is known.
    pub evidence: Evidence,
    /// Its code: all that nobody runs once its entry is a jump.
    #[serde(skip)]
    pub extent: Range<u64>,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CallSite {
    /// The address of the call or jump instruction.
    pub at: u64,
    /// What it calls.
    pub callee: u64,
}

/// A function with a name of libc's that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Why.
    pub why: String,
}

/// What a rewrite would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Functions {
    /// Functions whose entries become jumps, by address; each address once.
    pub functions: Vec<Function>,
    /// What is left alone.
    pub left: Vec<Left>,
    /// `__errno_location`.
    pub errno_location: Option<u64>,
    /// Where `__pthread_exit` calls `__pthread_tsd_run_dtors`.  Without it a thread's heap is not given back at its end; a
    /// program that makes no threads needs none.
    pub thread_exit: Option<CallSite>,
    /// Where the program has what the payload's functions of libc ask for, by name.
    #[serde(skip)]
    pub host: BTreeMap<String, u64>,
    /// Parts of which this very payload is in the program already.
    pub present: Vec<Component>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// What may go wrong; empty where the rewrite is safe.
    pub risks: Vec<Risk>,
}

/// Finds what of `wanted` the payload can take the place of; `names` are the program's, however they are known.
///
/// Errors: [`Kind::NotApplicable`](crate::Kind::NotApplicable) for programs that are not of musl, and
/// [`Kind::Refused`](crate::Kind::Refused) for what cannot be looked into or has another payload of brawn's.
pub fn find(
    program: &Program<'_>,
    names: &Names,
    payload: &Payload,
    wanted: &[Component],
) -> Result<Functions> {
    let whole = whole::Whole::of(program, payload)?;
    let mut stay = libc::Stay::new();
    for round in 0..ROUNDS {
        let found = look(&whole, names, wanted, &stay)?;
        let of_libc = |risk: &&Risk| risk.component.is_some_and(Component::is_libc);
        if !found.risks.iter().any(|risk| of_libc(&risk)) {
            return Ok(found);
        }
        // What a function's code is run by besides may itself go no more once that stays.
        let is_last = round + 2 == ROUNDS;
        let functions = found.functions.iter().filter(|f| f.component.is_libc());
        for function in functions {
            let mut of_it = found.risks.iter().filter(of_libc);
            let risk = of_it.find(|r| is_last || r.function == Some(function.address));
            stay.extend(risk.map(|risk| (function.address, risk.text.clone())));
        }
    }
    let rest: Vec<Component> = wanted.iter().copied().filter(|c| !c.is_libc()).collect();
    look(&whole, names, &rest, &stay)
}

/// How often a program is looked at, where functions of libc turn out to be run by others than their callers.
const ROUNDS: usize = 4;

/// Finds what of `wanted` can be replaced, but for the functions of libc that `stay`.
fn look(
    whole: &whole::Whole<'_, '_>,
    names: &Names,
    wanted: &[Component],
    stay: &libc::Stay,
) -> Result<Functions> {
    let mut found = Functions {
        present: whole.present(wanted)?,
        ..Functions::default()
    };
    let is_wanted = |component| wanted.contains(&component) && !found.present.contains(&component);
    let (heap, memory) = (is_wanted(Component::Heap), is_wanted(Component::Memory));
    let families = Component::families(wanted).filter(|f| is_wanted(Component::Libc(*f)));
    if !heap && !memory && families.is_none() {
        return Ok(found);
    }
    found.risks = whole.risks();
    let code = Code::new(whole.program, names);
    check_names(names, &code)?;
    let state = if heap {
        heap::find(whole, &code, names, &mut found)
    } else {
        heap::State::default()
    };
    if memory {
        memory::find(whole, &code, names, &mut found);
    }
    if let Some(families) = families {
        let has_memory = wanted.contains(&Component::Memory) && whole.payload.memory.is_some();
        libc::find(whole, &code, names, families, has_memory, stay, &mut found);
    }
    code.check_work()?;
    place::measure(&code, &mut found);
    found.functions.sort_by_key(|f| f.address);
    reach::check(whole, &code, names, &state, &mut found);
    if found
        .functions
        .iter()
        .any(|f| f.component == Component::Heap)
    {
        hooks::find(whole, &code, names, &mut found);
    }
    code.check_work()?;
    Ok(found)
}

/// What of libc is looked up besides its functions.
const OBJECTS: [&[u8]; 5] = [
    b"__aligned_alloc_replaced",
    b"__libc",
    b"__malloc_replaced",
    b"libc",
    b"mal",
];

/// Each pair of functions that libc has by name is looked at: refuses a program that has thousands.
fn check_names(names: &Names, code: &Code<'_>) -> Result<()> {
    let is_known = |name: &str| {
        let name = name.as_bytes();
        is_heap(name)
            || LOCAL.contains(&name)
            || OBJECTS.contains(&name)
            || MEMORY.iter().any(|n| n.as_bytes() == name)
    };
    let all = names.functions.iter().chain(&names.objects);
    let count = all.filter(|n| is_known(&n.name)).count();
    code.spend(count.saturating_mul(count));
    code.check_work()
}
