//! The payload's functions as they are after linking: only bytes that a linker does not change are compared.

use crate::arch::traits;
use crate::component::Component;
use crate::elf::image::Image;
use crate::error::{Error, Result};
use brawn_payload::{Architecture, Payload};
use object::read::elf::ElfFile64;
use object::{
    LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, SectionKind,
};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// This many equal bytes of code are no accident. Some shorter functions are the same in musl, byte for byte.
const TELLING: usize = 48;
/// The most bytes that a linker puts between two functions for alignment.
const GAP: u64 = 16;

/// A section of code, with one function in it.
#[derive(Debug)]
struct Piece {
    /// The index of its object.
    member: usize,
    names: Vec<String>,
    /// Where in the section its function begins: some have code in front of their entry.
    entry: u64,
    bytes: Vec<u8>,
    /// The bytes that no relocation changes, sorted.
    fixed: Vec<Range<usize>>,
    /// Whether another object has the same: where it is found does not tell whose it is.
    is_shared: bool,
}

/// A payload's code.
#[derive(Debug)]
pub struct Code {
    /// The version of brawn that it comes from.
    pub version: &'static str,
    pieces: Vec<Piece>,
    /// Whether each object has one function in several parts: if one part is found, the others are there too.
    is_one_each: bool,
}

/// A payload's code that was found in an executable.
#[derive(Debug)]
pub struct Located<'c> {
    /// What was searched for.
    pub code: &'c Code,
    /// The address of each piece. Short pieces are not searched for.
    addresses: Vec<Option<u64>>,
}

/// The result of a search for a function's code in a program without symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// It is at this address.
    At(u64),
    /// The program has parts that only this function has; where the function begins is not clear.
    Parts,
    /// The payload's function is not in the program.
    Not,
    /// The payload's function is too short to recognize.
    TooShort,
}

/// The result of comparing a symbol's code with the payload's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// It is the payload's function: this many bytes are equal.
    Same(usize),
    /// It is too short to be sure, but equal to the payload's function and at the right place among the others.
    InPlace,
    /// Something else.
    Other,
}

impl Match {
    /// How many bytes are equal, if they prove that it is the payload's.
    pub const fn same(self) -> Option<usize> {
        match self {
            Self::Same(bytes) => Some(bytes),
            Self::InPlace | Self::Other => None,
        }
    }
}

impl Code {
    /// Reads the functions of one part of `payload`.
    pub fn read(payload: &Payload, part: Component) -> Result<Self> {
        let version = match part {
            Component::Heap => payload.version,
            Component::Memory => payload.memory.map_or("", |memory| memory.version),
            Component::Libc(_) => payload.libc.version,
            Component::Supplied => payload.supplied.version,
        };
        let (architecture, is_one_each) = (payload.architecture, part != Component::Heap);
        let mut pieces = Vec::new();
        for (number, member) in part.members(payload).into_iter().enumerate() {
            let bad =
                |e: object::Error| Error::malformed(e.to_string()).member(member.name.as_bytes());
            let file = ElfFile64::<LittleEndian>::parse(member.bytes.get()).map_err(bad)?;
            for section in file.sections().filter(|s| s.kind() == SectionKind::Text) {
                let bytes = section.data().map_err(bad)?.to_vec();
                let changed = section
                    .relocations()
                    .map(|(at, relocation)| changed(at, relocation.flags(), architecture));
                let globals = || {
                    let all = file.symbols();
                    all.filter(|s| s.is_global() && s.section_index() == Some(section.index()))
                };
                let entry = globals().map(|s| s.address()).min().unwrap_or(0);
                let names = globals().filter(|s| s.address() == entry);
                let names = names.map(|s| s.name().map(str::to_owned).map_err(bad));
                pieces.push(Piece {
                    member: number,
                    names: names.collect::<Result<_>>()?,
                    entry,
                    fixed: rest(bytes.len(), changed),
                    bytes,
                    is_shared: false,
                });
            }
        }
        share(&mut pieces, is_one_each);
        Ok(Self {
            version,
            pieces,
            is_one_each,
        })
    }

    /// Searches `image` for it; `None` if no piece was found.
    pub fn locate(&self, image: &Image<'_>) -> Option<Located<'_>> {
        let find = |piece: &Piece| {
            let telling = Some(piece).filter(|piece| piece.is_telling());
            telling?.addresses(image).next()
        };
        let addresses: Vec<Option<u64>> = self.pieces.iter().map(find).collect();
        addresses.iter().any(Option::is_some).then_some(())?;
        Some(Located {
            code: self,
            addresses,
        })
    }
}

impl Located<'_> {
    /// Compares the code at `address`, the address of the symbol `name`.
    pub fn at(&self, image: &Image<'_>, name: &str, address: u64) -> Match {
        let Some(number) = self.piece(name) else {
            return Match::Other;
        };
        let piece = &self.code.pieces[number];
        let Some(address) = address.checked_sub(piece.entry) else {
            return Match::Other;
        };
        if !image.bytes_at(address).is_some_and(|b| piece.is_at(b)) {
            return Match::Other;
        }
        match piece.compared() {
            compared if compared >= TELLING => Match::Same(compared),
            _ if self.is_in_place(number, address) => Match::InPlace,
            _ => Match::Other,
        }
    }

    /// Whether the code at `address` is all of the function `name`, however short it is: others may have the same.
    pub fn is_all(&self, image: &Image<'_>, name: &str, address: u64) -> bool {
        self.piece(name).is_some_and(|number| {
            let piece = &self.code.pieces[number];
            let start = address.checked_sub(piece.entry);
            let code = start.and_then(|start| image.bytes_at(start));
            piece.compared() == piece.bytes.len() && code.is_some_and(|code| piece.is_at(code))
        })
    }

