//! Finds the memory functions: musl's, and those that the compiler brings in their place.
//!
//! A program's own functions stay, as they do when it is linked with a patched `libc.a`: somebody had a reason for
//! them. Functions after the first of musl's are musl's or the compiler's: linkers keep an archive's members
//! together, and libc and the compiler's library come last. Both serve the whole program, and do what the C standard
//! says.

use super::code::Code;
use super::place;
use super::whole::Whole;
use super::{Functions, Left};
use crate::component::Component;
use crate::identify::MEMORY;
use crate::signatures::names::{Evidence, Named, Names};

/// Finds them.
pub fn find(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names, found: &mut Functions) {
    let Some(memory) = whole.payload.memory else {
        let name = whole.payload.architecture.name();
        found
            .notes
            .push(format!("this brawn has no memory functions for {name}"));
        return;
    };
    let surface = || memory.functions.iter().flat_map(|f| f.surface);
    let libc = names.libc();
    let named = |n: &&Named| surface().any(|s| *s == n.name) && code.from(n.address).is_some();
    for named in names.functions.iter().filter(named) {
        let is_libcs =
            named.evidence != Evidence::Symbol || libc.is_some_and(|l| named.address >= l);
        if is_libcs {
            place::add(code, named, Component::Memory, found);
        } else if MEMORY.contains(&named.name.as_str()) {
            let why = "the program's own: it lies before libc's functions";
            found.left.push(Left::new(&named.name, named.address, why));
        }
    }
}
