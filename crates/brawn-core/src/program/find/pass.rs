//! Finds everything that refers to a set of addresses, in one pass over a program.

use super::code::Code;
use super::reference::Reference;
use super::scan::Wanted;
use super::whole::Whole;
use super::words::may_be_address;
use super::{aarch64, x86_64};
use crate::arch::Isa;
use crate::elf::program::Placement;
use std::ops::Range;

/// A reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The address of the instruction or the word.
    pub from: u64,
    /// What it refers to.
    pub target: u64,
    /// Whether it is an instruction; otherwise it is a word in data.
    pub is_code: bool,
    /// Whether the instruction contains the address itself.
    pub is_absolute: bool,
}

/// Everything in the program that refers to `wanted`, except for code in `without` (ascending). `begins` (ascending)
/// are addresses in `wanted` that count wherever they are found.
// Long because it is one pass with one list: code of both architectures, words of data, relocations.
pub fn pass(
    whole: &Whole<'_, '_>,
    code: &Code<'_>,
    wanted: &Wanted,
    begins: &[u64],
    without: &[Range<u64>],
) -> Vec<Hit> {
    let mut hits = Vec::new();
    if wanted.is_empty() {
        return hits;
    }
    let is_without = |address: u64| {
        let behind = without.partition_point(|r| r.start <= address);
        behind > 0 && without[behind - 1].contains(&address)
    };
    let is_fixed = whole.program.placement == Placement::Fixed;
    for (address, bytes) in &code.regions {
        let hit = |reference: Reference| {
            hits.push(Hit {
                from: reference.at,
                target: reference.target,
                is_code: true,
                is_absolute: reference.is_absolute,
            });
        };
        if code.architecture == Isa::Aarch64 {
            let mut references = arm_references(whole, code, *address, bytes, wanted);
            references.retain(|r| !is_without(r.at));
            references.into_iter().for_each(hit);
            continue;
        }
        let mut places: Vec<u64> = Vec::new();
        let mut look = |at: usize| {
            let place = address + at as u64;
            if !is_without(place) {
                places.push(place);
            }
        };
        wanted.relative(bytes, *address, |at| {
            if x86_64::may_refer(bytes, *address, at, wanted) {
                look(at);
            }
        });
        if is_fixed {
            wanted.absolute(bytes, look);
        }
        let references = places.into_iter().filter_map(|place| code.operand(place));
        references
            // A program that may be loaded anywhere has no absolute addresses in its instructions.
            .filter(|r| wanted.contains(r.target) && (is_fixed || !r.is_absolute))
            .for_each(hit);
    }
    let mut data = |from: u64, target: u64| {
        hits.push(Hit {
            from,
            target,
            is_code: false,
            is_absolute: false,
        });
    };
    if is_fixed {
        for (address, bytes) in data_of(whole, code) {
            wanted.words(bytes, address, |at, word| {
                if may_be_address(code, begins, word) {
                    data(address + at as u64, word);
                }
            });
        }
    } else {
        let relocations = whole.relocations.iter();
        relocations
            .filter(|r| r.other.is_none() && wanted.contains(r.target))
            .for_each(|r| data(r.place, r.target));
    }
    hits
}

/// The references of aarch64 code, without those of data among it.
fn arm_references(
    whole: &Whole<'_, '_>,
    code: &Code<'_>,
    address: u64,
    bytes: &[u8],
    wanted: &Wanted,
) -> Vec<Reference> {
    let data = aarch64::Data {
        at: &|at, size| whole.program.at(at, size),
        function: &|at| code.function(at),
    };
    let mut references = Vec::new();
    aarch64::scan(bytes, address, wanted, data, |r| references.push(r));
    aarch64::take_out(bytes, address, &mut references);
    references
}

/// The parts that are loaded from the file and are not executed.
pub(super) fn data_of<'a>(whole: &Whole<'_, 'a>, code: &Code<'_>) -> Vec<(u64, &'a [u8])> {
    let mut parts = Vec::new();
    for segment in whole.program.loads() {
        let filled = segment.filled();
        let mut start = filled.start;
        let regions = code
            .regions
            .iter()
            .map(|(at, code)| *at..*at + code.len() as u64);
        let inside = regions.filter(|r| filled.contains(&r.start));
        for region in inside.chain(std::iter::once(filled.end..filled.end)) {
            let part = whole.program.at(start, region.start - start);
            parts.extend(part.map(|bytes| (start, bytes)));
            start = region.end;
        }
    }
    parts
}
