//! What of musl is where in a program without symbols: each function is searched for by its code, with the operands
//! that linking fills in masked, and every one that is found confirms the others by what it refers to.
//!
//! ```text
//! libc.a, or an executable with symbols ─ learn ─> Build ─ text ─> the database
//! Program ─ search ─> places of code ─ fit ─> one Build's functions that agree ─> Names
//! ```
//!
//! Different builds of one musl have different code, so each build has its own signatures (`signatures/` in this
//! crate's folder), and what is reported of a program is what one build says.

mod borrow;
mod confirm;
pub mod database;
mod fit;
pub mod learn;
pub mod names;
pub mod operand;
mod search;
pub(crate) mod stub;
pub mod text;
mod wanted;

use crate::elf::program::Program;
use crate::error::{Error, Result};
use crate::signatures::names::Names;
use brawn_payload::Architecture;
pub use confirm::confirm;
use operand::Operand;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

/// A function with fewer bytes that are the same in every program is not told by them alone.
const TELLING: u32 = 32;
/// How many bytes in a row the search knows of a function.
const WINDOW: usize = 11;

/// What a build may have at the most.  musl has a quarter of it; beyond, the time that fitting takes is somebody's choice.
const MOST_FUNCTIONS: usize = 512;
/// Operands of one function, and of all.
const MOST_OPERANDS: (usize, usize) = (256, 8192);
/// Bytes of one function, and of all.
const MOST_BYTES: (u32, u32) = (1 << 16, 1 << 20);

/// Where a build's signatures are from.
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
    /// What it is called in evidence, as in `musl-1.2.3-debian-amd64`.
    pub name: String,
    /// What it runs on.
    pub architecture: Architecture,
    /// The files that it was learnt from.
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
    /// Names that it has only where nothing else has them: weak ones, of which the build has another definition.
    pub weak: Vec<u32>,
    /// Its size in bytes.
    pub size: u32,
    /// The bytes that the search looks for, and where they are in the function; `None` for one too short to be
    /// searched for.
    pub window: Option<(u32, [u8; WINDOW])>,
    /// The first half of the SHA-256 of its code with every operand's bytes zero.
    pub digest: [u8; 16],
    /// What linking fills in, by place.
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
    /// The text of a name's position.
    pub fn text(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", String::as_str)
    }

    /// What it has more of than any build of musl, if there is something.
    fn excess(&self) -> Option<String> {
        let operands = || self.functions.iter().map(|f| f.operands.len());
        let sizes = || self.functions.iter().map(|f| f.size);
        let all: u64 = sizes().map(u64::from).sum();
        let counts = [
            (self.functions.len(), MOST_FUNCTIONS, "functions"),
            (self.constants.len(), MOST_FUNCTIONS, "constants"),
            (
                operands().max().unwrap_or(0),
                MOST_OPERANDS.0,
                "operands of a function",
            ),
            (operands().sum(), MOST_OPERANDS.1, "operands"),
            (
                sizes().max().unwrap_or(0) as usize,
                MOST_BYTES.0 as usize,
                "bytes of a function",
            ),
            (
                usize::try_from(all).unwrap_or(usize::MAX),
                MOST_BYTES.1 as usize,
                "bytes of code",
            ),
        ];
        let (count, most, what) = counts.into_iter().find(|(count, most, _)| count > most)?;
        Some(format!("{count} {what}, and at most {most} are musl's"))
    }

    /// Adds what `other`, learnt from another program of the same build, has and this has not.  A name whose code
    /// is not the same in both is another's, or of another build: both stay, and what is in a program decides.
    ///
    /// Errors: [`Kind::Usage`](crate::Kind::Usage) for another architecture.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.architecture != other.architecture {
            let found = format!(
                "{} and {}",
                self.architecture.name(),
                other.architecture.name()
            );
            return Err(Error::new(crate::Kind::Usage, found).expected("one architecture"));
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

    /// Whether its code alone tells it.
    fn is_telling(&self) -> bool {
        self.window.is_some() && self.fixed() >= TELLING
    }

    /// Whether its window stands in `code`, which is as long as it.
    fn has_window(&self, code: &[u8]) -> bool {
        self.window.is_some_and(|(at, window)| {
            code.get(at as usize..)
                .is_some_and(|rest| rest.starts_with(&window))
        })
    }

    /// Whether `code`, which is as long as it, is its code.
    fn is(&self, code: &[u8]) -> bool {
        code.len() == self.size as usize && digest(code, &self.operands) == self.digest
    }
}

/// The first half of the SHA-256 of `code` with the bytes of `operands` zero.
fn digest(code: &[u8], operands: &[Operand]) -> [u8; 16] {
    let mut code = code.to_vec();
    for operand in operands {
        let bytes = operand.form.bytes(operand.at);
        let end = (bytes.end as usize).min(code.len());
        if let Some(masked) = code.get_mut(bytes.start as usize..end) {
            masked.fill(0);
        }
    }
    half(&code)
}

/// The first half of the SHA-256 of `bytes`.
fn half(bytes: &[u8]) -> [u8; 16] {
    let whole: [u8; 32] = Sha256::digest(bytes).into();
    std::array::from_fn(|n| whole[n])
}

/// What the signatures of the database say of `program`: nothing, where it has no code of a build in it.
///
/// Errors: none but of the database itself, which a test reads whole.
pub fn name(program: &Program<'_>) -> Result<Names> {
    name_with(program, &[])
}

/// The same with builds of the user's besides: of equals, the database's comes first.
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

/// The same with these builds alone.
pub fn name_by(program: &Program<'_>, builds: &[Build]) -> Names {
    let builds: Vec<&Build> = builds.iter().collect();
    fit::fit(program, &builds, &search::search(program, &builds))
}

#[cfg(test)]
mod tests;
