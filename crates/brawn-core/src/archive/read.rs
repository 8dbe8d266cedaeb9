//! Reads `ar` archives: GNU, BSD and what LLVM and zig write.
//!
//! Every byte of the file belongs to the magic or to exactly one [`Entry`], so that an editor can
//! copy what it does not change.

use crate::advice::Advice;
use crate::archive::index;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use crate::work::{LONGEST_NAME, Work, shared};

pub use super::entry::{Dialect, Entry, EntryKind, HEADER, Index, IndexFormat, IndexLine, MAGIC};

/// An archive.
#[derive(Clone, Debug)]
pub struct Archive<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// How its names are written.
    pub dialect: Dialect,
    /// Everything after the magic, in file order, without gaps.
    pub entries: Vec<Entry<'a>>,
    /// The symbol index, where it has one.
    pub index: Option<Index<'a>>,
}

impl<'a> Archive<'a> {
    /// Reads the archive in `bytes`.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        match Format::of(bytes) {
            Format::Archive | Format::Debian => {}
            Format::ThinArchive => {
                return Err(Error::refused("thin archive: it names its members instead of holding them")
                    .at(0)
                    .expected("an archive that holds its members")
                    .next("make a whole one with `ar -M` (`create new.a`, `addlib thin.a`, `save`) and patch that"));
            }
            Format::Elf => {
                return Err(Error::not_applicable(
                    "a program, library or object (ELF), not an archive such as libc.a",
                )
                .next(format!(
                    "{} is for finished static programs, {} for a look at any file",
                    Advice::Rewrite(None),
                    Advice::Inspect
                )));
            }
            _ => {
                if let Some(packer) = Format::packed(bytes) {
                    return Err(Error::refused(format!("packed by {packer}"))
                        .at(0)
                        .expected("a libc.a, or a Swift SDK bundle as a tar archive, plain or compressed by gzip")
                        .next("unpack it, and patch the file or directory that comes out"));
                }
                return Err(Error::malformed(match bytes.is_empty() {
                    true => "an empty file".to_owned(),
                    false => format!(
                        "not an archive: the file begins with `{}`",
                        printable(&bytes[..bytes.len().min(MAGIC.len())])
                    ),
                })
                .expected("an archive such as libc.a, which begins with `!<arch>\\n`"));
            }
        }
        let mut reader = Reader {
            bytes,
            long_names: None,
            dialect: None,
            entries: Vec::new(),
            // Each member adds at least 60 bytes of header to the file, and so allows 240 bytes of long names.
            work: Work::new(bytes.len().saturating_mul(4)),
        };
        let mut at = MAGIC.len();
        while at < bytes.len() {
            at = reader.entry(at)?;
        }
        let Reader {
            dialect, entries, ..
        } = reader;
        let index = index::read(bytes, &entries)?;
        Ok(Self {
            bytes,
            dialect: dialect.unwrap_or(Dialect::Gnu),
            entries,
            index,
        })
    }

    /// The members, with their positions in [`Archive::entries`].
    pub fn members(&self) -> impl Iterator<Item = (usize, &Entry<'a>)> {
        self.entries
            .iter()
            .enumerate()
            .filter(|(_, e)| e.kind == EntryKind::Member)
    }

    /// An entry's contents.
    pub fn data(&self, entry: &Entry<'a>) -> &'a [u8] {
        self.bytes.get(entry.data.clone()).unwrap_or_default()
    }

    /// An entry's header, name and padding included.
    pub fn whole(&self, entry: &Entry<'a>) -> &'a [u8] {
        self.bytes.get(entry.whole.clone()).unwrap_or_default()
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    long_names: Option<&'a [u8]>,
    dialect: Option<Dialect>,
    entries: Vec<Entry<'a>>,
    /// How many bytes of long names may be read.
    work: Work,
}

impl<'a> Reader<'a> {
    /// Reads the entry at `at` and returns where the next one begins.
    fn entry(&mut self, at: usize) -> Result<usize> {
        let bytes = self.bytes;
        let place = at as u64;
        let left = bytes.len().saturating_sub(at);
        let Some((header, rest)) = bytes
            .get(at..)
            .and_then(|b| b.split_first_chunk::<HEADER>())
        else {
            return Err(
                Error::malformed(format!("{left} bytes where a member header begins"))
                    .at(place)
                    .expected(format!("{HEADER} bytes"))
                    .next("the archive is truncated: get it again"),
            );
        };
        let (raw_name, fields) = header.split_at(16);
        // `ar` ends a short name with `/`, but not the special names.
        let shown = raw_name.trim_ascii_end();
        let shown = match shown.strip_suffix(b"/") {
            Some(name) if !name.is_empty() && name != b"/" => name,
            _ => shown,
        };
        if &fields[42..44] != b"`\n" {
            let end = printable(&fields[42..44]);
            return Err(Error::malformed(format!("member header ends with `{end}`"))
                .at(place + 58)
                .expected("`` `\\n ``")
                .next(
                    "the previous member's size is wrong, or the archive is damaged: get it again",
                ));
        }
        let size = decimal(&fields[32..42]).ok_or_else(|| {
            let field = printable(fields[32..42].trim_ascii_end());
            Error::malformed(format!("size field `{field}`"))
                .at(place + 48)
                .member(shown)
                .expected("decimal digits")
        })?;
        if size > rest.len() {
            let left = rest.len();
            let found = format!("size {size} with {left} bytes left in the file");
            return Err(Error::malformed(found)
                .at(place + 48)
                .member(shown)
                .expected("a size within the file")
                .next("the archive is truncated or damaged: get it again"));
        }
        let start = at + HEADER;
        let end = start + size;
        // Members begin on even offsets; the last one may lack its padding byte.
        let is_padded = end % 2 == 1 && end < bytes.len();
        let next = end + usize::from(is_padded);
        let contents = &rest[..size];
        let (kind, name, skip) = self.name(raw_name, contents, place)?;
        if kind != EntryKind::Member && self.entries.iter().any(|e| e.kind == kind) {
            return Err(Error::refused("second special member of the same kind")
                .at(place)
                .member(shown)
                .expected("at most one symbol index and one table of long names"));
        }
        if kind == EntryKind::LongNames {
            self.long_names = Some(contents);
        }
        self.entries.push(Entry {
            kind,
            name,
            whole: at..next,
            data: start + skip..end,
        });
        Ok(next)
    }

    /// Interprets the name field: the kind of the entry, its name, and how many bytes of the contents belong to the
    /// name.
    fn name(
        &mut self,
        raw: &'a [u8],
        contents: &'a [u8],
        place: u64,
    ) -> Result<(EntryKind, &'a [u8], usize)> {
        let trimmed = raw.trim_ascii_end();
        let special = match trimmed {
            b"/" => Some(EntryKind::Index(IndexFormat::Gnu32)),
            b"/SYM64/" => Some(EntryKind::Index(IndexFormat::Gnu64)),
            b"//" => Some(EntryKind::LongNames),
            _ => None,
        };
        if let Some(kind) = special {
            self.dialect.get_or_insert(Dialect::Gnu);
            return Ok((kind, trimmed, 0));
        }
        let (name, skip) = if let Some(length) = trimmed.strip_prefix(b"#1/") {
            self.dialect.get_or_insert(Dialect::Bsd);
            let length = decimal(length)
                .filter(|n| *n <= contents.len())
                .ok_or_else(|| {
                    Error::malformed("length of a BSD long name")
                        .at(place)
                        .member(trimmed)
                        .expected("decimal digits, at most the member's size")
                })?;
            let name = &contents[..length];
            let end = name.iter().rposition(|b| *b != 0).map_or(0, |n| n + 1);
            (&name[..end], length)
        } else if let Some(offset) = trimmed.strip_prefix(b"/") {
            (self.long_name(offset, trimmed, place)?, 0)
        } else if let Some(name) = trimmed.strip_suffix(b"/") {
            self.dialect.get_or_insert(Dialect::Gnu);
            (name, 0)
        } else {
            (trimmed, 0)
        };
        let index = match name {
            b"__.SYMDEF" | b"__.SYMDEF SORTED" => Some(IndexFormat::Bsd32),
            b"__.SYMDEF_64" | b"__.SYMDEF_64 SORTED" => Some(IndexFormat::Bsd64),
            _ => None,
        };
        // Only the first entry can be the index; a later member of that name is an ordinary member.
        if let (Some(format), true) = (index, self.entries.is_empty()) {
            self.dialect = Some(Dialect::Bsd);
            return Ok((EntryKind::Index(format), name, skip));
        }
        if skip == 0 && !trimmed.ends_with(b"/") && !trimmed.starts_with(b"/") {
            self.dialect.get_or_insert(Dialect::Bsd);
        }
        Ok((EntryKind::Member, name, skip))
    }

    fn long_name(&self, offset: &'a [u8], trimmed: &[u8], place: u64) -> Result<&'a [u8]> {
        let bad = |found: &str| {
            Error::malformed(found)
                .at(place)
                .member(trimmed)
                .expected("an offset into the table of long names, `//`, before this member")
        };
        let table = self
            .long_names
            .ok_or_else(|| bad("long name without a table of long names"))?;
        let rest = decimal(offset)
            .and_then(|n| table.get(n..))
            .filter(|rest| !rest.is_empty())
            .ok_or_else(|| bad("offset of a long name"))?;
        let within = &rest[..rest.len().min(LONGEST_NAME + 1)];
        let end = memchr::memchr2(b'\n', 0, within);
        if !self.work.spend(end.unwrap_or(within.len())) {
            return Err(shared().at(place));
        }
        let end = match end {
            Some(end) => end,
            None if within.len() > LONGEST_NAME => {
                let found = format!("a name of more than {LONGEST_NAME} bytes");
                return Err(Error::refused(found).at(place).member(trimmed));
            }
            None => return Err(bad("long name without an end")),
        };
        let name = &rest[..end];
        Ok(name.strip_suffix(b"/").unwrap_or(name))
    }
}

/// Decimal digits, then only spaces.
fn decimal(field: &[u8]) -> Option<usize> {
    let digits = field.trim_ascii_end();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
