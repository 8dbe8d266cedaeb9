//! The text of a build: one file for each in this crate's directory `signatures/`. `docs/signatures.md` specifies the
//! format.

use super::operand::{Form, Operand, Target};
use super::{Build, Constant, Function, MOST_FUNCTIONS, MOST_OPERANDS, Provenance};
use crate::advice::Advice;
use crate::arch::Isa;
use crate::error::{Error, Result, printable};
use crate::fingerprint::hexadecimal as hex;
use indexmap::IndexSet;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The first line of a build's text.
const MAGIC: &str = "brawn-signatures 1";
/// Stands for an absent value.
const NONE: &str = "-";

/// How many builds a text may have.
const MOST_BUILDS: usize = 64;
/// How many characters of an invalid line are shown.
const SHOWN: usize = 60;

/// What to do about a file that cannot be read.
fn learn_again() -> String {
    format!("write the file again with {}", Advice::LearnSignatures)
}

/// Whether `name` can be a word of the text.
pub fn is_word(name: &str) -> bool {
    name != NONE && !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && b != b',')
}

/// Writes `build`.
pub fn write(build: &Build) -> String {
    let mut out = format!(
        "{MAGIC}\nbuild {}\narchitecture {}\n",
        build.name,
        build.architecture.name()
    );
    for source in &build.provenance {
        let parts = [
            &source.package,
            &source.version,
            &source.file,
            &source.sha256,
        ];
        let parts = parts.map(|part| if is_word(part) { part.as_str() } else { NONE });
        let _ = writeln!(out, "source {}", parts.join(" "));
    }
    for constant in &build.constants {
        let (name, digest) = (build.text(constant.name), hex(&constant.digest));
        let _ = writeln!(out, "constant {name} {} {digest}", constant.size);
    }
    for function in &build.functions {
        let list = |names: &[u32]| {
            let names: Vec<&str> = names.iter().map(|n| build.text(*n)).collect();
            if names.is_empty() {
                NONE.to_owned()
            } else {
                names.join(",")
            }
        };
        let window = function.window.map_or(NONE.to_owned(), |(at, bytes)| {
            format!("{at:x}:{}", hex(&bytes))
        });
        let (names, weak) = (list(&function.names), list(&function.weak));
        let digest = hex(&function.digest);
        let _ = writeln!(
            out,
            "function {names} {weak} {} {window} {digest}",
            function.size
        );
        // Names in the order in which functions first refer to them.
        let mut order: Vec<Option<u32>> = Vec::new();
        let mut lines: HashMap<Option<u32>, String> = HashMap::new();
        for operand in &function.operands {
            let name = operand.target.map(|t| t.name);
            let line = lines.entry(name).or_insert_with(|| {
                order.push(name);
                name.map_or(NONE, |n| build.text(n)).to_owned()
            });
            let letter = Form::LETTERS.iter().find(|(form, _)| *form == operand.form);
            let letter = letter.map_or('o', |(_, letter)| *letter);
            let _ = write!(line, " {letter}{:x}", operand.at);
            match operand.target.map_or(0, |t| t.addend) {
                0 => {}
                addend if addend < 0 => _ = write!(line, "-{:x}", addend.unsigned_abs()),
                addend => _ = write!(line, "+{addend:x}"),
            }
        }
        for name in order {
            let _ = writeln!(out, "{}", lines[&name]);
        }
    }
    out
}

/// Reads one build's text.
///
/// Errors: [`Kind::Malformed`](crate::Kind::Malformed), with the place of the line.
pub fn read(text: &str) -> Result<Build> {
    let mut builds = read_all(text)?;
    match (builds.pop(), builds.is_empty()) {
        (Some(build), true) => Ok(build),
        _ => Err(Error::malformed("not one build").expected("one")),
    }
}

/// Reads the texts of several builds, one after another.
pub fn read_all(text: &str) -> Result<Vec<Build>> {
    let mut readers: Vec<Reader<'_>> = Vec::new();
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_plain = |b: u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
        let known = match (line.trim_end() == MAGIC, readers.last_mut()) {
            // Names are printed later, so they must be plain.
            _ if !line.bytes().all(is_plain) => None,
            (true, _) => {
                readers.push(Reader::default());
                Some(())
            }
            (false, Some(reader)) => reader.line(&words),
            (false, None) => None,
        };
        if known.is_none() {
            let shown: String = line.trim_end().chars().take(SHOWN).collect();
            let found = format!("line {number}: `{}`", printable(shown.as_bytes()));
            return Err(Error::malformed(found)
                .at(at)
                .expected("a line of a build's signatures")
                .next(learn_again()));
        }
        at += line.len() as u64;
        let excess = match readers.last() {
            Some(_) if readers.len() > MOST_BUILDS => {
                Some(format!("more than {MOST_BUILDS} builds"))
            }
            Some(reader) => reader.excess(),
            None => None,
        };
        if let Some(excess) = excess {
            return Err(Error::malformed(format!("line {number}: {excess}"))
                .at(at)
                .next(learn_again()));
        }
    }
    readers.into_iter().map(Reader::build).collect()
}

