//! The parts of an archive.

use std::ops::Range;

/// What every archive begins with.
pub const MAGIC: &[u8; 8] = b"!<arch>\n";
/// Size of a member's header.
pub const HEADER: usize = 60;

/// How member names and the symbol index are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// `name/`, long names in the `//` member, index in `/`.
    Gnu,
    /// `name`, long names as `#1/length` before the data, index in `__.SYMDEF`.
    Bsd,
}

/// How the symbol index is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexFormat {
    /// `/`: 32-bit big-endian offsets.
    Gnu32,
    /// `/SYM64/`: 64-bit big-endian offsets.
    Gnu64,
    /// `__.SYMDEF`: 32-bit little-endian pairs.
    Bsd32,
    /// `__.SYMDEF_64`: 64-bit little-endian pairs.
    Bsd64,
}

impl IndexFormat {
    pub(super) fn is_gnu(self) -> bool {
        matches!(self, Self::Gnu32 | Self::Gnu64)
    }
}

/// What an entry of an archive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// The symbol index.
    Index(IndexFormat),
    /// The GNU table of long names.
    LongNames,
    /// A member.
    Member,
}

/// One header and what belongs to it.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// What it is.
    pub kind: EntryKind,
    /// The member's name without the dialect's decoration.
    pub name: &'a [u8],
    /// From the first byte of its header to the last byte of its padding.
    pub whole: Range<usize>,
    /// Its contents: without header, BSD long name and padding.
    pub data: Range<usize>,
}

/// One line of the symbol index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexLine<'a> {
    /// The symbol.
    pub symbol: &'a [u8],
    /// The entry that defines it: a position in [`Archive::entries`](super::read::Archive::entries).
    pub entry: usize,
}

/// The symbol index of an archive.
#[derive(Clone, Debug)]
pub struct Index<'a> {
    /// The layout of the index.
    pub format: IndexFormat,
    /// Whether it is BSD's `__.SYMDEF SORTED`: in the order of the symbols, not of the members.
    pub sorted: bool,
    /// Its position in [`Archive::entries`](super::read::Archive::entries).
    pub entry: usize,
    /// Its lines, in their order.
    pub lines: Vec<IndexLine<'a>>,
}
