//! New bytes, read again and held against the plan and the old bytes, before anything is written.

use crate::apply::symbols_by_entry;
use crate::error::{Error, Result, printable};
use crate::identify::archive::Findings;
use crate::plan::{Action, Plan};
use crate::read::archive::{Archive, EntryKind};
use crate::read::elf::Object;
use brawn_payload::Payload;

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
    let mut symbols = symbols_by_entry(old, findings);
    let mut expected_lines = Vec::new();
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
        // The last member of an archive may have lacked its padding; it gets it when it is no
        // longer the last.
        let (was, is) = (old.whole(before), archive.whole(after));
        let same = is == was || is.strip_suffix(b"\n").is_some_and(|is| is == was);
        if !same || before.name != after.name || before.kind != after.kind {
            return Err(wrong("a member that should stay has changed").member(before.name));
        }
        let lines = std::mem::take(&mut symbols[number]);
        expected_lines.extend(lines.into_iter().map(|symbol| (symbol, position)));
    }
    for member in plan.coming(payload)? {
        let name = member.name.as_bytes();
        let (position, after) = entries
            .next()
            .ok_or_else(|| wrong("a payload member is missing").member(name))?;
        if after.name != name || archive.data(after) != member.bytes {
            return Err(wrong("a payload member differs").member(name));
        }
        let object = Object::read(member.bytes, 0).map_err(|e| e.member(name))?;
        if let Some(object) = object {
            expected_lines.extend(object.defined().map(|s| (s.name, position)));
        }
    }
    if let Some((_, entry)) = entries.next() {
        return Err(wrong("a member too many").member(entry.name));
    }
    match (&old.index, &archive.index) {
        (None, None) => Ok(()),
        (Some(_), Some(index)) => {
            if index.sorted {
                expected_lines.sort_by_key(|(symbol, _)| *symbol);
            }
            let found = index.lines.iter().map(|line| (line.symbol, line.entry));
            match found
                .zip(&expected_lines)
                .find(|(is, should)| is != *should)
            {
                Some(((symbol, _), _)) => Err(wrong(format!(
                    "symbol index says something else about `{}`",
                    printable(symbol)
                ))),
                None if index.lines.len() != expected_lines.len() => {
                    Err(wrong("symbol index has another number of lines"))
                }
                None => Ok(()),
            }
        }
        _ => Err(wrong("symbol index appeared or vanished")),
    }
}

fn wrong(found: impl Into<String>) -> Error {
    Error::refused(format!(
        "the new archive is not as planned: {}",
        found.into()
    ))
    .next("nothing was written; this is a fault of brawn's: please report it with the archive")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::apply;
    use crate::identify::archive::identify;
    use crate::read::archive::HEADER;
    use crate::testing::{archive, fake_payload, musl};

    #[test]
    fn one_wrong_byte_anywhere_that_matters_is_found() {
        let bytes = archive(&musl());
        let old = Archive::read(&bytes).unwrap();
        let findings = identify(&old).unwrap();
        let payload = fake_payload("1");
        let plan =
            crate::plan::plan(&old, &findings, &payload, &crate::plan::Options::default()).unwrap();
        let mut new = apply(&old, &findings, &plan, &payload).unwrap();
        check(&old, &findings, &plan, &payload, &new).unwrap();
        let read = Archive::read(&new).unwrap();
        let last = read.entries.len() - 1;
        let mut places = Vec::new();
        for (number, entry) in read.entries.iter().enumerate() {
            places.extend(match entry.kind {
                // Offsets and names; the header and the filler say nothing.
                EntryKind::Index(_) => entry.data.start..entry.data.end - 1,
                _ if number == last => entry.whole.start + HEADER..entry.data.end,
                _ => entry.whole.clone(),
            });
        }
        for at in places {
            new[at] ^= 1;
            let found = check(&old, &findings, &plan, &payload, &new);
            assert!(found.is_err(), "byte {at:#x}");
            new[at] ^= 1;
        }
    }

    #[test]
    fn a_missing_and_an_additional_member_are_found() {
        let bytes = archive(&musl());
        let old = Archive::read(&bytes).unwrap();
        let findings = identify(&old).unwrap();
        let payload = fake_payload("1");
        let plan =
            crate::plan::plan(&old, &findings, &payload, &crate::plan::Options::default()).unwrap();
        let new = apply(&old, &findings, &plan, &payload).unwrap();
        let read = Archive::read(&new).unwrap();
        let last = read.entries.last().unwrap().whole.clone();
        let twice = [&new[..], &new[last.clone()]].concat();
        assert!(check(&old, &findings, &plan, &payload, &twice).is_err());
        assert!(check(&old, &findings, &plan, &payload, &new[..last.start]).is_err());
        assert!(check(&old, &findings, &plan, &payload, &bytes).is_err());
    }
}