#[derive(Default)]
struct Reader<'t> {
    name: Option<&'t str>,
    architecture: Option<Isa>,
    provenance: Vec<Provenance>,
    names: IndexSet<&'t str>,
    functions: Vec<Function>,
    constants: Vec<Constant>,
}

impl<'t> Reader<'t> {
    /// Reads a line; `None` if it is invalid.
    fn line(&mut self, words: &[&'t str]) -> Option<()> {
        match *words {
            [] => {}
            ["build", name] => self.name = Some(name),
            ["build"] => self.name = Some(""),
            ["architecture", name] => {
                self.architecture = Some(Isa::ALL.into_iter().find(|a| a.name() == name)?);
            }
            ["source", package, version, file, sha256] => {
                let part = |word: &str| match word {
                    NONE => String::new(),
                    word => word.to_owned(),
                };
                self.provenance.push(Provenance {
                    package: part(package),
                    version: part(version),
                    file: part(file),
                    sha256: part(sha256),
                });
            }
            ["constant", name, size, digest] => {
                let name = self.position(name);
                self.constants.push(Constant {
                    name,
                    size: size.parse().ok()?,
                    digest: bytes(digest)?,
                });
            }
            ["function", names, weak, size, window, digest] => {
                let window = match window.split_once(':') {
                    Some((at, digits)) => Some((u32::from_str_radix(at, 16).ok()?, bytes(digits)?)),
                    None if window == NONE => None,
                    None => return None,
                };
                let function = Function {
                    names: self.list(names),
                    weak: self.list(weak),
                    size: size.parse().ok()?,
                    window,
                    digest: bytes(digest)?,
                    operands: Vec::new(),
                };
                self.functions.push(function);
            }
            [name, ref operands @ ..] => {
                let name = (name != NONE).then(|| self.position(name));
                let function = self.functions.last_mut()?;
                for word in operands {
                    function.operands.push(operand(word, name)?);
                }
            }
        }
        Some(())
    }

    /// What there is already too much of, so that reading stops.
    fn excess(&self) -> Option<String> {
        let operands = self.functions.last().map_or(0, |f| f.operands.len());
        let is_too_much = self.functions.len() > MOST_FUNCTIONS
            || self.constants.len() > MOST_FUNCTIONS
            || operands > MOST_OPERANDS.0;
        is_too_much.then(|| "more than any build of musl has".to_owned())
    }

    fn list(&mut self, names: &'t str) -> Vec<u32> {
        let names = names.split(',').filter(|n| *n != NONE);
        names.map(|name| self.position(name)).collect()
    }

    fn position(&mut self, name: &'t str) -> u32 {
        self.names.insert_full(name).0 as u32
    }

    fn build(mut self) -> Result<Build> {
        let (Some(name), Some(architecture)) = (self.name, self.architecture) else {
            return Err(
                Error::malformed("a build without a name or an architecture").expected("both"),
            );
        };
        for function in &mut self.functions {
            function.operands.sort_unstable_by_key(|o| o.at);
        }
        let build = Build {
            name: name.to_owned(),
            architecture,
            provenance: self.provenance,
            names: self.names.into_iter().map(str::to_owned).collect(),
            functions: self.functions,
            constants: self.constants,
        };
        match build.excess() {
            None => Ok(build),
            Some(excess) => Err(Error::malformed(format!(
                "build {}: {excess}",
                printable(name.as_bytes())
            ))
            .next(learn_again())),
        }
    }
}

/// An operand: the letter of its form, its place, and its addend if it has one.
fn operand(word: &str, name: Option<u32>) -> Option<Operand> {
    let mut rest = word.chars();
    let letter = rest.next()?;
    let (form, _) = Form::LETTERS.iter().find(|(_, l)| *l == letter)?;
    let rest = rest.as_str();
    let end = rest.find(['+', '-']).unwrap_or(rest.len());
    let (at, addend) = rest.split_at(end);
    let addend = match addend {
        "" => 0,
        _ => i32::from_str_radix(addend, 16).ok()?,
    };
    Some(Operand {
        at: u32::from_str_radix(at, 16).ok()?,
        form: *form,
        target: name.map(|name| Target { name, addend }),
    })
}

/// The reverse of [`hex`](crate::fingerprint::hexadecimal).
fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| Some((digit(*high)? << 4 | digit(*low)?) as u8);
    let all: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    all?.try_into().ok()
}
