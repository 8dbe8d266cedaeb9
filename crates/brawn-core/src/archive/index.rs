//! Reads the symbol index of an archive, in its four layouts.

use super::entry::{Entry, EntryKind, Index, IndexFormat, IndexLine};
use crate::error::{Error, Result, printable};
use crate::work::Strings;

/// Reads the index among `entries`, if there is one.
pub(crate) fn read<'a>(bytes: &'a [u8], entries: &[Entry<'a>]) -> Result<Option<Index<'a>>> {
    let found = entries.iter().enumerate().find_map(|(n, e)| match e.kind {
        EntryKind::Index(format) => Some((n, e, format)),
        _ => None,
    });
    let Some((number, entry, format)) = found else {
        return Ok(None);
    };
    let data = bytes.get(entry.data.clone()).unwrap_or_default();
    let place = entry.data.start as u64;
    let wrong = |found: &str, at: u64| {
        Error::malformed(format!("symbol index: {found}"))
            .at(at)
            .member(entry.name)
            .next("rebuild it with `ranlib` and try again")
    };
    let raw = match format {
        IndexFormat::Gnu32 => gnu::<4>(data),
        IndexFormat::Gnu64 => gnu::<8>(data),
        IndexFormat::Bsd32 => bsd::<4>(data),
        IndexFormat::Bsd64 => bsd::<8>(data),
    }
    .map_err(|(found, at)| wrong(found, place.saturating_add(at as u64)))?;
    // Lines are in the order of the members, so the entry is mostly the same as for the line before.
    let mut lines = Vec::with_capacity(raw.len());
    let mut last: Option<usize> = None;
    for (symbol, offset) in raw {
        let same = |n: &usize| {
            entries
                .get(*n)
                .is_some_and(|e| e.whole.start as u64 == offset)
        };
        let position = match last.filter(same) {
            Some(n) => n,
            None => entries
                .binary_search_by(|e| (e.whole.start as u64).cmp(&offset))
                .ok()
                .filter(|n| entries[*n].kind == EntryKind::Member)
                .ok_or_else(|| {
                    let symbol = printable(symbol);
                    let found =
                        format!("`{symbol}` is said to be at {offset:#x}, where no member begins");
                    wrong(&found, place)
                })?,
        };
        last = Some(position);
        lines.push(IndexLine {
            symbol,
            entry: position,
        });
    }
    Ok(Some(Index {
        format,
        sorted: entry.name.ends_with(b" SORTED"),
        entry: number,
        lines,
    }))
}

type Raw<'a> = std::result::Result<Vec<(&'a [u8], u64)>, (&'static str, usize)>;

fn big<const N: usize>(data: &[u8], at: usize) -> Option<u64> {
    let word = data.get(at..at.checked_add(N)?)?;
    Some(word.iter().fold(0, |n, b| n << 8 | u64::from(*b)))
}

fn little<const N: usize>(data: &[u8], at: usize) -> Option<u64> {
    let word = data.get(at..at.checked_add(N)?)?;
    Some(word.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
}

/// A count, then that many big-endian offsets, then that many NUL-terminated names.
fn gnu<const N: usize>(data: &[u8]) -> Raw<'_> {
    if data.is_empty() {
        return Ok(Vec::new());
    }
    let count = big::<N>(data, 0).ok_or(("count is truncated", 0))?;
    let count = usize::try_from(count).ok();
    let count = count.filter(|n| *n <= data.len() / N);
    let count = count.ok_or(("count of symbols is larger than the index", 0))?;
    let mut names_at = N + count * N;
    let mut lines = Vec::with_capacity(count);
    for n in 0..count {
        let at = N + n * N;
        let offset = big::<N>(data, at).ok_or(("offsets are truncated", at))?;
        let rest = data
            .get(names_at..)
            .ok_or(("names are truncated", names_at))?;
        let length = rest
            .iter()
            .position(|b| *b == 0)
            .ok_or(("name without an end", names_at))?;
        lines.push((&rest[..length], offset));
        names_at += length + 1;
    }
    Ok(lines)
}

/// The layout: size of the pairs; pairs of name offset and member offset; size of the names; names.
fn bsd<const N: usize>(data: &[u8]) -> Raw<'_> {
    if data.is_empty() {
        return Ok(Vec::new());
    }
    let number = |at| usize::try_from(little::<N>(data, at)?).ok();
    let is_whole = |n: &usize| *n <= data.len() && n.is_multiple_of(2 * N);
    let size = number(0).filter(is_whole).ok_or(("size of the pairs", 0))?;
    let names_at = N + size;
    let names_size = number(names_at).ok_or(("size of the names", names_at))?;
    let names = data
        .get(names_at + N..)
        .and_then(|rest| rest.get(..names_size))
        .ok_or(("names are truncated", names_at))?;
    let strings = Strings::new(names, size / (2 * N));
    let mut lines = Vec::with_capacity(size / (2 * N));
    for pair in (N..N + size).step_by(2 * N) {
        let name_at = number(pair).ok_or(("offset of a name", pair))?;
        let offset = little::<N>(data, pair + N).ok_or(("offset of a member", pair + N))?;
        let name = strings.get(name_at as u64);
        let name = name.map_err(|_| ("names that share their bytes too often", pair))?;
        let name = name.ok_or(("offset of a name", pair))?;
        if names.get(name_at + name.len()) != Some(&0) {
            return Err(("name without an end", pair));
        }
        lines.push((name, offset));
    }
    Ok(lines)
}
