//! Files with holes in tar archives. Only the parts between the holes are stored; whoever unpacks the file gets zeros for
//! the holes. GNU tar writes a map of the parts into the header, or into records of pax, or before the contents.

use std::io::{Error, ErrorKind, Read, Result};

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

    /// Of GNU's own header; `None` if the map continues behind it.
    pub(super) fn of(header: &tar::GnuHeader) -> Option<Self> {
        if header.is_extended() {
            return None;
        }
        let parts = header.sparse.iter().filter(|part| !part.is_empty());
        let parts = parts.map(|part| Some((part.offset().ok()?, part.length().ok()?)));
        Some(Self {
            parts: parts.collect::<Option<_>>()?,
            size: Some(header.real_size().ok()?),
            ..Self::default()
        })
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
