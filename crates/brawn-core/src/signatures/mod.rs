//! Finds musl's functions and data in a program without symbols. Each function is searched for by its code, without
//! the operands that the linker writes. Each function that is found confirms others by the names that it refers to.
//!
//! ```text
//! libc.a, or an executable with symbols ─ learn ─> Build ─ text ─> the database
//! Program ─ search ─> places of code ─ fit ─> one Build's functions that agree ─> Names
//! ```
//!
//! Different builds of one musl have different code, so each build has its own signatures (`signatures/` in this
//! crate's directory). All names in a program come from one build, except those that `borrow` adds.

mod borrow;
mod confirm;
pub mod database;
mod fit;
pub mod learn;
pub mod names;
pub mod operand;
mod search;
pub mod text;
mod wanted;

use crate::arch::Isa;
use crate::elf::program::Program;
use crate::error::{Error, Result};
use crate::signatures::names::Names;
pub use confirm::confirm;
use operand::Operand;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

/// If fewer of a function's bytes are the same in every program, its code alone is not enough to recognize it.
const TELLING: u32 = 32;
/// How many consecutive bytes of a function the search uses.
const WINDOW: usize = 11;

/// The most functions of a build. musl has a quarter of it. The limits keep files from making the fit take too long.
const MOST_FUNCTIONS: usize = 512;
/// The most operands of one function, and of all functions.
const MOST_OPERANDS: (usize, usize) = (256, 8192);
/// The most bytes of one function, and of all functions.
const MOST_BYTES: (u32, u32) = (1 << 16, 1 << 20);

/// Where a build's signatures come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The package, as its registry names it.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The file in it.
    pub file: String,
    /// SHA-256 of that file, in hex.
    pub sha256: String,
}

/// One build of musl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Its name in evidence, as in `musl-1.2.3-debian-amd64`.
    pub name: String,
    /// The architecture that it is for.
    pub architecture: Isa,
    /// The files from which it was learnt.
    pub provenance: Vec<Provenance>,
    /// Every name that a function has or refers to.
    pub names: Vec<String>,
    /// Its functions, in the order of the file that they were learnt from.
    pub functions: Vec<Function>,
    /// Its constant data.
    pub constants: Vec<Constant>,
}

/// A function's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its names: positions in [`Build::names`].
    pub names: Vec<u32>,
    /// Names that it has only if nothing else defines them: weak names with another definition in the build.
    pub weak: Vec<u32>,
    /// Its size in bytes.
    pub size: u32,
    /// The bytes that the search looks for, and their offset in the function; `None` if the function is too short.
    pub window: Option<(u32, [u8; WINDOW])>,
    /// The first half of the SHA-256 of its code, with the bytes of all operands set to zero.
    pub digest: [u8; 16],
    /// The operands that the linker writes, in the order of their places.
    pub operands: Vec<Operand>,
}

/// Constant data with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name: a position in [`Build::names`].
    pub name: u32,
    /// Its size in bytes.
    pub size: u32,
    /// The first half of the SHA-256 of its bytes.
    pub digest: [u8; 16],
}

impl Build {
    /// The name at that position.
    pub fn text(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", String::as_str)
    }

    /// What it has more of than any build of musl, if anything.
    fn excess(&self) -> Option<String> {
        let operands = || self.functions.iter().map(|f| f.operands.len());
        let sizes = || self.functions.iter().map(|f| f.size);
        let all: u64 = sizes().map(u64::from).sum();
        let most_operands = operands().max().unwrap_or(0);
        let most_bytes = sizes().max().unwrap_or(0) as usize;
        let all_bytes = usize::try_from(all).unwrap_or(usize::MAX);
        let counts = [
            (self.functions.len(), MOST_FUNCTIONS, "functions"),
            (self.constants.len(), MOST_FUNCTIONS, "constants"),
            (most_operands, MOST_OPERANDS.0, "operands of a function"),
            (operands().sum(), MOST_OPERANDS.1, "operands"),
            (most_bytes, MOST_BYTES.0 as usize, "bytes of a function"),
            (all_bytes, MOST_BYTES.1 as usize, "bytes of code"),
        ];
        let (count, most, what) = counts.into_iter().find(|(count, most, _)| count > most)?;
        Some(format!("{count} {what}, and at most {most} are musl's"))
    }

