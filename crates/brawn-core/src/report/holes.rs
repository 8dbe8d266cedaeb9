//! Files with holes in tar archives. Only the parts between the holes are stored; whoever unpacks the file gets zeros for
//! the holes. GNU tar writes a map of the parts into the header, or into records of pax, or before the contents.

use std::cell::RefCell;
use std::io::{Error, ErrorKind, Read, Result};
use std::rc::Rc;

/// The most parts: GNU tar has as many in a file of a terabyte with a hole in each MiB.
const PARTS: usize = 1 << 20;

/// What the entries before a file's entry say about its holes, and the file's own header.
#[derive(Debug, Default)]
pub(super) struct Holes {
    /// The first byte and the length of each part that is stored.
    parts: Vec<(u64, u64)>,
    /// The first byte of a part whose length comes next.
    begun: Option<u64>,
    size: Option<u64>,
    /// Whether the map stands before the contents.
    is_inside: bool,
}

impl Holes {
    /// Takes the record `GNU.sparse.KEY`. Returns whether it says where the holes are.
    pub(super) fn record(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        let text = std::str::from_utf8(value).ok()?;
        let number = || text.parse().ok();
        match key {
            b"size" | b"realsize" => self.size = Some(number()?),
            b"offset" => self.begun = Some(number()?),
            b"numbytes" => self.parts.push((self.begun.take()?, number()?)),
            b"major" => self.is_inside = number()? == 1,
            b"map" if !text.is_empty() => {
                let all: std::result::Result<Vec<u64>, _> =
                    text.split(',').map(str::parse).collect();
                let all = all.ok()?;
                self.parts
                    .extend(all.chunks_exact(2).map(|part| (part[0], part[1])));
            }
            _ => {}
        }
        Some(())
    }

    /// Of GNU's own header; `None` if it has none. If the map continues behind it, its other blocks are read from `more`, and
    /// counted in `aside`: raw entries do not show them, and the crate for tar does not read ahead.
    pub(super) fn of(
        header: &tar::Header,
        more: &mut impl Read,
        aside: &mut u64,
    ) -> Result<Option<Self>> {
        if !header.entry_type().is_gnu_sparse() {
            return Ok(None);
        }
        let header = header.as_gnu();
        let header = header.ok_or_else(|| damaged("not in GNU's format"))?;
        let mut holes = Self {
            size: Some(header.real_size()?),
            ..Self::default()
        };
        holes.add(&header.sparse)?;
        let mut is_extended = header.is_extended();
        while is_extended {
            let mut block = tar::GnuExtSparseHeader::new();
            more.read_exact(block.as_mut_bytes())?;
            *aside += block.as_bytes().len() as u64;
            holes.add(&block.sparse)?;
            is_extended = block.is_extended();
        }
        Ok(Some(holes))
    }

    fn add(&mut self, parts: &[tar::GnuSparseHeader]) -> Result<()> {
        for part in parts.iter().filter(|part| !part.is_empty()) {
            self.parts.push((part.offset()?, part.length()?));
        }
        match self.parts.len() > PARTS {
            true => Err(damaged("too many parts")),
            false => Ok(()),
        }
    }

    /// Reads the file of which `stored` has the parts; also returns its size.
    pub(super) fn fill<R: Read>(mut self, mut stored: R) -> Result<(Filled<R>, u64)> {
        if self.is_inside {
            self.parts = map(&mut stored)?;
        }
        let size = self.size.ok_or_else(|| damaged("no size"))?;
        let mut end = 0;
        for (start, length) in &self.parts {
            if *start < end || start.checked_add(*length).is_none_or(|end| end > size) {
                return Err(damaged("parts that lie on each other, or behind its end"));
            }
            end = start + length;
        }
        self.parts.reverse();
        let filled = Filled {
            stored,
            parts: self.parts,
            at: 0,
            size,
        };
        Ok((filled, size))
    }
}

/// A stream from which the crate for tar reads, and brawn itself between an entry's header and its contents.
pub(super) struct Shared<R>(Rc<RefCell<R>>);

impl<R> Shared<R> {
    pub(super) fn new(stream: R) -> Self {
        Self(Rc::new(RefCell::new(stream)))
    }

    pub(super) fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&R) -> T) -> T {
        look(&self.0.borrow())
    }
}

impl<R: Read> Read for Shared<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().read(to)
    }
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("a file with holes: {what}"))
}

/// The map before the contents: the number of parts, then each one's first byte and length, a line each, and zeros up to
/// the end of a block.
fn map(stored: &mut impl Read) -> Result<Vec<(u64, u64)>> {
    let mut block = [0; 512];
    let mut at = block.len();
    let mut number = || -> Result<u64> {
        let mut number = 0u64;
        loop {
            if at == block.len() {
                stored.read_exact(&mut block)?;
                at = 0;
            }
            let byte = block[at];
            at += 1;
            let digit = match byte {
                b'\n' => return Ok(number),
                b'0'..=b'9' => u64::from(byte - b'0'),
                _ => return Err(damaged("a map that has no numbers")),
            };
            let more = number.checked_mul(10).and_then(|n| n.checked_add(digit));
            number = more.ok_or_else(|| damaged("a number in its map is too large"))?;
        }
    };
    let count = number()?;
    if count > PARTS as u64 {
        return Err(damaged("too many parts"));
    }
    (0..count).map(|_| Ok((number()?, number()?))).collect()
}

/// A file with zeros in its holes.
pub(super) struct Filled<R> {
    stored: R,
    /// The parts that are left, the next one last.
    parts: Vec<(u64, u64)>,
    at: u64,
    size: u64,
}

impl<R: Read> Read for Filled<R> {
    fn read(&mut self, to: &mut [u8]) -> Result<usize> {
        // An empty part may mark the file's end.
        while self.parts.pop_if(|(_, length)| *length == 0).is_some() {}
        let next = self.parts.last_mut();
        let is_hole = next.as_ref().is_none_or(|(start, _)| *start > self.at);
        let most = match &next {
            Some((start, _)) if is_hole => start - self.at,
            Some((_, length)) => *length,
            None => self.size - self.at,
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(to.len());
        let to = &mut to[..most];
        let read = match is_hole {
            true => {
                to.fill(0);
                most
            }
            false => self.stored.read(to)?,
        };
        if let (false, Some((start, length))) = (is_hole, next) {
            *start += read as u64;
            *length -= read as u64;
        }
        self.at += read as u64;
        Ok(read)
    }
}
