//! Finds functions that are too short to be searched for, by the functions that they jump to.

use super::{Fit, How};
use crate::arch::Isa;
use crate::elf::program::Program;
use crate::signatures::Function;
use crate::signatures::operand::Form;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// The most bytes that a linker puts between two functions for alignment.
const GAP: u64 = 16;
/// How far a function may be from the known functions, in bytes.
const NEAR: u64 = 1 << 16;

/// The addresses to which the program's direct calls and jumps lead, one bit for each. Most addresses in question come up
/// again and again, and there is no faster way through all code than once.
#[derive(Debug)]
pub(super) struct Called(Vec<(u64, Vec<u64>)>);

impl Called {
    fn none(program: &Program<'_>) -> Self {
        let bits = |(start, code): (u64, &[u8])| (start, vec![0; code.len() / 64 + 1]);
        Self(program.code().map(bits).collect())
    }

    fn add(&mut self, address: u64) {
        for (start, bits) in &mut self.0 {
            let at = address.wrapping_sub(*start);
            if let Some(word) = bits.get_mut((at / 64) as usize) {
                *word |= 1 << (at % 64);
            }
        }
    }

    fn has(&self, address: u64) -> bool {
        self.0.iter().any(|(start, bits)| {
            let at = address.wrapping_sub(*start);
            let word = bits.get((at / 64) as usize);
            word.is_some_and(|word| word >> (at % 64) & 1 != 0)
        })
    }
}

/// Bits of a target by which most branches are passed over that lead elsewhere.
const FEW: u64 = (1 << 12) - 1;

impl Fit<'_, '_, '_> {
    /// Finds functions that are too short to be searched for and call or jump to a known function, as `free` does to
    /// `__libc_free`: wherever such a jump is, their code is compared with the code around it.
    pub(super) fn calls(&mut self, twins: &[Vec<usize>]) {
        // By the target of the jump: groups of functions with the same code, and the offset of the jump in them.
        let mut wanted: HashMap<u64, Vec<(u64, Vec<usize>)>> = HashMap::new();
        for numbers in twins {
            let mut groups: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
            for number in numbers.iter().filter(|n| self.places[**n].is_none()) {
                if let Some(call) = self.call(&self.build.functions[*number]) {
                    groups.entry(call).or_default().push(*number);
                }
            }
            for ((at, to), numbers) in groups {
                wanted.entry(to).or_default().push((at, numbers));
            }
        }
        if wanted.is_empty() {
            return;
        }
        // They are among the other functions, or near them.
        let span = self.span();
        let span = span.start().saturating_sub(NEAR)..=span.end().saturating_add(NEAR);
        let mut candidates: HashMap<&[usize], Vec<u64>> = HashMap::new();
        let mut may_be_wanted = [false; FEW as usize + 1];
        for to in wanted.keys() {
            may_be_wanted[(to >> 2 & FEW) as usize] = true;
        }
        self.branches(&span, |at, to| {
            if !may_be_wanted[(to >> 2 & FEW) as usize] {
                return;
            }
            for (inside, numbers) in wanted.get(&to).into_iter().flatten() {
                let function = &self.build.functions[numbers[0]];
                if let Some(start) = at.checked_sub(*inside)
                    && self.is_code_at(function, start)
                {
                    candidates.entry(numbers).or_default().push(start);
                }
            }
        });
        let mut candidates: Vec<_> = candidates.into_iter().collect();
        candidates.sort_unstable();
        for (numbers, places) in &candidates {
            let Some((numbers, mut places)) = self.left(numbers, places) else {
                continue;
            };
            // A jump inside another function: nothing calls the place where its function would begin.
            let size = u64::from(self.build.functions[numbers[0]].size);
            if places.len() > numbers.len() || !places.iter().all(|at| self.is_beside(*at, size)) {
                places.retain(|place| self.is_called(*place));
            }
            self.pair(&numbers, &places, 1, How::Reference);
        }
    }

    /// Whether the function at `place` is directly beside a function that was found; padding may be between them.
    fn is_beside(&self, place: u64, size: u64) -> bool {
        let placed = self.build.functions.iter().zip(&self.places);
        let mut placed =
            placed.filter_map(|(f, at)| at.map(|(at, _)| (at, at + u64::from(f.size))));
        placed.any(|(from, to)| {
            (to..=to + GAP).contains(&place) || (place + size..=place + size + GAP).contains(&from)
        })
    }

    /// The first call or jump to a known address in a function that is not searched for: the offset of its operand,
    /// and the target.
    fn call(&self, function: &Function) -> Option<(u64, u64)> {
        if function.window.is_some() {
            return None;
        }
        let calls = function.operands.iter().filter(|o| {
            let addend = o.target.map(|t| t.addend);
            o.form == Form::Branch && addend == Some(0)
                || o.form == Form::Distance && addend == Some(-4)
        });
        let mut known =
            calls.filter_map(|o| Some((u64::from(o.at), *self.known.get(&o.target?.name)?)));
        known.next()
    }

    /// Whether any direct call or jump of the program leads there.
    fn is_called(&self, place: u64) -> bool {
        let called = self.called.get_or_init(|| {
            let mut called = Called::none(self.program);
            self.branches(&(0..=u64::MAX), |_, to| called.add(to));
            called
        });
        called.has(place)
    }

    /// Calls `found` for every direct call and jump of the program's code in `span`, with the address of its operand
    /// and the target.
    fn branches(&self, span: &RangeInclusive<u64>, mut found: impl FnMut(u64, u64)) {
        let operation = match self.program.architecture {
            Isa::X86_64 => 1,
            Isa::Aarch64 => 0,
        };
        for (start, code) in self.program.code() {
            let from = span.start().saturating_sub(start).next_multiple_of(4);
            let to = span.end().saturating_sub(start).saturating_add(16);
            let to = usize::try_from(to).unwrap_or(usize::MAX).min(code.len());
            let Some(code) = usize::try_from(from)
                .ok()
                .and_then(|from| code.get(from..to))
            else {
                continue;
            };
            let start = start + from;
            let branches = self.program.architecture.branches(code, start);
            branches.for_each(|(site, to)| found(site + operation, to));
        }
    }
}
