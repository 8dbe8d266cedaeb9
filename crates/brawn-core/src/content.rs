//! The contents of a file that is about to be written, in pieces. Most of a rewritten program is the old program's
//! bytes, which need no second copy in memory. The space between its segments is zeros, which need no place on the
//! disk.

use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Result, Seek as _, SeekFrom, Write as _};
use std::ops::Range;

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// These bytes.
    Bytes(Cow<'a, [u8]>),
    /// A number of zeros. They take no place on the disk if the filesystem supports holes.
    Hole(u64),
}

impl Piece<'_> {
    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Hole(size) => *size,
        }
    }
}

/// All contents of a file, from its first byte to its last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content<'a>(pub Vec<Piece<'a>>);

impl<'a> From<&'a [u8]> for Content<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self(vec![Piece::Bytes(bytes.into())])
    }
}

impl<'a> From<&'a Vec<u8>> for Content<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        bytes.as_slice().into()
    }
}

impl From<Vec<u8>> for Content<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self(vec![Piece::Bytes(bytes.into())])
    }
}

/// The most bytes of a hole that are written or hashed at once.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

impl Content<'_> {
    /// The file's size in bytes.
    pub fn size(&self) -> u64 {
        self.0.iter().map(Piece::size).sum()
    }

    /// The file's bytes in `range`, in parts. A hole is given in parts of at most 64 KiB.
    pub fn read(&self, range: Range<u64>) -> impl Iterator<Item = &[u8]> {
        let mut end = 0;
        let parts = self.0.iter().filter_map(move |piece| {
            let start = end;
            end += piece.size();
            let part = start.max(range.start)..end.min(range.end);
            (!part.is_empty()).then(|| (piece, part.start - start..part.end - start))
        });
        parts.flat_map(|(piece, part)| {
            let (bytes, hole) = match piece {
                Piece::Bytes(bytes) => (&bytes[part.start as usize..part.end as usize], 0),
                Piece::Hole(_) => (&[][..], part.end - part.start),
            };
            let whole = hole / ZEROS.len() as u64;
            let rest = (hole % ZEROS.len() as u64) as usize;
            let zeros = std::iter::repeat_n(&ZEROS[..], whole as usize);
            [bytes].into_iter().chain(zeros).chain([&ZEROS[..rest]])
        })
    }

    /// The file's bytes as a stream.
    pub fn reader(&self) -> impl Read + '_ {
        Reader {
            parts: self.read(0..self.size()),
            rest: &[],
        }
    }

    /// The `N` bytes at `offset`; `None` if the file ends before them.
    pub fn array<const N: usize>(&self, offset: u64) -> Option<[u8; N]> {
        let mut array = [0; N];
        let mut filled = 0;
        for part in self.read(offset..offset.checked_add(N as u64)?) {
            array[filled..filled + part.len()].copy_from_slice(part);
            filled += part.len();
        }
        (filled == N).then_some(array)
    }

    /// Gives all the file's bytes to `take`, including those of holes.
    fn each(&self, take: impl FnMut(&[u8])) {
        self.read(0..self.size()).for_each(take);
    }

    /// The file's bytes in one place.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.size() as usize);
        self.each(|bytes| all.extend_from_slice(bytes));
        all
    }

    /// The SHA-256 of the file.
    pub fn sha256(&self) -> impl AsRef<[u8]> + use<> {
        let mut hash = Sha256::new();
        self.each(|bytes| hash.update(bytes));
        hash.finalize()
    }

    /// Whether the file has exactly these bytes.
    pub fn is(&self, bytes: &[u8]) -> bool {
        let mut rest = Some(bytes);
        self.each(|part| rest = rest.and_then(|rest| rest.strip_prefix(part)));
        rest.is_some_and(<[u8]>::is_empty)
    }

    /// Writes it to `file`, which must be empty.
    pub fn write(&self, file: &mut File) -> Result<()> {
        for piece in &self.0 {
            match piece {
                Piece::Bytes(bytes) => file.write_all(bytes)?,
                Piece::Hole(size) => {
                    file.seek(SeekFrom::Current(size.cast_signed()))?;
                }
            }
        }
        // A hole at the end exists only once the file has its full length.
        if let Some(Piece::Hole(_)) = self.0.last() {
            file.set_len(self.size())?;
        }
        Ok(())
    }
}

/// Parts of a file as a stream.
struct Reader<'a, P> {
    parts: P,
    rest: &'a [u8],
}

impl<'a, P: Iterator<Item = &'a [u8]>> Read for Reader<'a, P> {
    fn read(&mut self, to: &mut [u8]) -> Result<usize> {
        while self.rest.is_empty() {
            match self.parts.next() {
                Some(part) => self.rest = part,
                None => return Ok(0),
            }
        }
        self.rest.read(to)
    }
}

#[cfg(test)]
mod tests;
