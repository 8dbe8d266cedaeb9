//! Unpacks archives in memory, within limits.

use super::allowance::{Allowance, Taken};
use super::holes::{Holes, Shared};
use super::zstd;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::work::LONGEST_HEADER;
use std::io::{ErrorKind, Read};
use std::ops::Range;

/// Limits for unpacking a package.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of one member.
    pub member: u64,
    /// The most bytes that may be unpacked in total.
    pub total: u64,
    /// The most members.
    pub members: usize,
    /// In a tarball: the most bytes of a member's name and records.
    pub header: u64,
    /// A package may unpack to this many times its own size, and to this many bytes more. (deflate can compress zeros
    /// to a thousandth.)
    pub ratio: (u64, u64),
}

impl Limits {
    /// Above every known package, and below the memory that any machine has.
    pub const USUAL: Self = Self {
        member: 1 << 29,
        total: 2 << 30,
        members: 1 << 20,
        header: LONGEST_HEADER,
        ratio: (RATIO, 1 << 25),
    };
}

/// How many times its own size compressed data may unpack to. Programs unpack to two to five times, with much
/// debugging information to ten times.
pub const RATIO: u64 = 64;

/// Limits all members that are unpacked at the same time, in all threads.
static ROOM: Allowance = Allowance::new(3 << 26);
/// What a file counts for whose size is not known.
const ROOM_OF_ONE: u64 = 1 << 26;

/// How many bytes are enough to recognize a member's format: a header of tar.
pub(super) const START: usize = 512;

/// The most memory that reading xz may take, in KiB: its largest usual window is 64 MiB.
const XZ: u32 = 80 << 10;

/// What `bytes` compress, as a stream; `None` if they are not compressed.
pub(super) fn stream(bytes: &[u8]) -> Option<Box<dyn Read + '_>> {
    Some(match Format::of(bytes) {
        Format::Gzip => Box::new(flate2::read::MultiGzDecoder::new(bytes)),
        Format::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(bytes, true, XZ)),
        Format::Zstd => Box::new(zstd::Frames::new(bytes, zstd::PACKAGES)),
        Format::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(bytes)),
        _ => return None,
    })
}

impl Limits {
    /// The limits for a package of `package` bytes.
    pub(super) fn of(self, package: usize) -> Self {
        let (times, more) = self.ratio;
        let most = (package as u64).saturating_mul(times).saturating_add(more);
        Self {
            member: self.member.min(most),
            total: self.total.min(most),
            ..self
        }
    }
}

/// An entry of a tar archive.
pub(super) struct Seen<'s> {
    pub(super) name: &'s [u8],
    pub(super) kind: tar::EntryType,
    /// The place of its contents in the archive.
    pub(super) contents: Range<u64>,
}

/// What gets the name of each member, with its bytes or the reason why brawn does not open it. Returns how many other
/// members were in that one.
pub(super) type Give<'g> = dyn FnMut(&mut Budget, &[u8], Result<&[u8]>) -> usize + 'g;

