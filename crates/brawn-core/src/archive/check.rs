//! Reads the new bytes again and compares them with the plan and the old bytes, before anything is written.
//!
//! Nothing here asks `apply` what it wrote. What the new archive must be follows from the old archive, the plan and
//! the payload alone. So a fault in `apply` is found here and not repeated.

use crate::archive::identify::Findings;
use crate::archive::plan::{Action, Plan};
use crate::archive::read::{Archive, EntryKind, Index};
use crate::component::Component;
use crate::error::{Error, Result, printable};
use brawn_payload::Payload;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Fails unless `new` is `old` with exactly the plan's changes.
pub fn check(
    old: &Archive<'_>,
    findings: &Findings<'_>,
    plan: &Plan,
    payload: &Payload,
    new: &[u8],
) -> Result<()> {
    if plan.action == Action::Nothing {
        return if old.bytes == new {
            Ok(())
        } else {
            Err(wrong("a change where nothing was to do"))
        };
    }
    let archive = Archive::read(new)?;
    // For each entry of the new archive: the entry of the old archive that it was.
    let mut stays = Vec::with_capacity(old.entries.len());
    let mut entries = archive
        .entries
        .iter()
        .enumerate()
        .filter(|(_, e)| !matches!(e.kind, EntryKind::Index(_)));
    for (number, before) in old.entries.iter().enumerate() {
        if matches!(before.kind, EntryKind::Index(_)) || plan.removes(number) {
            continue;
        }
        let (position, after) = entries
            .next()
            .ok_or_else(|| wrong("a member is missing").member(before.name))?;
        // The last member of an archive may lack its padding. It gets the padding when it is no longer the last.
        let (was, is) = (old.whole(before), archive.whole(after));
        let same = is == was || is.strip_suffix(b"\n").is_some_and(|is| is == was);
        if !same || before.name != after.name || before.kind != after.kind {
            return Err(wrong("a member that should stay has changed").member(before.name));
        }
        stays.push((number, position));
    }
    let mut comes = archive.entries.len()..archive.entries.len();
    for member in plan.coming(payload)? {
        let name = member.name.as_bytes();
        let (position, after) = entries
            .next()
            .ok_or_else(|| wrong("a payload member is missing").member(name))?;
        if after.name != name || archive.data(after) != member.bytes.get() {
            return Err(wrong("a payload member differs").member(name));
        }
        comes.start = comes.start.min(position);
    }
    if let Some((_, entry)) = entries.next() {
        return Err(wrong("a member too many").member(entry.name));
    }
    match (&old.index, &archive.index) {
        (None, None) => Ok(()),
        (Some(before), Some(after)) => {
            check_order(after)?;
            let (was, is) = (by_entry(before, old), by_entry(after, &archive));
            let defined = defined(findings);
            for (number, position) in stays {
                let (was, is) = (was.get(&number), is.get(&position));
                let found = is.map_or(&[][..], Vec::as_slice);
                let old = was.map_or(&[][..], Vec::as_slice);
                let defined = defined.get(&number).map_or(&[][..], Vec::as_slice);
                check_lines(found, old, defined, after.sorted)
                    .map_err(|e| e.member(archive.entries[position].name))?;
            }
            let added = comes.filter_map(|position| is.get(&position)).flatten();
            check_added(added.copied().collect(), plan, payload)
        }
        _ => Err(wrong("symbol index appeared or vanished")),
    }
}

/// The symbols of each entry, in the order in which the index has them.
fn by_entry<'a>(index: &Index<'a>, archive: &Archive<'a>) -> HashMap<usize, Vec<&'a [u8]>> {
    let mut symbols: HashMap<usize, Vec<&[u8]>> = HashMap::with_capacity(archive.entries.len());
    for line in &index.lines {
        symbols.entry(line.entry).or_default().push(line.symbol);
    }
    symbols
}

/// What the object in each entry defines.
fn defined<'a>(findings: &Findings<'a>) -> HashMap<usize, Vec<&'a [u8]>> {
    let members = findings.members.iter();
    members
        .map(|m| (m.entry, m.defined().map(|s| s.name).collect()))
        .collect()
}

/// The index's lines follow the order of the members; in a sorted index they follow the order of the symbols.
fn check_order(index: &Index<'_>) -> Result<()> {
    let key = |n: usize| {
        let line = &index.lines[n];
        let symbol = index.sorted.then_some(line.symbol);
        (symbol, line.entry)
    };
    match (1..index.lines.len()).find(|n| key(n - 1) > key(*n)) {
        Some(n) => Err(wrong(format!(
            "symbol index has `{}` in the wrong place",
            printable(index.lines[n].symbol)
        ))),
        None => Ok(()),
    }
}

/// A member that stays keeps its old lines. After them come symbols that its object defines and the old index lacked.
fn check_lines(found: &[&[u8]], old: &[&[u8]], defined: &[&[u8]], sorted: bool) -> Result<()> {
    let known: HashSet<&[u8]> = old.iter().copied().collect();
    let new = defined.iter().filter(|name| !known.contains(*name));
    let mut expected: Vec<&[u8]> = old.iter().chain(new).copied().collect();
    if sorted {
        expected.sort_unstable();
    }
    same(found, &expected)
}

/// The index has exactly the names that the payload declares for each added member.
fn check_added(mut found: Vec<&[u8]>, plan: &Plan, payload: &Payload) -> Result<()> {
    let of = |part: Component| plan.add.iter().filter(move |added| added.component == part);
    let comes = |part: Component, name: &str| of(part).any(|added| added.name == name);
    let has_heap = of(Component::Heap).next().is_some();
    let heap = payload.surface.iter().filter(|_| has_heap);
    let memory = payload.memory_functions().iter();
    let memory = memory.filter(|f| comes(Component::Memory, f.member.name));
    let libc = payload.libc.functions.iter();
    let libc = libc.filter(|f| comes(Component::LIBC, f.member.name));
    let names = memory
        .chain(libc)
        .flat_map(|f| f.surface.iter().chain(f.own));
    let supplied = payload.supplied.functions.iter();
    let supplied = supplied.filter(|f| comes(Component::Supplied, f.member.name));
    let expected = heap.chain(names).copied();
    let expected = expected.chain(supplied.map(|f| f.name));
    let mut expected: Vec<&[u8]> = expected.map(str::as_bytes).collect();
    expected.sort_unstable();
    // Compilers put these symbols into every object that uses C++ exceptions; linkers keep one of each.
    found.retain(|name| !name.starts_with(b"DW.ref.") && *name != b"__clang_call_terminate");
    found.sort_unstable();
    same(&found, &expected)
}

fn same(found: &[&[u8]], expected: &[&[u8]]) -> Result<()> {
    let differs = found.iter().zip(expected).find(|(is, should)| is != should);
    let name = match (differs, found.len().cmp(&expected.len())) {
        (None, Ordering::Equal) => return Ok(()),
        (Some((name, _)), _) => name,
        (None, Ordering::Greater) => &found[expected.len()],
        (None, Ordering::Less) => &expected[found.len()],
    };
    let name = printable(name);
    Err(wrong(format!("symbol index is wrong about `{name}`")))
}

fn wrong(found: impl Into<String>) -> Error {
    Error::refused(format!(
        "the new archive is not as planned: {}",
        found.into()
    ))
    .next("nothing was written; this is a fault of brawn's: please report it with the archive")
}

#[cfg(test)]
mod tests;
