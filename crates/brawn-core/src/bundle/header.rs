//! Headers of a tar archive and records of pax: reads them, and writes another size into them.
//!
//! The layout is from POSIX.1-2017, `pax`, and from GNU tar's manual, appendix "Tar Internals".

use crate::error::{Error, Result, printable};
use std::ops::Range;

/// The size of a block in bytes. Everything in a tar archive is a multiple of it.
pub const BLOCK: usize = 512;

const NAME: Range<usize> = 0..100;
const SIZE: Range<usize> = 124..136;
const CHECKSUM: Range<usize> = 148..156;
const TYPE: usize = 156;
const LINK: Range<usize> = 157..257;
const MAGIC: Range<usize> = 257..265;
const PREFIX: Range<usize> = 345..500;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A file with its contents.
    File,
    /// Another name for an entry before it.
    HardLink,
    /// A symbolic link.
    Symlink,
    /// A directory, a device or a pipe: an entry without contents.
    Empty,
    /// GNU's file with holes; its header may continue in further blocks.
    Sparse,
    /// The name of the next entry (GNU's `L`).
    LongName,
    /// The target of the next entry (GNU's `K`).
    LongLink,
    /// Records for the next entry (pax).
    Records,
    /// Records for all entries that follow (pax).
    Global,
    /// An entry that brawn copies without understanding it: a volume's label, a vendor's own type.
    Other,
}

/// The fields of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: Type,
    pub size: u64,
    pub name: Vec<u8>,
    pub link: Vec<u8>,
    /// Whether more blocks of a sparse file's map follow.
    pub is_extended: bool,
}

/// Whether a file can begin with this block: the checks of [`Header::read`], without its error.
pub fn is_header(block: &[u8]) -> bool {
    let Some(block) = block.first_chunk::<BLOCK>() else {
        return false;
    };
    block[TYPE].is_ascii() && has_checksum(block) && block[0] != 0
}

impl Header {
    /// Reads `block`, which is not all zeros.
    pub fn read(block: &[u8; BLOCK]) -> Result<Self> {
        if !has_checksum(block) {
            return Err(Error::malformed(format!(
                "no header of a tar archive: its checksum is `{}`, its bytes add up to {:o}",
                printable(block[CHECKSUM].trim_ascii_end()),
                sum(block)
            )));
        }
        let kind = match block[TYPE] {
            b'0' | 0 | b'7' => Type::File,
            b'1' => Type::HardLink,
            b'2' => Type::Symlink,
            b'3'..=b'6' => Type::Empty,
            b'S' => Type::Sparse,
            b'L' => Type::LongName,
            b'K' => Type::LongLink,
            b'x' | b'X' => Type::Records,
            b'g' => Type::Global,
            b'M' => {
                return Err(Error::refused("a file that began in another volume")
                    .expected("an archive in one piece"));
            }
            _ => Type::Other,
        };
        let size = number(&block[SIZE]).ok_or_else(|| {
            Error::malformed(format!("a size of `{}`", printable(&block[SIZE])))
                .expected("octal digits")
        })?;
        let mut name = text(&block[NAME]).to_vec();
        // In GNU's headers these bytes have times.
        let prefix = text(&block[PREFIX]);
        if &block[MAGIC][..6] == b"ustar\0" && !prefix.is_empty() {
            name = [prefix, b"/", &name].concat();
        }
        Ok(Self {
            kind,
            size,
            name,
            link: text(&block[LINK]).to_vec(),
            is_extended: kind == Type::Sparse && block[482] != 0,
        })
    }

    /// The kind of the entry, whose full name is `name`: the header may have only the beginning of the name.
    pub fn kind_of(&self, name: &[u8]) -> Result<Type> {
        // Before POSIX, a directory was a file whose name ends with a slash.
        let kind = match self.kind {
            Type::File if name.ends_with(b"/") => Type::Empty,
            kind => kind,
        };
        let is_empty = matches!(kind, Type::HardLink | Type::Symlink | Type::Empty);
        if is_empty && self.size != 0 {
            let what = match kind {
                Type::HardLink => "a hard link",
                Type::Symlink => "a symbolic link",
                _ => "a directory or device",
            };
            return Err(
                Error::refused(format!("{what} with {} bytes of data", self.size))
                    .expected(
                        "data of files alone: programs disagree about whether these are there",
                    )
                    .member(name),
            );
        }
        Ok(kind)
    }
}

