//! Turns an archive's bytes and a plan into new bytes, in memory.
//!
//! Members that stay are copied whole: header, name, contents and padding. The table of long names stays as it is,
//! since the members' headers point into it. Only the symbol index is written anew.

use crate::archive::identify::{Content, Findings};
use crate::archive::plan::{Action, Plan};
use crate::archive::read::{Archive, Dialect, EntryKind, HEADER, Index, IndexFormat, MAGIC};
use crate::elf::object::Object;
use crate::error::{Error, Result};
use brawn_payload::Payload;
use std::collections::HashSet;

/// The new archive.
pub fn apply(
    archive: &Archive<'_>,
    findings: &Findings<'_>,
    plan: &Plan,
    payload: &Payload,
) -> Result<Vec<u8>> {
    if plan.action == Action::Nothing {
        return Ok(archive.bytes.to_vec());
    }
    write(archive, plan, payload, symbols_by_entry(archive, findings))
}

/// The new archive. `symbols` has the index's symbols for each old entry.
pub(crate) fn write(
    archive: &Archive<'_>,
    plan: &Plan,
    payload: &Payload,
    mut symbols: Vec<Vec<&[u8]>>,
) -> Result<Vec<u8>> {
    let kept: Vec<usize> = (0..archive.entries.len())
        .filter(|n| !matches!(archive.entries[*n].kind, EntryKind::Index(_)) && !plan.removes(*n))
        .collect();
    let coming = plan.coming(payload)?;
    // Everything after the index, in parts, with where each entry begins. (An archive may be large: two copies are enough.)
    let headers = coming
        .iter()
        .map(|m| header(archive.dialect, m.name, m.bytes.len()));
    let headers = headers.collect::<Result<Vec<_>>>()?;
    let mut body = Body::default();
    let mut places: Vec<(Owner, u64)> = Vec::with_capacity(kept.len() + coming.len());
    for number in kept {
        let whole = archive.whole(&archive.entries[number]);
        places.push((Owner::Kept(number), body.add(&[whole])));
    }
    for (number, (member, header)) in coming.iter().zip(&headers).enumerate() {
        places.push((Owner::Added(number), body.add(&[header, &member.bytes])));
    }

    let mut bytes = Vec::new();
    bytes.extend_from_slice(MAGIC);
    if let Some(index) = &archive.index {
        let added: Vec<Vec<&[u8]>> = coming
            .iter()
            .map(|m| {
                let object =
                    Object::read(m.bytes.get(), 0).map_err(|e| e.member(m.name.as_bytes()))?;
                Ok(object
                    .map(|o| o.defined().map(|s| s.name).collect())
                    .unwrap_or_default())
            })
            .collect::<Result<_>>()?;
        let mut lines =
            Vec::with_capacity(index.lines.len() + added.iter().map(Vec::len).sum::<usize>());
        for (owner, place) in places {
            let defined = match owner {
                Owner::Kept(number) => std::mem::take(&mut symbols[number]),
                Owner::Added(number) => added[number].clone(),
            };
            lines.extend(defined.into_iter().map(|symbol| (symbol, place)));
        }
        write_index(&mut bytes, archive, index, lines)?;
    }
    bytes.reserve_exact(body.size + 1);
    body.parts
        .iter()
        .for_each(|part| bytes.extend_from_slice(part));
    bytes.extend_from_slice(filler(body.size));
    Ok(bytes)
}

/// Entries, each at an even offset.
#[derive(Default)]
struct Body<'a> {
    parts: Vec<&'a [u8]>,
    size: usize,
}

impl<'a> Body<'a> {
    /// Adds an entry, and gives its offset.
    fn add(&mut self, parts: &[&'a [u8]]) -> u64 {
        let filler = filler(self.size);
        let place = self.size + filler.len();
        self.parts.push(filler);
        self.parts.extend_from_slice(parts);
        self.size = place + parts.iter().map(|part| part.len()).sum::<usize>();
        place as u64
    }
}

enum Owner {
    Kept(usize),
    Added(usize),
}

/// Entries begin on even offsets; the filler is what `ar` writes.
fn filler(size: usize) -> &'static [u8] {
    &b"\n"[..size % 2]
}

/// The symbols of each entry for the index. First come the symbols of the old index, in its order, so that members
/// which only a compiler's plugin can read keep theirs. Then come symbols that the object defines and the old index
/// lacks.
pub(crate) fn symbols_by_entry<'a>(
    archive: &Archive<'a>,
    findings: &Findings<'a>,
) -> Vec<Vec<&'a [u8]>> {
    let mut symbols: Vec<Vec<&[u8]>> = vec![Vec::new(); archive.entries.len()];
    for line in archive.index.iter().flat_map(|index| &index.lines) {
        if let Some(list) = symbols.get_mut(line.entry) {
            list.push(line.symbol);
        }
    }
    for member in &findings.members {
        let (Content::Object(_), Some(list)) = (&member.content, symbols.get_mut(member.entry))
        else {
            continue;
        };
        if member.defined().map(|s| s.name).eq(list.iter().copied()) {
            continue;
        }
        let known: HashSet<&[u8]> = list.iter().copied().collect();
        list.extend(
            member
                .defined()
                .map(|s| s.name)
                .filter(|name| !known.contains(name)),
        );
    }
    symbols
}