    /// Whether `address` is the right place for piece `number`: next to the pieces before and after it that were
    /// found. This holds for linkers that keep the order of an object's functions.
    fn is_in_place(&self, number: usize, address: u64) -> bool {
        let pieces = &self.code.pieces;
        let room =
            |between: &[Piece]| -> u64 { between.iter().map(|p| p.bytes.len() as u64 + GAP).sum() };
        let member = pieces[number].member;
        let found = |n: usize| self.addresses[n].map(|a| (n, a));
        let found = |n: usize| found(n).filter(|_| pieces[n].member == member);
        let before = (0..number).rev().find_map(found).map(|(n, at)| {
            let end = at.saturating_add(pieces[n].bytes.len() as u64);
            end..=end.saturating_add(room(&pieces[n + 1..number]) + GAP)
        });
        let behind = (number + 1..pieces.len())
            .find_map(found)
            .map(|(n, at)| at.saturating_sub(room(&pieces[number..n]) + GAP)..=at);
        let sides = [before, behind];
        let mut sides = sides.iter().flatten().peekable();
        sides.peek().is_some() && sides.all(|side| side.contains(&address))
    }

    /// How many functions and parts of functions were found.
    pub fn count(&self) -> usize {
        self.addresses.iter().flatten().count()
    }

    /// Finds the function `name` in `image` by its code, whatever its symbol there.
    pub fn find(&self, image: &Image<'_>, name: &str) -> Whereabouts {
        let Some(number) = self.piece(name) else {
            return Whereabouts::TooShort;
        };
        let pieces = &self.code.pieces;
        let piece = &pieces[number];
        let entry = |at: u64| Whereabouts::At(at.wrapping_add(piece.entry));
        if piece.is_telling() {
            return self.addresses[number].map_or(Whereabouts::Not, entry);
        }
        let parts = (0..pieces.len()).filter(|n| {
            self.code.is_one_each && pieces[*n].member == piece.member && pieces[*n].is_telling()
        });
        let parts: Vec<_> = parts.map(|n| self.addresses[n]).collect();
        if parts.is_empty() {
            return Whereabouts::TooShort;
        }
        if parts.iter().all(Option::is_none) {
            return Whereabouts::Not;
        }
        // At the right place among the others, even its few bytes prove it.
        let mut places = piece.addresses(image);
        places
            .find(|at| self.is_in_place(number, *at))
            .map_or(Whereabouts::Parts, entry)
    }

    fn piece(&self, name: &str) -> Option<usize> {
        let has = |p: &Piece| p.names.iter().any(|n| n == name);
        self.code.pieces.iter().position(has)
    }
}

impl Piece {
    fn compared(&self) -> usize {
        self.fixed.iter().map(ExactSizeIterator::len).sum()
    }

    fn is_telling(&self) -> bool {
        self.compared() >= TELLING && !self.is_shared
    }

    /// What no relocation changes, and where.
    fn code(&self) -> Vec<(usize, &[u8])> {
        let fixed = self.fixed.iter();
        fixed
            .filter_map(|r| Some((r.start, self.bytes.get(r.clone())?)))
            .collect()
    }

    fn is_at(&self, bytes: &[u8]) -> bool {
        let fixed = |r: &Range<usize>| bytes.get(r.clone()) == self.bytes.get(r.clone());
        self.fixed.iter().all(fixed)
    }

    /// The addresses at which it may begin in the code of `image`.
    fn addresses<'c>(&'c self, image: &'c Image<'_>) -> impl Iterator<Item = u64> + 'c {
        let loads = image.loads.iter().filter(|load| load.executable);
        loads.flat_map(|load| {
            let places = self.places(load.data);
            places.map(move |at| load.address.wrapping_add(at as u64))
        })
    }

    /// The places in `code` where it may begin: none if all its bytes may be changed.
    fn places<'c>(&'c self, code: &'c [u8]) -> impl Iterator<Item = usize> + 'c {
        let longest = self.fixed.iter().max_by_key(|r| r.len());
        let needle = longest.and_then(|range| Some((self.bytes.get(range.clone())?, range.start)));
        needle.into_iter().flat_map(move |(needle, start)| {
            memchr::memmem::find_iter(code, needle)
                .filter_map(move |at| at.checked_sub(start))
                .filter(|at| code.get(*at..).is_some_and(|rest| self.is_at(rest)))
        })
    }
}

/// Marks the pieces that several functions have: to find their code says not which of them it is.  Where each object
/// is one function, its own pieces may be alike.
fn share(pieces: &mut [Piece], is_one_each: bool) {
    let mut first: HashMap<Vec<(usize, &[u8])>, usize> = HashMap::new();
    let mut shared = HashSet::new();
    for (number, piece) in pieces.iter().enumerate() {
        let other = *first.entry(piece.code()).or_insert(number);
        let is_one = is_one_each && pieces[other].member == piece.member;
        if other != number && !is_one {
            shared.extend([other, number]);
        }
    }
    for number in shared {
        pieces[number].is_shared = true;
    }
}

/// The bytes that a linker may change for a relocation at `at`.
fn changed(at: u64, flags: RelocationFlags, architecture: Architecture) -> Range<usize> {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    let kind = match flags {
        RelocationFlags::Elf { r_type } => r_type.0,
        _ => 0,
    };
    (traits(architecture).changed)(at, kind)
}

/// The parts of `size` bytes that are in none of `ranges`.
fn rest(size: usize, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_unstable_by_key(|r| r.start);
    let mut rest = Vec::new();
    let mut from = 0;
    for range in ranges {
        if from < range.start.min(size) {
            rest.push(from..range.start.min(size));
        }
        from = from.max(range.end);
    }
    if from < size {
        rest.push(from..size);
    }
    rest
}

#[cfg(test)]
mod tests;