/// Writes another size, in bytes, into a header.
pub fn resize(block: &mut [u8], size: u64) -> Result<()> {
    let is_binary = block[SIZE.start] & 0x80 != 0;
    let digits = if block[SIZE.end - 1].is_ascii_digit() {
        SIZE.len()
    } else {
        // The character that ended the digits stays.
        SIZE.len() - 1
    };
    let octal = format!("{size:0digits$o}");
    if is_binary {
        block[SIZE].fill(0);
        block[SIZE.start] = 0x80;
        block[SIZE.end - 8..SIZE.end].copy_from_slice(&size.to_be_bytes());
    } else if octal.len() == digits {
        block[SIZE.start..][..digits].copy_from_slice(octal.as_bytes());
    } else {
        return Err(Error::refused(format!(
            "a file that grows to {size} bytes, which its header has no room for"
        )));
    }
    // Most programs end the checksum with NUL and space, some with NUL alone.
    let checksum = match block[CHECKSUM.end - 2].is_ascii_digit() {
        true => format!("{:07o}\0", sum(block)),
        false => format!("{:06o}\0 ", sum(block)),
    };
    block[CHECKSUM].copy_from_slice(checksum.as_bytes());
    Ok(())
}

/// Sets the fields that [`resize`] changes to zeros.
pub fn mask(block: &mut [u8]) {
    block[SIZE].fill(0);
    block[CHECKSUM].fill(0);
}

/// The sum of a header's bytes; the bytes of its checksum count as spaces.
fn sum(block: &[u8]) -> u64 {
    let all: u64 = block.iter().map(|b| u64::from(*b)).sum();
    let own: u64 = block[CHECKSUM].iter().map(|b| u64::from(*b)).sum();
    all - own + CHECKSUM.len() as u64 * u64::from(b' ')
}

fn has_checksum(block: &[u8; BLOCK]) -> bool {
    let Some(checksum) = number(&block[CHECKSUM]) else {
        return false;
    };
    // Old programs added the bytes up as signed numbers.
    let high = block.iter().enumerate();
    let high = high.filter(|(at, b)| **b >= 0x80 && !CHECKSUM.contains(at));
    let sum = sum(block);
    checksum == sum || i128::from(checksum) == i128::from(sum) - 256 * high.count() as i128
}

/// A number in a header: octal digits between spaces or, if the first bit is set, binary (GNU).
fn number(field: &[u8]) -> Option<u64> {
    if let [first, rest @ ..] = field
        && first & 0x80 != 0
    {
        let (zeros, value) = rest.split_at_checked(rest.len().checked_sub(8)?)?;
        let is_small = *first == 0x80 && zeros.iter().all(|b| *b == 0);
        let value = u64::from_be_bytes(value.try_into().ok()?);
        // A larger size would overflow sums that are computed from it.
        return (is_small && value <= u64::MAX >> 2).then_some(value);
    }
    let digits = text(field).trim_ascii();
    if digits.is_empty() {
        return Some(0);
    }
    digits.iter().try_fold(0u64, |value, digit| match digit {
        b'0'..=b'7' => Some(value << 3 | u64::from(digit - b'0')),
        _ => None,
    })
}

/// The text before the first NUL.
pub fn text(field: &[u8]) -> &[u8] {
    field.split(|b| *b == 0).next().unwrap_or_default()
}

/// One record of pax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    pub key: &'a [u8],
    pub value: &'a [u8],
    /// The whole record.
    pub raw: &'a [u8],
}

/// The records in the data of a pax header.
pub fn records(mut data: &[u8]) -> Result<Vec<Record<'_>>> {
    let mut records = Vec::new();
    // Some programs pad the records with zeros.
    while data.first().is_some_and(|b| *b != 0) {
        let record = record(data).ok_or_else(|| {
            Error::malformed(format!(
                "a record of pax that begins with `{}`",
                printable(&data[..data.len().min(16)])
            ))
            .expected("its length, a space, a key, `=`, a value and a line feed")
        })?;
        data = &data[record.raw.len()..];
        records.push(record);
    }
    Ok(records)
}

fn record(data: &[u8]) -> Option<Record<'_>> {
    let space = data.iter().take(8).position(|b| *b == b' ')?;
    let length: usize = std::str::from_utf8(&data[..space]).ok()?.parse().ok()?;
    let raw = data.get(..length)?;
    let body = raw.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = body.iter().position(|b| *b == b'=')?;
    Some(Record {
        key: &body[..equals],
        value: &body[equals + 1..],
        raw,
    })
}

/// A record with its length before it; the length includes its own digits.
pub fn write_record(key: &[u8], value: &[u8]) -> Vec<u8> {
    let body = key.len() + value.len() + 3;
    let mut length = body + 1;
    while length != body + length.to_string().len() {
        length = body + length.to_string().len();
    }
    let text = length.to_string();
    [text.as_bytes(), b" ", key, b"=", value, b"\n"].concat()
}

#[cfg(test)]
mod tests;