/// Reads a tar archive. `is_wanted` is asked about each entry that has a name of its own. `give` gets the wanted
/// entries that can be inspected. Returns how many other entries were wanted.
pub(super) fn unpack(
    stream: Box<dyn Read + '_>,
    budget: &mut Budget,
    is_wanted: &mut dyn FnMut(&Seen<'_>) -> bool,
    give: &mut Give<'_>,
) -> Result<usize> {
    let limits = budget.limits;
    let before = budget.stream;
    // Data between the members is unpacked as well, and counts.
    let stream = Shared::new(Bounded {
        inner: stream,
        left: budget.stream,
    });
    let mut aside = 0;
    let bad = |e: std::io::Error| match e.kind() {
        _ if too_much(&e) => exceeds("it", limits.total),
        ErrorKind::Unsupported | ErrorKind::OutOfMemory => unsupported(&e),
        _ => damaged(format!("tarball: {}", lower(&e.to_string())))
            .expected("a tar archive, plain or compressed"),
    };
    let mut archive = tar::Archive::new(stream.clone());
    let mut others = 0;
    let mut long = Long::default();
    // For entries that are not raw, the crate would read names and records of any size into memory.
    for entry in archive.entries().map_err(bad)?.raw(true) {
        budget.count()?;
        let mut entry = entry.map_err(bad)?;
        let kind = entry.header().entry_type();
        if long.takes(kind) {
            long.add(kind, &mut entry, limits.header)?;
            continue;
        }
        let Long { name, size, holes } = std::mem::take(&mut long);
        let name = name.unwrap_or_else(|| entry.path_bytes().into_owned());
        let stored = entry.size();
        let own = Holes::of(entry.header(), &mut stream.clone(), &mut aside);
        let holes = own.map_err(|e| bad(e).member(&name))?.or(holes);
        let start = entry.raw_file_position().saturating_add(aside);
        let is_file = is_unpacked(kind);
        let seen = Seen {
            name: &name,
            kind: match is_file {
                true => tar::EntryType::Regular,
                false => kind,
            },
            contents: start..start.saturating_add(stored),
        };
        let is_wanted = is_wanted(&seen);
        if !is_file {
            continue;
        }
        if size.is_some_and(|size| size != stored) {
            return Err(Error::refused(format!(
                "a size of {stored} bytes, and another in its records"
            ))
            .member(&name)
            .expected("one size"));
        }
        if !is_wanted {
            continue;
        }
        let (member, size) = match holes {
            None => (budget.member(&mut entry, stored), stored),
            Some(holes) => match holes.fill(&mut entry) {
                Ok((mut file, size)) => (budget.member(&mut file, size), size),
                Err(e) => (Err(unread(&e)), 0),
            },
        };
        let member = member.map_err(|e| e.member(&name))?;
        others += member.give(&name, size, budget, give)?;
    }
    // Packages inside have counted their own.
    let read = before - stream.look(|stream| stream.left);
    budget.stream = budget.stream.saturating_sub(read);
    Ok(others)
}

/// A member's contents.
pub(super) enum Member {
    /// Its bytes, and what they take of the allowance until it is dropped.
    Read(Vec<u8>, Option<Taken<'static>>),
    /// It has a format that may contain programs and that brawn does not open.
    Closed(&'static str),
    /// It does not begin like a file that can be inspected.
    Other,
}

impl Member {
    /// Gives it, if it has the `size` that the archive says. Returns how many files it is that are not inspected.
    pub(super) fn give(
        self,
        name: &[u8],
        size: u64,
        budget: &mut Budget,
        give: &mut Give<'_>,
    ) -> Result<usize> {
        match self {
            Self::Read(bytes, _) if (bytes.len() as u64) < size => {
                let found = format!("it ends after {} bytes", bytes.len());
                let error = damaged(found).expected(format!("{size} bytes"));
                Err(error.member(name))
            }
            Self::Read(bytes, _taken) => Ok(give(budget, name, Ok(&bytes))),
            Self::Closed(what) => Ok(give(budget, name, Err(closed(what)))),
            Self::Other => Ok(1),
        }
    }
}

/// The error for a package that is not whole.
pub(super) fn damaged(found: impl Into<String>) -> Error {
    Error::malformed(found).next("the file is truncated or damaged: get it again")
}

/// The error for a package, or a member, that brawn does not unpack.
pub(super) fn refused(found: impl Into<String>, expected: &str) -> Error {
    let error = Error::refused(found).expected(expected);
    error.next("unpack it, and inspect the directory")
}

/// The error for a format that brawn does not open.
pub(in crate::report) fn closed(what: &str) -> Error {
    Error::not_applicable(format!("a {what}, which brawn does not open"))
        .next("unpack it, and inspect the directory")
}

/// The error for data that is not damaged, but compressed in a way that is not read.
fn unsupported(error: &std::io::Error) -> Error {
    let what = match error.kind() {
        ErrorKind::OutOfMemory => "xz with a window of more than 64 MiB".into(),
        _ => crate::error::printable(error.to_string().as_bytes()),
    };
    let expected = "what `xz` and `zstd` unpack without an option";
    refused(format!("compressed by {what}"), expected)
}

/// What the entries before a file's entry say about it.
#[derive(Debug, Default)]
struct Long {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    holes: Option<Holes>,
}

/// Whether who unpacks the archive makes a file of such an entry. POSIX wants a file for each kind that is not known.
fn is_unpacked(kind: tar::EntryType) -> bool {
    let is_else = kind.is_hard_link()
        || kind.is_symlink()
        || kind.is_character_special()
        || kind.is_block_special()
        || kind.is_dir()
        || kind.is_fifo();
    !is_else
}

/// The error for contents that cannot be read.
fn unread(error: &std::io::Error) -> Error {
    let error = lower(&error.to_string());
    damaged(format!("it cannot be unpacked: {error}"))
}

impl Long {
    fn takes(&self, kind: tar::EntryType) -> bool {
        kind.is_gnu_longname()
            || kind.is_gnu_longlink()
            || kind.is_pax_local_extensions()
            || kind.is_pax_global_extensions()
    }

    fn add<R: Read>(
        &mut self,
        kind: tar::EntryType,
        entry: &mut tar::Entry<'_, R>,
        most: u64,
    ) -> Result<()> {
        let size = entry.size();
        if size > most {
            return Err(Error::refused(format!("{size} bytes of names and records"))
                .member(&entry.path_bytes())
                .expected(format!("at most {most}")));
        }
        let mut bytes = Vec::new();
        let read = entry.take(most).read_to_end(&mut bytes);
        read.map_err(|e| Error::malformed(format!("tarball: {}", lower(&e.to_string()))))?;
        if kind.is_gnu_longname() {
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            bytes.truncate(end);
            self.name = Some(bytes);
        } else if kind.is_pax_local_extensions() {
            // Broken records are ignored.
            for record in tar::PaxExtensions::new(&bytes).flatten() {
                match record.key_bytes() {
                    b"path" => self.name = Some(record.value_bytes().to_vec()),
                    b"size" => self.size = record.value().ok().and_then(|v| v.parse().ok()),
                    b"GNU.sparse.name" => self.name = Some(record.value_bytes().to_vec()),
                    key => {
                        if let Some(key) = key.strip_prefix(b"GNU.sparse.") {
                            let holes = self.holes.get_or_insert_default();
                            let taken = holes.record(key, record.value_bytes());
                            taken.ok_or_else(|| {
                                Error::malformed("a map of holes without numbers")
                            })?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// How much may still be unpacked.
pub(super) struct Budget {
    pub(super) limits: Limits,
    left: u64,
    /// How many bytes may still be read from compressed streams, including data between members.
    stream: u64,
    members: usize,
    /// How many packages are around the one that is read.
    pub(super) depth: usize,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            left: limits.total,
            stream: limits.total,
            members: 0,
            depth: 0,
        }
    }

    /// How many packages are around the one that `read` reads.
    pub(super) fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Counts one more member. Archives may share one budget.
    pub(super) fn count(&mut self) -> Result<()> {
        count(self.members, self.limits)?;
        self.members += 1;
        Ok(())
    }

    /// Reads a member. `size` is the size that the archive gives.
    pub(super) fn member(&mut self, file: &mut dyn Read, size: u64) -> Result<Member> {
        let mut bytes = Vec::new();
        self.read(file, START as u64, &mut bytes)?;
        if let Some(other) = other(&bytes) {
            return Ok(other);
        }
        let most = self.limits.member.min(self.left);
        if size > most {
            return Err(exceeds("it", most));
        }
        // A thread that has some already would wait for itself.
        let taken = (self.depth == 0).then(|| ROOM.take(size));
        let rest = size.saturating_sub(bytes.len() as u64);
        let reserve = usize::try_from(rest).unwrap_or(usize::MAX);
        bytes
            .try_reserve_exact(reserve)
            .map_err(|_| exceeds("it", most))?;
        self.read(file, rest.saturating_add(1), &mut bytes)?;
        if bytes.len() as u64 > size || self.left == 0 {
            return Err(exceeds("it", size.min(most)));
        }
        Ok(Member::Read(bytes, taken))
    }

    /// Reads all of a compressed file that is no archive and gives no size; `start` is its beginning.
    pub(super) fn file(&mut self, mut start: Vec<u8>, stream: &mut dyn Read) -> Result<Member> {
        if let Some(other) = other(&start) {
            return Ok(other);
        }
        let most = self.limits.member.min(self.left).min(self.stream);
        // Its size is known only at the end, so this takes as much as a program has.
        let taken = (self.depth == 0).then(|| ROOM.take(ROOM_OF_ONE.min(most)));
        self.read(stream, most.saturating_add(1), &mut start)?;
        self.stream = self.stream.saturating_sub(start.len() as u64);
        if start.len() as u64 > most {
            return Err(exceeds("it", most));
        }
        Ok(Member::Read(start, taken))
    }

    /// Reads at most that much.
    pub(super) fn read(
        &mut self,
        file: &mut dyn Read,
        most: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let read = file.take(most).read_to_end(bytes).map_err(|e| {
            if too_much(&e) {
                return exceeds("the package", self.limits.total);
            }
            if matches!(e.kind(), ErrorKind::Unsupported | ErrorKind::OutOfMemory) {
                return unsupported(&e);
            }
            unread(&e)
        })?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(())
    }
}

/// What a member that begins with `start` is, if it need not be read.
fn other(start: &[u8]) -> Option<Member> {
    match Format::of(start) {
        Format::Elf | Format::Archive | Format::ThinArchive => None,
        format if format.is_package() => None,
        _ => Some(Format::closed(start).map_or(Member::Other, Member::Closed)),
    }
}

pub(super) fn count(members: usize, limits: Limits) -> Result<()> {
    if members > limits.members {
        return Err(Error::refused(format!(
            "it has more than {} members",
            limits.members
        )));
    }
    Ok(())
}

pub(super) fn exceeds(what: &str, most: u64) -> Error {
    let found = format!("{what} unpacks to more than {most} bytes");
    refused(found, "a package of a size that fits into memory")
}

pub(super) fn lower(text: &str) -> String {
    crate::error::printable(text.as_bytes()).to_lowercase()
}

/// A reader that fails at a limit, so that the limit is not taken for the end of the data.
struct Bounded<R> {
    inner: R,
    left: u64,
}

/// The error of a [`Bounded`].
#[derive(Debug)]
struct TooMuch;

impl std::fmt::Display for TooMuch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("more than the limit")
    }
}

impl std::error::Error for TooMuch {}

/// Whether a [`Bounded`] failed. Readers wrap each other's errors.
fn too_much(error: &std::io::Error) -> bool {
    let mut inner: Option<&(dyn std::error::Error + 'static)> = error
        .get_ref()
        .map(|e| e as &(dyn std::error::Error + 'static));
    while let Some(e) = inner {
        if e.is::<TooMuch>() {
            return true;
        }
        inner = match e.downcast_ref::<std::io::Error>() {
            Some(e) => e.get_ref().map(|e| e as _),
            None => e.source(),
        };
    }
    false
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        if most == 0 && !buffer.is_empty() {
            // The data may end exactly here.
            return match self.inner.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(std::io::Error::other(TooMuch)),
            };
        }
        let room = buffer.len().min(most);
        let read = self.inner.read(&mut buffer[..room])?;
        self.left -= read as u64;
        Ok(read)
    }
}
