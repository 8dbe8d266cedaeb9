//! The results of the fit: names of functions and of data, each with the evidence for it.

use super::super::operand::{self, Form, Operand};
use super::super::wanted::is_libc;
use super::{Fit, How};
use crate::signatures::names::{Evidence, Named, Names};
use std::collections::HashSet;

/// If this many of a function's bytes are the same in every program, no other function of libc is like it.
const LONG: u32 = 64;

impl Fit<'_, '_, '_> {
    /// The names of all functions and data that were found.
    pub(super) fn names(&self) -> Names {
        let mut names = Names::default();
        let text = |name: u32| self.build.text(name).to_owned();
        let evidence = |how| match how {
            How::Code => Evidence::Signature(self.build.name.clone()),
            How::Reference => Evidence::Reference(self.build.name.clone()),
        };
        let called = self.called();
        for (number, place) in self.places.iter().enumerate() {
            let Some((address, how)) = *place else {
                continue;
            };
            if !self.is_told(number, address, &called) {
                continue;
            }
            let function = &self.build.functions[number];
            let is_here = |name: &&u32| self.known.get(name) == Some(&address);
            for name in function
                .names
                .iter()
                .chain(function.weak.iter().filter(is_here))
            {
                names.functions.push(Named {
                    name: text(*name),
                    address,
                    size: u64::from(function.size),
                    evidence: evidence(how),
                });
            }
        }
        let is_data = |address: u64| {
            let loads = self.program.loads();
            let mut loads = loads
                .filter(|s| s.addresses().contains(&address))
                .peekable();
            loads.peek().is_some() && loads.all(|s| !s.is_code())
        };
        for (name, address) in &self.known {
            if is_data(*address) {
                let constants = &self.build.constants;
                let size = constants
                    .iter()
                    .find(|c| c.name == *name)
                    .map_or(0, |c| c.size);
                names.objects.push(Named {
                    name: text(*name),
                    address: *address,
                    size: u64::from(size),
                    evidence: evidence(How::Reference),
                });
            }
        }
        let order = |a: &Named, b: &Named| (a.address, &a.name).cmp(&(b.address, &b.name));
        names.functions.sort_by(order);
        names
            .functions
            .dedup_by(|a, b| (a.address, &a.name) == (b.address, &b.name));
        names.objects.sort_by(order);
        names
    }

    /// Whether the function at `place` can only be this function of musl's. `strtof` and `wcstof`, for example, have
    /// the same code, but call different functions. So the functions that it calls must have been found themselves;
    /// for a long function it is enough that their addresses are known. If another function has the same code, as
    /// `sprintf` has `asprintf`'s, what it refers to must be there. A function that a long function calls counts in any
    /// case.
    fn is_told(&self, number: usize, place: u64, called: &HashSet<(u32, u64)>) -> bool {
        let function = &self.build.functions[number];
        let names = || function.names.iter().chain(&function.weak);
        if !names().any(|name| is_libc(self.build.text(*name)))
            || names().any(|name| called.contains(&(*name, place)))
        {
            return true;
        }
        let mut alike = self
            .build
            .functions
            .iter()
            .filter(|f| f.digest == function.digest);
        if alike.nth(1).is_some() && !self.refers_to_its_own(number, place) {
            return false;
        }
        let inside = place..place + u64::from(function.size);
        let mut branches = function
            .operands
            .iter()
            .filter(|o| self.is_branch(o, place));
        branches.all(|operand| {
            let Some(target) = operand.target else {
                return false;
            };
            let mut to = None;
            operand::addresses(self.program, place, &[*operand], |_, at| to = Some(at));
            let Some(to) = to else { return false };
            let mut found = self.places.iter().flatten();
            inside.contains(&to)
                || self.known.get(&target.name) == Some(&to)
                    && (function.fixed() >= LONG || found.any(|(at, _)| *at == to))
        })
    }

    /// Names and addresses that long functions refer to.
    fn called(&self) -> HashSet<(u32, u64)> {
        let mut called = HashSet::new();
        for (function, place) in self.build.functions.iter().zip(&self.places) {
            if let Some((place, _)) = place.filter(|_| function.fixed() >= LONG) {
                operand::addresses(self.program, place, &function.operands, |name, address| {
                    called.insert((name, address));
                });
            }
        }
        called
    }

    /// Whether the instruction with that operand is a call or a jump.
    fn is_branch(&self, operand: &Operand, place: u64) -> bool {
        match operand.form {
            Form::Branch => true,
            Form::Distance => {
                let at = place + u64::from(operand.at);
                let before = at.checked_sub(2).and_then(|at| self.program.at(at, 2));
                // call, jmp; jcc (Intel SDM, volume 2: opcodes E8, E9; 0F 80 to 8F).
                matches!(before, Some([_, 0xe8 | 0xe9] | [0x0f, 0x80..=0x8f]))
            }
            _ => false,
        }
    }
}
