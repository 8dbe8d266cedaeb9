//! The program's code, with everything that is known about where functions begin and end.

use super::reference::Reference;
use super::{aarch64, x86_64};
use crate::arch::Isa;
use crate::demangle::demangled;
use crate::elf::frames::Frames;
use crate::elf::program::Program;
use crate::error::{Error, Result};
use crate::signatures::names::{Evidence, Named, Names};
use crate::work::Work;
use object::elf;
use std::cell::Cell;
use std::ops::Range;

/// Farther than this from the start of a function, in bytes, its instructions are not read from the start.
const FAR: u64 = 1 << 20;

/// How many bytes before a call are searched for its arguments.
const BEFORE: u64 = 160;

/// How often all code may be read instruction by instruction, and how many bytes more. A limit is needed since
/// functions may overlap by their sizes, and each place of interest is read from the start of its function.
const TIMES: usize = 4;
const BESIDES: usize = 1 << 24;

/// A function's name and place.
#[derive(Clone, Copy, Debug)]
struct Start<'p> {
    address: u64,
    size: u64,
    name: &'p str,
}

/// All code.
#[derive(Debug)]
pub struct Code<'p> {
    /// The architecture that it is for.
    pub architecture: Isa,
    /// The bytes that can be executed, ascending: executable sections, or whole segments in files without sections.
    pub regions: Vec<(u64, &'p [u8])>,
    /// The starts of functions with names, by address; each once.
    starts: Vec<Start<'p>>,
    /// Functions with unwind information, which have no names here.
    frames: Frames,
    /// How many bytes may be read instruction by instruction each time that the program is examined, and how many may still be read.
    budget: usize,
    work: Work,
    /// On x86_64: the start of the function that was read last, and how far: an instruction begins there. What is looked
    /// up in one function ascends, and a large one would be read from its start each time.
    read: Cell<(u64, u64)>,
}

impl<'p> Code<'p> {
    /// The code of `program`. Functions are known by its symbols and by `names`.
    pub fn new(program: &'p Program<'_>, names: &'p Names) -> Self {
        let sections = program.sections.iter();
        let run = elf::SHF_EXECINSTR.0 | elf::SHF_ALLOC.0;
        let mut regions: Vec<(u64, &[u8])> = sections
            .filter(|s| s.flags & run == run && s.kind == elf::SHT_PROGBITS.0)
            .filter_map(|s| Some((s.address, program.at(s.address, s.size)?)))
            .collect();
        // Sections are optional: code outside of them can be executed too.
        let entered = regions
            .iter()
            .any(|(at, code)| contains(*at, code, program.entry));
        regions.sort_unstable_by_key(|(at, _)| *at);
        let overlap = |pair: &[(u64, &[u8])]| pair[0].0 + pair[0].1.len() as u64 > pair[1].0;
        if !entered || regions.windows(2).any(overlap) {
            // Segments ascend and do not overlap.
            regions = program.code().collect();
        }
        // Mapping symbols (`$x`, `$d`) mark kinds of content, not functions.
        let symbols = program.functions();
        let symbols = symbols.map(|s| (s.address, s.size, s.name));
        let named = names.functions.iter();
        // What the symbols say is there already.
        let named = named.filter(|n| n.evidence != Evidence::Symbol);
        let named = named.map(|n| (n.address, n.size, n.name.as_str()));
        let mut starts: Vec<Start<'_>> = symbols
            .chain(named)
            .filter(|(_, _, name)| !name.starts_with('$'))
            .map(|(address, size, name)| Start {
                address,
                size,
                name,
            })
            .collect();
        // If an address has several names, one with a size comes first.
        starts.sort_by_key(|s| (s.address, std::cmp::Reverse(s.size)));
        starts.dedup_by_key(|s| s.address);
        let size: usize = regions.iter().map(|(_, code)| code.len()).sum();
        let budget = size.saturating_mul(TIMES).saturating_add(BESIDES);
        Self {
            architecture: program.architecture,
            regions,
            starts,
            frames: Frames::of(program),
            budget,
            work: Work::new(budget),
            read: Cell::default(),
        }
    }

