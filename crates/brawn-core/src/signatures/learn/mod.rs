//! Learns the signatures of one build of musl, from its `libc.a` or from an executable with symbols.

mod aarch64;
mod archive;
mod executable;
mod given;
mod x86_64;

pub use given::Given;

use super::names::Names as Known;
use super::operand::{Form, Operand, Target};
use super::text::is_word;
use super::{Build, Constant, Function, Provenance, WINDOW, digest, fill, half};
use crate::arch::Isa;
use crate::elf::program::Program;
use crate::error::{Error, Result};
use crate::fingerprint::hexadecimal;
use crate::format::Format;
use indexmap::IndexSet;
use sha2::{Digest as _, Sha256};

/// A function with its code as the file has it.
struct Raw<'a> {
    names: Vec<&'a str>,
    weak: Vec<&'a str>,
    code: &'a [u8],
    operands: Vec<RawOperand<'a>>,
}

/// An operand with the name that it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RawOperand<'a> {
    at: u32,
    form: Form,
    target: Option<(&'a str, i32)>,
}

/// An operand, and what it refers to.
struct Located {
    operand: RawOperand<'static>,
    /// The address; `None` if unknown.
    to: Option<u64>,
    /// How many bytes behind the operand its distance counts from.
    behind: u8,
}

/// Everything that was learnt from a file.
struct Learnt<'a> {
    architecture: Isa,
    functions: Vec<Raw<'a>>,
    /// Constant data, with its bytes.
    constants: Vec<(&'a str, &'a [u8])>,
}

/// Learns the signatures of the musl in `bytes`: an archive, or a static executable with symbols. The build has no
/// name yet, and its provenance only has the file's SHA-256.
///
/// Errors: [`Kind::Malformed`](crate::Kind::Malformed) for broken input,
/// [`Kind::NotApplicable`](crate::Kind::NotApplicable) if it is neither of these, or if it has no functions with
/// musl's names.
pub fn learn(bytes: &[u8]) -> Result<Build> {
    let learnt = match Format::of(bytes) {
        Format::Archive | Format::ThinArchive => archive::learn(bytes)?,
        _ => executable::learn(bytes)?,
    };
    let has = |name: &str| learnt.functions.iter().any(|f| f.names.contains(&name));
    if !has("__libc_start_main") && !has("malloc") {
        return Err(Error::not_applicable("none of musl's functions by name")
            .expected("musl's libc.a, or a static executable with symbols"));
    }
    build(bytes, &learnt)
}

/// Learns the functions `given` of the executable `bytes`, which needs no symbols: the database and `known` name what the functions refer to. The build has
/// only these functions, so it is for [`Build::merge`], or for use beside another one.
///
/// Errors: as [`learn`], and [`Kind::NotApplicable`](crate::Kind::NotApplicable) if there can be no such function at its address, or if it is too short to
/// be recognized by its code.
pub fn learn_given(bytes: &[u8], given: &[Given], known: &[Build]) -> Result<Build> {
    let program = Program::read(bytes)?;
    let names = Known::of_symbols(&program).with(super::name_with(&program, known)?);
    let build = build(bytes, &given::learn(bytes, given, &names)?)?;
    match build.functions.iter().find(|f| !f.is_telling()) {
        None => Ok(build),
        Some(short) => {
            let name = short.names.first().map_or("", |n| build.text(*n));
            let found = format!("`{name}` is too short to be recognized by its code");
            Err(Error::not_applicable(found).expected("a longer function"))
        }
    }
}

/// What was learnt of the file `bytes`, as a build.
fn build(bytes: &[u8], learnt: &Learnt<'_>) -> Result<Build> {
    let mut names = Names::default();
    let functions = learnt.functions.iter();
    let functions = functions
        .map(|raw| raw.signature(learnt.architecture, &mut names))
        .collect();
    let constants = learnt.constants.iter();
    let constants = constants
        .map(|(name, bytes)| Constant {
            name: names.insert_full(name).0 as u32,
            size: bytes.len() as u32,
            digest: half(bytes),
        })
        .collect();
    let sha256 = hexadecimal(&Sha256::digest(bytes));
    let build = Build {
        name: String::new(),
        architecture: learnt.architecture,
        provenance: vec![Provenance {
            sha256,
            ..Provenance::default()
        }],
        names: names.into_iter().map(str::to_owned).collect(),
        functions,
        constants,
    };
    match build.excess() {
        None => Ok(build),
        Some(excess) => Err(Error::not_applicable(excess).expected("one musl")),
    }
}

/// Each name once, with its position.
type Names<'a> = IndexSet<&'a str>;

impl<'a> Raw<'a> {
    fn signature(&self, architecture: Isa, names: &mut Names<'a>) -> Function {
        let mut operands: Vec<Operand> = Vec::new();
        for raw in &self.operands {
            operands.push(Operand {
                at: raw.at,
                form: raw.form,
                target: raw
                    .target
                    .filter(|(name, _)| is_word(name))
                    .map(|(name, addend)| Target {
                        name: names.insert_full(name).0 as u32,
                        addend,
                    }),
            });
        }
        operands.sort_unstable_by_key(|o| o.at);
        let mut numbers = |all: &[&'a str]| -> Vec<u32> {
            let numbers = all.iter().map(|name| names.insert_full(name).0 as u32);
            numbers.collect()
        };
        Function {
            names: numbers(&self.names),
            weak: numbers(&self.weak),
            size: self.code.len() as u32,
            window: window(architecture, self.code, &operands),
            digest: digest(self.code, &operands),
            operands,
        }
    }
}

/// The row of bytes that is rarest in code in general. Bytes that most instructions have do not count, and each byte
/// counts only once.
fn window(architecture: Isa, code: &[u8], operands: &[Operand]) -> Option<(u32, [u8; WINDOW])> {
    const COMMON: &[u8] = b"\x00\x01\x02\x03\x04\x05\x08\x0f\x10\x18\x20\x24\x28\x30\x31\x38\x40\x41\x44\x45\x48\x49\x4c\x4d\
        \x50\x53\x54\x55\x56\x57\x58\x5b\x5c\x5d\x5e\x5f\x66\x74\x75\x7f\x83\x84\x85\x89\x8b\x8d\x90\x94\x97\xa9\xb9\xc0\xc3\
        \xc7\xcc\xd2\xe0\xe8\xe9\xeb\xf6\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff";
    let mut is_fixed = vec![true; code.len()];
    fill(&mut is_fixed, operands, false);
    let rarity = |bytes: &[u8]| {
        let rare = |n: &usize| !COMMON.contains(&bytes[*n]) && !bytes[..*n].contains(&bytes[*n]);
        (0..bytes.len()).filter(rare).count()
    };
    let places = code
        .windows(WINDOW)
        .zip(is_fixed.windows(WINDOW))
        .enumerate();
    // On aarch64, the search looks at whole instructions.
    let step = architecture.facts().step;
    let is_fixed = |fixed: &[bool]| fixed.iter().all(|f| *f);
    let places = places.filter(|(at, (_, fixed))| at % step == 0 && is_fixed(fixed));
    // Among equally rare rows, the first.
    let (at, (bytes, _)) =
        places.max_by_key(|(at, (bytes, _))| (rarity(bytes), code.len() - at))?;
    Some((at as u32, bytes.try_into().ok()?))
}
