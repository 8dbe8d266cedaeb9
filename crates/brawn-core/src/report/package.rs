//! Packages: zip archives such as wheels, tarballs such as npm's, and container images. Members are unpacked in
//! memory, one at a time and within limits; nothing is written to disk.

use super::container;
use super::unpack::{Budget, Seen, count, lower, unpack};
use crate::error::{Error, Result};
use crate::format::Format;
use std::io::Cursor;

pub use super::unpack::{Limits, RATIO};

/// Calls `take` with the name and bytes of each member that is an ELF file or an archive, in the order of the
/// package. Returns how many other members there were.
pub fn members(
    package: &[u8],
    limits: Limits,
    take: &mut dyn FnMut(&[u8], &[u8]),
) -> Result<usize> {
    let limits = limits.of(package.len());
    match Format::of(package) {
        Format::Zip => zip(package, limits, take),
        Format::Gzip => tarball(package, limits, take),
        Format::Tar => plain(package, limits, take),
        _ => Err(Error::not_applicable("neither a zip archive nor tar nor gzip").at(0)),
    }
}

fn zip(package: &[u8], limits: Limits, take: &mut dyn FnMut(&[u8], &[u8])) -> Result<usize> {
    let bad = |e: zip::result::ZipError| {
        Error::malformed(format!("zip archive: {}", lower(&e.to_string())))
            .next("the file is truncated or damaged: get it again")
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(package)).map_err(bad)?;
    count(archive.len(), limits)?;
    let mut budget = Budget::new(limits);
    let mut others = 0;
    for number in 0..archive.len() {
        let name = archive.name_for_index(number).transpose().map_err(bad)?;
        let name = name.map_or_else(Vec::new, |name| name.as_bytes().to_vec());
        let file = archive.by_index(number).map_err(|e| match e {
            zip::result::ZipError::UnsupportedArchive(what) => {
                Error::refused(lower(what)).expected("a member that is stored or deflated")
            }
            e => bad(e),
        });
        let mut file = file.map_err(|e| e.member(&name))?;
        if !file.is_file() {
            continue;
        }
        let size = file.size();
        match budget
            .member(&mut file, size)
            .map_err(|e| e.member(&name))?
        {
            Some((bytes, _room)) => take(&name, &bytes),
            None => others += 1,
        }
    }
    Ok(others)
}

fn tarball(package: &[u8], limits: Limits, take: &mut dyn FnMut(&[u8], &[u8])) -> Result<usize> {
    let mut budget = Budget::new(limits);
    let stream = Box::new(flate2::read::MultiGzDecoder::new(package));
    let mut signs = container::Signs::default();
    let mut see = |seen: &Seen<'_>| {
        signs.add(seen.name);
        seen.kind.is_file()
    };
    let others = unpack(stream, &mut budget, &mut see, take)?;
    if signs.is_image() {
        return Err(
            Error::refused("an image of a container that is compressed as a whole")
                .expected("one whose layers are files in a plain tar archive")
                .next("`gunzip` it first"),
        );
    }
    Ok(others)
}

/// An uncompressed tar archive: a container image, whose layers are archives in it, or any other.
fn plain(package: &[u8], limits: Limits, take: &mut dyn FnMut(&[u8], &[u8])) -> Result<usize> {
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
        ..limits
    });
    unpack(Box::new(package), &mut all, &mut list, &mut |_, _| ())?;
    let mut budget = Budget::new(limits);
    match container::images(package, &files)? {
        Some(images) => container::members(package, &files, &images, &mut budget, take),
        None => {
            let mut is_wanted = |seen: &Seen<'_>| seen.kind.is_file();
            unpack(Box::new(package), &mut budget, &mut is_wanted, take)
        }
    }
}

#[cfg(test)]
mod tests;