/// A member's header, with the fields that `ar D` writes.
pub(crate) fn header(dialect: Dialect, name: &str, size: usize) -> Result<[u8; HEADER]> {
    let decorated = match dialect {
        Dialect::Gnu => format!("{name}/"),
        Dialect::Bsd => name.to_string(),
    };
    if decorated.len() > 16 || name.contains([' ', '/']) {
        return Err(Error::refused(format!("payload member named `{name}`"))
            .expected("at most 15 bytes, without spaces and slashes"));
    }
    field(format!(
        "{decorated:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
        0, 0, 0, 644
    ))
}

fn field(header: String) -> Result<[u8; HEADER]> {
    header
        .into_bytes()
        .try_into()
        .map_err(|_| Error::refused("member of ten gigabytes or more"))
}

/// Writes the index in the layout of the old one. Its header is the old one's with a new size. Offsets in `lines`
/// count from the first byte after the index.
fn write_index(
    bytes: &mut Vec<u8>,
    archive: &Archive<'_>,
    old: &Index<'_>,
    mut lines: Vec<(&[u8], u64)>,
) -> Result<()> {
    let entry = archive
        .entries
        .get(old.entry)
        .ok_or_else(|| Error::malformed("symbol index without an entry"))?;
    if old.sorted {
        lines.sort_by_key(|(symbol, _)| *symbol);
    }
    // A BSD long name is part of the contents.
    let long_name = archive
        .bytes
        .get(entry.whole.start + HEADER..entry.data.start)
        .unwrap_or_default();
    let at = bytes.len() + HEADER + long_name.len();
    let (format, contents) = match index_contents(old.format, &lines, at) {
        None if old.format.is_gnu() => {
            let wide = IndexFormat::Gnu64;
            (wide, index_contents(wide, &lines, at))
        }
        None => return Err(Error::refused("BSD archive of more than 4 GiB")),
        contents => (old.format, contents),
    };
    let contents = contents.ok_or_else(|| Error::refused("archive of more than 16 EiB"))?;
    let start = bytes.len();
    bytes.extend_from_slice(&archive.bytes[entry.whole.start..entry.whole.start + HEADER]);
    if format != old.format {
        bytes[start..start + 16].copy_from_slice(b"/SYM64/         ");
    }
    let size = format!("{:<10}", contents.len() + long_name.len());
    let size: [u8; 10] = size
        .into_bytes()
        .try_into()
        .map_err(|_| Error::refused("symbol index of ten gigabytes or more"))?;
    bytes[start + 48..start + 58].copy_from_slice(&size);
    bytes.extend_from_slice(long_name);
    bytes.extend_from_slice(&contents);
    Ok(())
}

/// The index's contents, if they begin at offset `start` and the first member follows them. `None` if an offset does
/// not fit the layout.
pub(crate) fn index_contents(
    format: IndexFormat,
    lines: &[(&[u8], u64)],
    start: usize,
) -> Option<Vec<u8>> {
    let names: usize = lines.iter().map(|(symbol, _)| symbol.len() + 1).sum();
    let is_gnu = format.is_gnu();
    let word = match format {
        IndexFormat::Gnu32 | IndexFormat::Bsd32 => 4,
        IndexFormat::Gnu64 | IndexFormat::Bsd64 => 8,
    };
    // GNU's has a count before the offsets. BSD's has sizes before and behind pairs of offsets.
    let pair = if is_gnu { word } else { 2 * word };
    let plain = pair + lines.len() * pair + names;
    // `ar` and LLVM count the filler as contents. BSD pads so that the next header is aligned.
    let size = match is_gnu {
        true => plain.next_multiple_of(2),
        false => (start + plain).next_multiple_of(8) - start,
    };
    let first = (start + size) as u64;
    let mut out = Vec::with_capacity(size);
    let mut put = |value: u64| -> Option<()> {
        if word == 4 && value > u32::MAX.into() {
            return None;
        }
        match is_gnu {
            true => out.extend_from_slice(&value.to_be_bytes()[8 - word..]),
            false => out.extend_from_slice(&value.to_le_bytes()[..word]),
        }
        Some(())
    };
    put(lines.len() as u64 * if is_gnu { 1 } else { pair as u64 })?;
    let mut name_at = 0u64;
    for (symbol, offset) in lines {
        if !is_gnu {
            put(name_at)?;
        }
        put(first.checked_add(*offset)?)?;
        name_at += symbol.len() as u64 + 1;
    }
    if !is_gnu {
        put(names as u64)?;
    }
    for (symbol, _) in lines {
        out.extend_from_slice(symbol);
        out.push(0);
    }
    out.resize(size, 0);
    Some(out)
}

#[cfg(test)]
mod tests;
