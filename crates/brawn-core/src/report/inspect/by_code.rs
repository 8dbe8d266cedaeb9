//! Finds musl's heap in a stripped program by the code of musl's functions: the simple heap leaves no other sign.

use crate::elf::program::Program;
use crate::error::Result;
use crate::identify::heap::{self, FoundHeap, Heap, Sure};
use crate::identify::{Identity, Libc};
use crate::signatures::names::{Evidence, Names};
use crate::signatures::{self, Build};

/// The names of musl's functions in `bytes`, found by their code; none if it is not an executable that can be
/// searched.
pub(in crate::report) fn names(bytes: &[u8], builds: &[Build]) -> Result<Names> {
    match Program::read(bytes) {
        Ok(program) => signatures::name_with(&program, builds),
        Err(_) => Ok(Names::default()),
    }
}

/// Adds musl's heap to the findings about a static program without symbols, if no heap was found yet.
pub(super) fn add(bytes: &[u8], builds: &[Build], identity: &mut Identity) -> Result<()> {
    let is_static = identity.linkage.is_static();
    let may_be = matches!(identity.libc, Libc::Musl | Libc::Unknown);
    if !is_static || !may_be || identity.has_symbols || !identity.heaps.is_empty() {
        return Ok(());
    }
    let names = names(bytes, builds)?;
    let told = names.functions.iter().filter_map(|named| {
        let Evidence::Signature(build) = &named.evidence else {
            return None;
        };
        let heap = heap::by_symbol(named.name.as_bytes()).filter(|h| h.is_musl())?;
        let what = format!("the code of musl's {}, as in {build}", named.name);
        Some((heap, what))
    });
    let mut told: Vec<(Heap, String)> = told.collect();
    // The simple heap is in the same member as the function that calls the other heaps; beside them it is unused.
    told.sort_by_key(|(heap, _)| *heap == Heap::MuslSimple);
    if let Some((heap, evidence)) = told.into_iter().next() {
        let found = FoundHeap::new(heap, Sure::Likely, evidence);
        identity.heaps.push(found);
        identity.libc = Libc::Musl;
    }
    Ok(())
}
