//! Packages: zip archives such as wheels, tar archives such as npm's, Debian's packages, container images, and single
//! files that are compressed. Members are unpacked in memory, one at a time and within limits; nothing is written to
//! disk.

use super::container;
use super::unpack::{Budget, Give, START, Seen, count, damaged, lower, refused, stream, unpack};
use crate::archive::read::Archive;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use std::io::{Cursor, Read};
use zip::result::ZipError;

pub(super) use super::unpack::closed;
pub use super::unpack::{Limits, RATIO};

/// How many packages may be inside each other: a Debian package in a layer of an image that is in a tar archive.
const DEPTH: usize = 4;

/// What gets the name of each member, with its bytes or the reason why brawn does not open it. The name is empty for a
/// compressed file that is no archive.
pub type Take<'t> = dyn FnMut(&[u8], Result<&[u8]>) + 't;

/// Calls `take` with the name and bytes of each member that is an ELF file or an archive, in the order of the
/// package, also of packages that are in it, whose members' names follow theirs and a `!`. Members that may contain
/// such files and that brawn does not open come with the reason. Returns how many other members there were.
pub fn look(package: &[u8], limits: Limits, take: &mut Take<'_>) -> Result<usize> {
    let mut budget = Budget::new(limits.of(package.len()));
    open(package, b"", &mut budget, take)
}

/// The same for who wants only what can be opened.
pub fn members(
    package: &[u8],
    limits: Limits,
    take: &mut dyn FnMut(&[u8], &[u8]),
) -> Result<usize> {
    let mut opened = |name: &[u8], bytes: Result<&[u8]>| {
        if let Ok(bytes) = bytes {
            take(name, bytes);
        }
    };
    look(package, limits, &mut opened)
}

/// How much of a file [`may_have`] needs: one block of bzip2 has at most 900 KB.
pub const HEAD: usize = 1 << 20;

/// Whether a compressed file that begins with `head` may have something to look at. Most compressed files are data,
/// and need not be read.
pub fn may_have(head: &[u8]) -> bool {
    let Some(stream) = stream(head) else {
        return true;
    };
    let mut start = Vec::new();
    match stream.take(START as u64).read_to_end(&mut start) {
        Ok(_) => is_one(&start) || Format::closed(&start).is_some(),
        // It is damaged, or needs more than its head: who reads all of it finds out.
        Err(_) => true,
    }
}

/// Whether `start` begins like a file to look at, or like a tar archive without any.
fn is_one(start: &[u8]) -> bool {
    let format = Format::of(start);
    format.is_package() || is_empty_tar(start) || !matches!(format, Format::Bitcode | Format::Other)
}

fn is_empty_tar(start: &[u8]) -> bool {
    start.len() == START && start.iter().all(|b| *b == 0)
}

/// Opens a package; `prefix` is its own name, if it is in another one.
fn open(package: &[u8], prefix: &[u8], budget: &mut Budget, take: &mut Take<'_>) -> Result<usize> {
    let mut give = |budget: &mut Budget, name: &[u8], bytes: Result<&[u8]>| {
        let name = [prefix, name].concat();
        member(&name, bytes, budget, take)
    };
    match Format::of(package) {
        Format::Zip => zip(package, budget, &mut give),
        Format::Debian => debian(package, budget, &mut give),
        Format::Tar => plain(package, budget, &mut give),
        Format::Gzip | Format::Xz | Format::Zstd | Format::Bzip2 => {
            compressed(package, budget, &mut give)
        }
        _ => Err(Error::not_applicable("no package: neither zip nor tar nor compressed").at(0)),
    }
}

/// Gives a member to `take`, or what is in it.
fn member(name: &[u8], bytes: Result<&[u8]>, budget: &mut Budget, take: &mut Take<'_>) -> usize {
    let package = match bytes {
        Ok(bytes) if Format::of(bytes).is_package() => bytes,
        other => {
            take(name, other);
            return 0;
        }
    };
    if budget.depth == DEPTH {
        let error = Error::refused(format!("a package in {DEPTH} others"))
            .next("unpack it, and inspect the directory");
        take(name, Err(error));
        return 0;
    }
    let prefix = match name {
        b"" => Vec::new(),
        name => [name, b"!"].concat(),
    };
    let result = budget.inside(|budget| open(package, &prefix, budget, take));
    result.unwrap_or_else(|error| {
        take(name, Err(error));
        0
    })
}

