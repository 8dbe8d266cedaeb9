//! Limits how much work a file can make for its reader.
//!
//! A file can refer to the same name, segment or member a million times: ten bytes of a table then cost megabytes of
//! reading. So everything that a file can refer to more than once counts against a budget, which grows linearly with
//! the file's size. brawn refuses files that exceed it. Files from real linkers and archivers stay far below it.

use crate::error::{Error, Result};
use std::cell::Cell;
use std::ops::Range;

/// How long a name may be, in bytes.  Symbols of real programs reach 60,000: mangled names of C++ and Rust.
pub const LONGEST_NAME: usize = 1 << 18;
/// How often, on average, the bytes of a table of names may be read.
const SHARED: usize = 4;
/// How many further bytes each name may have: thousands of symbols share short names.
const SHORT: usize = 64;

/// How many bytes of names and records may stand before one entry of a tar archive.
pub const LONGEST_HEADER: u64 = 1 << 20;

/// The most segments that a program may load. Linkers make four to ten.
pub const MOST_LOADS: usize = 128;
/// How often headers of one kind may refer to the same bytes of a file.
pub const OVERLAP: u64 = 4;

/// A budget of work for one file.
#[derive(Clone, Debug)]
pub struct Work {
    left: Cell<u64>,
    spent: Cell<bool>,
}

impl Work {
    /// A budget of `left` units; the caller chooses the unit.
    pub fn new(left: usize) -> Self {
        Self {
            left: Cell::new(left as u64),
            spent: Cell::new(false),
        }
    }

    /// Whether more work was asked for than the budget had.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// Begins again with `left` units, unless more was asked for before.
    pub fn refill(&self, left: usize) {
        self.left.set(left as u64);
    }

    /// Spends `much` of the budget. Returns whether there was enough; if not, the budget is empty from then on.
    pub fn spend(&self, much: usize) -> bool {
        let left = self.left.get().checked_sub(much as u64);
        self.left.set(left.unwrap_or_default());
        self.spent.set(self.spent.get() || left.is_none());
        left.is_some() && !self.spent.get()
    }
}

/// A table of names that end with a NUL. A name may begin anywhere in the table.
#[derive(Clone, Debug)]
pub struct Strings<'a> {
    table: &'a [u8],
    work: Work,
}

impl<'a> Strings<'a> {
    /// A table for a file that has `names` names.
    pub fn new(table: &'a [u8], names: usize) -> Self {
        let work = table.len().saturating_mul(SHARED) + names.saturating_mul(SHORT);
        Self {
            table,
            work: Work::new(work),
        }
    }

    /// The name that begins at `at`; its NUL may be missing. `None` if `at` is behind the table's end.
    ///
    /// # Errors
    /// The name is too long, or too many names share its bytes.
    pub fn get(&self, at: u64) -> Result<Option<&'a [u8]>> {
        let Some(rest) = usize::try_from(at).ok().and_then(|at| self.table.get(at..)) else {
            return Ok(None);
        };
        let within = &rest[..rest.len().min(LONGEST_NAME + 1)];
        let name = &within[..memchr::memchr(0, within).unwrap_or(within.len())];
        if name.len() > LONGEST_NAME {
            return Err(
                Error::refused(format!("a name of more than {LONGEST_NAME} bytes"))
                    .expected("names as compilers make them"),
            );
        }
        if !self.work.spend(name.len()) {
            return Err(shared());
        }
        Ok(Some(name))
    }
}

/// The error for names that overlap more than any tool makes them.
pub fn shared() -> Error {
    Error::refused("its names share their bytes too often")
        .expected("names as linkers and archivers write them")
}

/// Fails if the pieces of a file overlap too much. `sizes` are the pieces' sizes, `size` is the file's, and `what`
/// names the pieces.
pub fn overlap(what: &str, sizes: impl IntoIterator<Item = u64>, size: usize) -> Result<()> {
    let most = (size as u64).saturating_mul(OVERLAP);
    let sum = sizes.into_iter().fold(0, u64::saturating_add);
    if sum > most {
        return Err(
            Error::refused(format!("{what} of {sum} bytes in a file of {size}"))
                .expected("pieces that hardly overlap"),
        );
    }
    Ok(())
}

/// Address ranges for many lookups.
#[derive(Clone, Debug)]
pub struct Ranges(pub(crate) Vec<Range<u64>>);

impl Ranges {
    /// Made from these ranges, which may overlap.
    pub fn new(ranges: impl IntoIterator<Item = Range<u64>>) -> Self {
        let mut all: Vec<Range<u64>> = ranges.into_iter().filter(|r| !r.is_empty()).collect();
        all.sort_unstable_by_key(|r| r.start);
        all.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            if touches {
                last.end = last.end.max(next.end);
            }
            touches
        });
        Self(all)
    }

    /// Whether `address` is in one of the ranges.
    pub fn contains(&self, address: u64) -> bool {
        self.meets(&(address..address.saturating_add(1)))
    }

    /// Whether one of the ranges overlaps `range`.
    pub fn meets(&self, range: &Range<u64>) -> bool {
        let next = self.0.partition_point(|r| r.end <= range.start);
        self.0.get(next).is_some_and(|r| r.start < range.end)
    }
}

#[cfg(test)]
mod tests;