    /// Adds everything that this build lacks from `other`, which was learnt from another program of the same build. A
    /// name may have different code in the two: one of them may not be musl's, or may come from another build. Both
    /// are kept; the fit chooses the one that is in a program.
    ///
    /// Errors: [`Kind::Usage`](crate::Kind::Usage) for another architecture.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.architecture != other.architecture {
            let (one, another) = (self.architecture.name(), other.architecture.name());
            return Err(Error::usage(format!("{one} and {another}")).expected("one architecture"));
        }
        let mut positions: HashMap<String, u32> = self.names.iter().cloned().zip(0..).collect();
        let mut position = |name: u32| {
            let text = other.text(name);
            *positions.entry(text.to_owned()).or_insert_with(|| {
                self.names.push(text.to_owned());
                self.names.len() as u32 - 1
            })
        };
        for function in &other.functions {
            let mut function = function.clone();
            for name in function.names.iter_mut().chain(&mut function.weak) {
                *name = position(*name);
            }
            for target in function
                .operands
                .iter_mut()
                .filter_map(|o| o.target.as_mut())
            {
                target.name = position(target.name);
            }
            let is_there = |f: &Function| {
                let mut names = f.names.iter().chain(&f.weak);
                let is_same = |n| function.names.contains(n) || function.weak.contains(n);
                f.digest == function.digest && names.any(is_same)
            };
            if !self.functions.iter().any(is_there) {
                self.functions.push(function);
            }
        }
        for constant in &other.constants {
            let name = position(constant.name);
            if self.constants.iter().all(|c| c.name != name) {
                self.constants.push(Constant {
                    name,
                    ..constant.clone()
                });
            }
        }
        self.provenance.extend(other.provenance.iter().cloned());
        Ok(())
    }
}

impl Function {
    /// How many of its bytes are the same in every program.
    pub fn fixed(&self) -> u32 {
        let mut end = 0;
        let mut masked = 0;
        for operand in &self.operands {
            let bytes = operand.form.bytes(operand.at);
            let till = bytes.end.min(self.size);
            masked += till.saturating_sub(bytes.start.max(end));
            end = end.max(till);
        }
        self.size.saturating_sub(masked)
    }

    /// Whether its code alone is enough to recognize it.
    fn is_telling(&self) -> bool {
        self.window.is_some() && self.fixed() >= TELLING
    }

    /// Whether `code`, which has its length, contains its window.
    fn has_window(&self, code: &[u8]) -> bool {
        self.window.is_some_and(|(at, window)| {
            code.get(at as usize..)
                .is_some_and(|rest| rest.starts_with(&window))
        })
    }

    /// Whether `code`, which has its length, is its code.
    fn is(&self, code: &[u8]) -> bool {
        code.len() == self.size as usize && digest(code, &self.operands) == self.digest
    }
}

/// The first half of the SHA-256 of `code`, with the bytes of `operands` set to zero.
fn digest(code: &[u8], operands: &[Operand]) -> [u8; 16] {
    let mut code = code.to_vec();
    fill(&mut code, operands, 0);
    half(&code)
}

/// Puts `with` at the places of all bytes of operands.
fn fill<T: Copy>(all: &mut [T], operands: &[Operand], with: T) {
    for operand in operands {
        let bytes = operand.form.bytes(operand.at);
        let end = (bytes.end as usize).min(all.len());
        if let Some(masked) = all.get_mut(bytes.start as usize..end) {
            masked.fill(with);
        }
    }
}

/// The first half of the SHA-256 of `bytes`.
fn half(bytes: &[u8]) -> [u8; 16] {
    let whole: [u8; 32] = Sha256::digest(bytes).into();
    std::array::from_fn(|n| whole[n])
}

/// The names in `program` by the signatures of the database; empty if it has code of no known build.
///
/// Errors: only those of the database itself, which a test reads completely.
pub fn name(program: &Program<'_>) -> Result<Names> {
    name_with(program, &[])
}

/// The same with the user's builds in addition. If two builds fit equally well, the database's is used.
///
/// Errors: as [`name`].
pub fn name_with(program: &Program<'_>, more: &[Build]) -> Result<Names> {
    let own = database::builds(program.architecture)?;
    let builds: Vec<&Build> = own.iter().chain(more).collect();
    Ok(fit::fit(
        program,
        &builds,
        &search::search(program, &builds),
    ))
}

/// The same with only these builds.
pub fn name_by(program: &Program<'_>, builds: &[Build]) -> Names {
    let builds: Vec<&Build> = builds.iter().collect();
    fit::fit(program, &builds, &search::search(program, &builds))
}

#[cfg(test)]
mod tests;