fn zip(package: &[u8], budget: &mut Budget, give: &mut Give<'_>) -> Result<usize> {
    let bad = |e: zip::result::ZipError| match e {
        // Whole, but in a way that is not read.
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            let found = format!("zip archive: {}", lower(&e.to_string()));
            refused(found, "members that are stored or deflated")
        }
        e => damaged(format!("zip archive: {}", lower(&e.to_string()))),
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(package)).map_err(bad)?;
    count(archive.len(), budget.limits)?;
    let mut others = 0;
    for number in 0..archive.len() {
        let name = archive.name_for_index(number).transpose().map_err(bad)?;
        let name = name.map_or_else(Vec::new, |name| name.as_bytes().to_vec());
        let mut file = match archive.by_index(number) {
            Ok(file) => file,
            // A password, or a method of compression: the other members can be read.
            Err(ZipError::UnsupportedArchive(what)) => {
                let expected = "a member that is stored or deflated, without a password";
                others += give(budget, &name, Err(refused(lower(what), expected)));
                continue;
            }
            Err(e) => return Err(bad(e).member(&name)),
        };
        if !file.is_file() {
            continue;
        }
        let size = file.size();
        let read = match file.compression() {
            zip::CompressionMethod::Stored | zip::CompressionMethod::Deflated => {
                budget.member(&mut file, size)
            }
            method => match stored(package, &file).and_then(stream) {
                Some(mut stream) => budget.member(&mut stream, size),
                None => {
                    let found = format!("compressed by {}", lower(&method.to_string()));
                    let error = refused(found, "a member that is stored or deflated");
                    others += give(budget, &name, Err(error));
                    continue;
                }
            },
        };
        let member = read.map_err(|e| e.member(&name))?;
        others += member.give(&name, size, budget, give)?;
    }
    Ok(others)
}

/// The bytes of a member as they are in the archive.
fn stored<'p>(package: &'p [u8], file: &zip::read::ZipFile<'_, Cursor<&[u8]>>) -> Option<&'p [u8]> {
    let start = usize::try_from(file.data_start()?).ok()?;
    let size = usize::try_from(file.compressed_size()).ok()?;
    package.get(start..start.checked_add(size)?)
}

/// A Debian package: its scripts, and its files.
fn debian(package: &[u8], budget: &mut Budget, give: &mut Give<'_>) -> Result<usize> {
    let archive = Archive::read(package)?;
    let (mut others, mut has_data) = (0, false);
    for entry in &archive.entries {
        let is_data = entry.name.starts_with(b"data.tar");
        has_data |= is_data;
        if !is_data && !entry.name.starts_with(b"control.tar") {
            continue;
        }
        budget.count()?;
        let bytes = archive.data(entry);
        let named = |e: Error| e.member(entry.name);
        // Its files have the names that they are installed by.
        let mut give = |budget: &mut Budget, name: &[u8], bytes: Result<&[u8]>| {
            give(budget, container::normal(name), bytes)
        };
        others += match Format::of(bytes) {
            Format::Tar => plain(bytes, budget, &mut give).map_err(named)?,
            Format::Gzip | Format::Xz | Format::Zstd | Format::Bzip2 => {
                compressed(bytes, budget, &mut give).map_err(named)?
            }
            _ if bytes.is_empty() => return Err(named(Error::malformed("it has no contents"))),
            _ => {
                let what = match Format::closed(bytes) {
                    Some(what) => closed(what),
                    None => {
                        let start = printable(&bytes[..bytes.len().min(8)]);
                        Error::refused(format!("it begins with `{start}`"))
                            .expected("tar, plain or compressed by gzip, xz, zstd or bzip2")
                            .next("`dpkg-deb -x` unpacks it, if that knows it")
                    }
                };
                give(budget, entry.name, Err(what))
            }
        };
    }
    match has_data {
        true => Ok(others),
        false => Err(damaged("a Debian package without data.tar")),
    }
}

/// What one compression has made of a tar archive, or of a single file.
fn compressed(package: &[u8], budget: &mut Budget, give: &mut Give<'_>) -> Result<usize> {
    let Some(mut stream) = stream(package) else {
        return Ok(0);
    };
    let mut start = Vec::new();
    budget.read(&mut stream.by_ref(), START as u64, &mut start)?;
    if Format::of(&start) != Format::Tar && !is_empty_tar(&start) {
        budget.count()?;
        let file = budget.file(start, &mut stream)?;
        return file.give(b"", 0, budget, give);
    }
    let stream = Box::new(Cursor::new(start).chain(stream));
    let mut signs = container::Signs::default();
    let mut see = |seen: &Seen<'_>| {
        signs.add(seen.name);
        seen.kind.is_file()
    };
    let others = unpack(stream, budget, &mut see, give)?;
    if signs.is_image() {
        return Err(
            Error::refused("an image of a container that is compressed as a whole")
                .expected("one whose layers are files in a plain tar archive")
                .next("unpack that first (`gunzip`, `unxz`, `unzstd`)"),
        );
    }
    Ok(others)
}

/// An uncompressed tar archive: a container image, whose layers are archives in it, or any other.
fn plain(package: &[u8], budget: &mut Budget, give: &mut Give<'_>) -> Result<usize> {
    let mut files = container::Files::new();
    let mut list = |seen: &Seen<'_>| {
        let is_file = seen.kind.is_file();
        if let (true, Ok(start), Ok(end)) = (
            is_file,
            usize::try_from(seen.contents.start),
            usize::try_from(seen.contents.end),
        ) {
            files.insert(container::normal(seen.name).to_vec(), start..end);
        }
        false
    };
    // Nothing has been unpacked yet.
    let mut all = Budget::new(Limits {
        total: package.len() as u64,
        ..budget.limits
    });
    unpack(Box::new(package), &mut all, &mut list, &mut |_, _, _| 0)?;
    match container::images(package, &files)? {
        Some(images) => container::members(package, &files, &images, budget, give),
        None => {
            let mut is_wanted = |seen: &Seen<'_>| seen.kind.is_file();
            unpack(Box::new(package), budget, &mut is_wanted, give)
        }
    }
}

#[cfg(test)]
mod tests;