    /// The code from `address` to the end of its region.
    pub fn from(&self, address: u64) -> Option<&'p [u8]> {
        let (at, code) = self.region(address)?;
        code.get((address - at) as usize..)
    }

    /// The code in `range`.
    pub fn bytes(&self, range: &Range<u64>) -> &'p [u8] {
        let code = self.from(range.start).unwrap_or_default();
        let length = (range.end - range.start) as usize;
        &code[..code.len().min(length)]
    }

    /// The code before `site` and its address: from the start of its function, if known, and at most [`BEFORE`]
    /// bytes.
    pub fn before(&self, site: u64) -> Option<(u64, &'p [u8])> {
        let (at, code) = self.region(site)?;
        let function = self.function(site).map_or(at, |extent| extent.start);
        let start = function.max(at).max(site.saturating_sub(BEFORE));
        let bytes = code.get((start - at) as usize..(site - at) as usize)?;
        Some((start, bytes))
    }

    fn region(&self, address: u64) -> Option<(u64, &'p [u8])> {
        let behind = self.regions.partition_point(|(at, _)| *at <= address);
        let (at, code) = *self.regions.get(behind.checked_sub(1)?)?;
        contains(at, code, address).then_some((at, code))
    }

    /// The start of the next function after `address`, or the end of the region.
    pub fn next(&self, address: u64) -> u64 {
        let end = self
            .region(address)
            .map_or(address, |(at, code)| at + code.len() as u64);
        let next = self.starts.partition_point(|s| s.address <= address);
        let named = self.starts.get(next).map_or(end, |s| s.address);
        let other = self.frames.next(address).unwrap_or(end);
        named.min(other).min(end)
    }

    /// The range of a function: by its size, or up to where nothing goes on.
    pub fn extent(&self, named: &Named) -> Range<u64> {
        let start = named.address;
        let next = self.next(start);
        let end = match named.size {
            0 => {
                let code = self.bytes(&(start..next));
                start + self.by(|| x86_64::end(code), || aarch64::end(code))
            }
            // Labels inside a function do not end it.
            size => start.saturating_add(size),
        };
        start..end
    }

    /// The function that contains `address`: one with a name, or one with unwind information.
    pub fn function(&self, address: u64) -> Option<Range<u64>> {
        let named = self.named(address).map(|(range, _)| range);
        named.or_else(|| self.frames.around(address))
    }

    /// The function with a name that contains `address`, and its name.
    pub fn named(&self, address: u64) -> Option<(Range<u64>, &'p str)> {
        self.region(address)?;
        let behind = self.starts.partition_point(|s| s.address <= address);
        // A label inside a function has no size, or ends before `address`.
        self.starts[..behind].iter().rev().take(8).find_map(|s| {
            let end = match s.size {
                0 => self.next(s.address),
                size => s.address.saturating_add(size),
            };
            (address < end).then_some((s.address..end, s.name))
        })
    }

    /// Whether the jump at `from` is padding: gold fills the room between two functions with a jump over it.  Where no name
    /// says that a function ends there, the jump may be the function's last instruction.
    pub fn is_padding(&self, from: u64, target: u64) -> bool {
        let before = self.starts.partition_point(|s| s.address < from);
        let mut before = self.starts[..before].iter().rev().take(8);
        let ends = before.any(|s| s.size > 0 && s.address.saturating_add(s.size) == from);
        let is_gap = ends && from < target && self.named(from).is_none() && self.begins(target);
        is_gap
            && self.architecture == Isa::X86_64
            && x86_64::skips_padding(self.bytes(&(from..target)))
    }

    /// Whether a function is known to begin at `address`.
    pub fn begins(&self, address: u64) -> bool {
        let named = self.starts.binary_search_by_key(&address, |s| s.address);
        let other = || self.frames.around(address);
        named.is_ok() || other().is_some_and(|range| range.start == address)
    }

    /// All addresses relative to themselves that instructions in `range` refer to.
    pub fn references(&self, range: &Range<u64>) -> Vec<Reference> {
        let (code, at) = (self.bytes(range), range.start);
        if !self.work.spend(code.len()) {
            return Vec::new();
        }
        self.by(
            || x86_64::references(code, at),
            || aarch64::references(code, at),
        )
    }

    /// The address after a landing pad for indirect calls at `address`.
    pub fn behind_landing(&self, address: u64) -> u64 {
        let code = self.from(address).unwrap_or_default();
        self.by(
            || x86_64::behind_landing(code, address),
            || aarch64::behind_landing(code, address),
        )
    }

    /// How many bytes of padding `code` begins with.
    pub fn padding(&self, code: &[u8]) -> u64 {
        self.by(|| x86_64::padding(code), || aarch64::padding(code))
    }

    /// Whether a function only returns zero, or does nothing at all.
    pub fn is_stub(&self, extent: &Range<u64>) -> bool {
        (self.architecture.facts().is_stub)(self.bytes(extent))
    }

    /// Whether code in `range` calls the kernel.
    pub fn calls_kernel(&self, range: &Range<u64>) -> bool {
        let code = self.bytes(range);
        self.by(
            || x86_64::calls_kernel(code),
            || aarch64::calls_kernel(code),
        )
    }

    fn by<T>(&self, x86_64: impl FnOnce() -> T, aarch64: impl FnOnce() -> T) -> T {
        match self.architecture {
            Isa::X86_64 => x86_64(),
            Isa::Aarch64 => aarch64(),
        }
    }

    /// Whether the code of the function at `range` uses the thread pointer. On aarch64 `false`: there, a stack protector
    /// needs none.
    pub fn reads_thread(&self, range: &Range<u64>) -> bool {
        let code = self.bytes(range);
        self.spend(code.len()) && self.by(|| x86_64::reads_thread(code), || false)
    }

    /// A name for the code at `address` in messages, such as `main`, or `code`.
    pub fn describe(&self, address: u64) -> String {
        match self.named(address) {
            Some((_, name)) => format!("`{}`", demangled(name)),
            None => "code without a name".to_string(),
        }
    }

    /// On x86_64: the reference of the instruction whose operand begins at `place`; `None` if there is no operand
    /// there.
    pub fn operand(&self, place: u64) -> Option<Reference> {
        let (at, code) = self.region(place)?;
        let start = self.function(place).map(|extent| extent.start);
        let start = start.filter(|s| *s >= at && *s < place && place - s < FAR);
        let read = place - start.unwrap_or(place);
        if !self.work.spend(read as usize) {
            return None;
        }
        match start {
            Some(start) => {
                let (of, far) = self.read.get();
                let mut from = if of == start && far <= place {
                    far
                } else {
                    start
                };
                let found = x86_64::operand(
                    &code[(start - at) as usize..],
                    start,
                    place,
                    Some(&mut from),
                );
                self.read.set((start, from));
                found
            }
            None => x86_64::operand(code, at, place, None),
        }
    }

    /// The program is examined once more.
    pub fn refill(&self) {
        self.work.refill(self.budget);
    }

    /// Spends `much` of the budget for examining code, which grows with the number of pairs of findings.
    pub fn spend(&self, much: usize) -> bool {
        self.work.spend(much)
    }

    /// Fails if the budget was exceeded, so that not everything was examined.
    pub fn check_work(&self) -> Result<()> {
        if self.work.is_spent() {
            return Err(Error::refused(
                "its functions overlap, or refer to musl's heap, too often to be looked through",
            )
            .expected("code as compilers and linkers make it")
            .next("relink with a patched libc.a"));
        }
        Ok(())
    }

    /// Size of a jump, in bytes.
    pub fn jump(&self) -> u64 {
        self.by(|| x86_64::JUMP, || aarch64::JUMP)
    }
}

fn contains(at: u64, code: &[u8], address: u64) -> bool {
    address
        .checked_sub(at)
        .is_some_and(|n| n < code.len() as u64)
}
