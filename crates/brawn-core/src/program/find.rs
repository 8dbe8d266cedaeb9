//! Finds everything that a rewrite would change in a program, and every reason against it.
//!
//! The entry of each function of musl's becomes a jump. That is safe if nothing else runs the code behind the
//! entries, and if no code that stays uses the state of the replaced heap. Both are found in the program's code: by
//! one pass over all of it (`scan.rs`), and by decoding the places that this pass finds (`x86_64.rs`, `aarch64.rs`).

mod aarch64;
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
mod x86_64;

use crate::component::Component;
use crate::elf::program::Program;
use crate::error::Result;
use crate::identify::reach::LOCAL;
use crate::identify::{Identity, MEMORY, is_heap};
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

/// A function of musl's whose entry becomes a jump to the payload's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name, as in musl's sources.
    pub name: String,
    /// Other names for it.
    #[serde(skip)]
    pub aliases: Vec<String>,
    /// The part of libc that it belongs to.
    pub component: Component,
    /// Its address.
    pub address: u64,
    /// The address of the jump: after the landing pad for indirect calls, if there is one.
    pub patch_at: u64,
    /// How many bytes from `patch_at` on may be overwritten; enough for a jump.
    pub room: u64,
    /// The payload's name for it.
    pub target: String,
    /// How its address is known.
    pub evidence: Evidence,
    /// Its code: nothing runs it once its entry is a jump.
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

/// A function with a name of libc's that does not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// The reason.
    pub why: String,
}

impl Left {
    fn new(name: &str, address: u64, why: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            address,
            why: why.into(),
        }
    }
}

/// Everything that a rewrite would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Functions {
    /// Functions whose entries become jumps, by address; each address once.
    pub functions: Vec<Function>,
    /// Functions that do not change.
    pub left: Vec<Left>,
    /// `__errno_location`.
    pub errno_location: Option<u64>,
    /// The place where `__pthread_exit` calls `__pthread_tsd_run_dtors`. Without it, the heap of a thread cannot be
    /// returned when the thread ends. A program without threads does not need it.
    pub thread_exit: Option<CallSite>,
    /// The addresses of names in the program that the payload's functions of libc need.
    #[serde(skip)]
    pub host: BTreeMap<String, u64>,
    /// Parts that the program already has from exactly this payload.
    pub present: Vec<Component>,
    /// Further facts that the user should know.
    pub notes: Vec<String>,
    /// Reasons against the rewrite; empty if it is safe.
    pub risks: Vec<Risk>,
}

impl Functions {
    /// Whether functions of the heap are among them.
    pub fn has_heap(&self) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|f| f.component == Component::Heap)
    }
}

/// Finds the functions of `wanted` that the payload can replace. `identity` says what is in the program; `names` are its
/// names, from any source.
///
/// Errors: [`Kind::NotApplicable`](crate::Kind::NotApplicable) for programs without musl; and
/// [`Kind::Refused`](crate::Kind::Refused) for programs that cannot be examined or have another payload of brawn's.
pub fn find(
    program: &Program<'_>,
    identity: &Identity,
    names: &Names,
    payload: &Payload,
    wanted: &[Component],
) -> Result<Functions> {
    let whole = whole::Whole::of(program, identity.clone(), names, payload)?;
    let code = Code::new(whole.program, names);
    let mut stay = libc::Stay::new();
    for round in 0..ROUNDS {
        let found = look(&whole, &code, names, wanted, &stay)?;
        let of_libc = |risk: &&Risk| risk.component.is_some_and(Component::is_libc);
        if !found.risks.iter().any(|risk| of_libc(&risk)) {
            return hooked(&whole, &code, names, found);
        }
        // If a function stays, then other functions that its code runs may have to stay too.
        let is_last = round + 2 == ROUNDS;
        let functions = found.functions.iter().filter(|f| f.component.is_libc());
        for function in functions {
            let mut of_it = found.risks.iter().filter(of_libc);
            let risk = of_it.find(|r| is_last || r.function == Some(function.address));
            stay.extend(risk.map(|risk| (function.address, risk.text.clone())));
        }
    }
    let rest: Vec<Component> = wanted.iter().copied().filter(|c| !c.is_libc()).collect();
    let found = look(&whole, &code, names, &rest, &stay)?;
    hooked(&whole, &code, names, found)
}

/// Finds the places that the heap needs besides its functions. Once is enough: they do not depend on which functions of libc stay.
fn hooked(
    whole: &whole::Whole<'_, '_>,
    code: &Code<'_>,
    names: &Names,
    mut found: Functions,
) -> Result<Functions> {
    if found.has_heap() {
        code.refill();
        hooks::find(whole, code, names, &mut found);
    }
    code.check_work()?;
    Ok(found)
}

/// How often a program is examined again because functions of libc must stay.
const ROUNDS: usize = 4;

/// Finds the functions of `wanted` that can be replaced, without the functions of libc in `stay`.
fn look(
    whole: &whole::Whole<'_, '_>,
    code: &Code<'_>,
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
    code.refill();
    check_names(names, code)?;
    let state = if heap {
        heap::find(whole, code, names, &mut found)
    } else {
        heap::State::default()
    };
    if memory {
        memory::find(whole, code, names, &mut found);
    }
    if let Some(families) = families {
        let has_memory = wanted.contains(&Component::Memory) && whole.payload.memory.is_some();
        libc::find(whole, code, names, families, has_memory, stay, &mut found);
    }
    code.check_work()?;
    place::measure(code, &mut found);
    found.functions.sort_by_key(|f| f.address);
    reach::check(whole, code, names, &state, &mut found);
    code.check_work()?;
    Ok(found)
}

/// Data of libc that is looked up besides its functions.
const OBJECTS: [&str; 5] = [
    "__aligned_alloc_replaced",
    "__libc",
    "__malloc_replaced",
    "libc",
    "mal",
];

/// Every pair of names of libc is compared, so programs with thousands of them are refused.
fn check_names(names: &Names, code: &Code<'_>) -> Result<()> {
    let is_known = |name: &str| {
        is_heap(name.as_bytes())
            || LOCAL.contains(&name)
            || OBJECTS.contains(&name)
            || MEMORY.contains(&name)
    };
    let all = names.functions.iter().chain(&names.objects);
    let count = all.filter(|n| is_known(&n.name)).count();
    code.spend(count.saturating_mul(count));
    code.check_work()
}
