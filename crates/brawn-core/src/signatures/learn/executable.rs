//! Learns from an executable with symbols: its instructions show which operands the linker wrote.

use super::super::wanted;
use super::{Learnt, Located, Raw, aarch64, x86_64};
use crate::arch::Isa;
use crate::elf::program::{Program, Symbol, SymbolKind};
use crate::error::{Error, Result};
use crate::work::Work;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Names to which musl's code refers are not longer than this.
const LONGEST: usize = 256;

/// The symbols of a program, by address.
struct Symbols<'p, 'a> {
    program: &'p Program<'a>,
    all: &'p [Symbol<'a>],
    /// How many names may still be read: one address may have thousands.
    work: Work,
    /// Names at several addresses, as static functions may have them: such a name does not give one address.
    ambiguous: HashSet<&'a str>,
}

pub fn learn(bytes: &[u8]) -> Result<Learnt<'_>> {
    let program = Program::read(bytes)?;
    let mut symbols: Vec<Symbol<'_>> = program.functions().chain(program.objects()).collect();
    symbols.sort_by_key(|s| s.address);
    if symbols.is_empty() {
        return Err(
            Error::not_applicable("no symbols").expected("an executable that is not stripped")
        );
    }
    let symbols = Symbols::new(&program, &symbols);
    let functions = || {
        symbols
            .all
            .iter()
            .filter(|s| s.kind == SymbolKind::Function)
    };
    // A local symbol may have the name of a function that is not musl's, and here no symbol has a binding. So a local
    // function counts as musl's if the other functions call it.
    let mut wanted: BTreeSet<u64> = functions()
        .filter(|s| wanted::is_function(s.name))
        .map(|s| s.address)
        .collect();
    let mut learnt = Learnt {
        architecture: program.architecture,
        functions: Vec::new(),
        constants: Vec::new(),
    };
    let mut done = BTreeSet::new();
    // The sizes of functions may overlap.
    let work = Work::new(bytes.len().saturating_mul(4));
    while let Some(address) = wanted.pop_first() {
        if !done.insert(address) {
            continue;
        }
        let Some((raw, called)) = symbols.function(address) else {
            continue;
        };
        if !work.spend(raw.code.len()) || symbols.work.is_spent() {
            return Err(
                Error::refused("its functions overlap, or have too many names")
                    .expected("code as compilers and linkers make it"),
            );
        }
        learnt.functions.push(raw);
        wanted.extend(called);
    }
    learnt.functions.sort_by_key(|f| f.code.as_ptr());
    let rodata = program.section(b".rodata");
    let rodata = rodata.map_or(0..0, |s| s.address..s.address.saturating_add(s.size));
    for symbol in symbols.all.iter().filter(|s| s.kind == SymbolKind::Object) {
        let is_constant = rodata.contains(&symbol.address);
        if is_constant && wanted::is_known(symbol.name) && symbol.size > 0 {
            let bytes = program.at(symbol.address, symbol.size);
            let bytes = bytes.filter(|bytes| work.spend(bytes.len()));
            learnt
                .constants
                .extend(bytes.map(|bytes| (symbol.name, bytes)));
        }
    }
    Ok(learnt)
}

/// Learns the functions at `addresses` alone. `symbols` are all that is known of the program, by address.
pub fn learn_at<'a>(
    program: &Program<'a>,
    symbols: &[Symbol<'a>],
    addresses: &[u64],
) -> Result<Learnt<'a>> {
    let symbols = Symbols::new(program, symbols);
    let mut functions = Vec::new();
    for address in addresses {
        let Some((raw, _)) = symbols.function(*address) else {
            return Err(Error::not_applicable("code that cannot be read")
                .at(*address)
                .expected("instructions"));
        };
        functions.push(raw);
    }
    Ok(Learnt {
        architecture: program.architecture,
        functions,
        constants: Vec::new(),
    })
}

impl<'p, 'a> Symbols<'p, 'a> {
    fn new(program: &'p Program<'a>, all: &'p [Symbol<'a>]) -> Self {
        Self {
            program,
            all,
            work: Work::new(program.bytes.len().saturating_mul(16)),
            ambiguous: ambiguous(all),
        }
    }

    /// Every symbol at `address`.
    fn at(&self, address: u64) -> &[Symbol<'a>] {
        let from = self.all.partition_point(|s| s.address < address);
        let to = self.all.partition_point(|s| s.address <= address);
        if !self.work.spend(to - from) {
            return &[];
        }
        &self.all[from..to]
    }

    /// The function at `address`, and those of the functions that it calls that are worth a signature because it
    /// calls them. `None` if there is no code that can be read.
    fn function(&self, address: u64) -> Option<(Raw<'a>, Vec<u64>)> {
        let here = self.at(address);
        let code = self.code(address)?;
        let mut names: Vec<&str> = here
            .iter()
            .map(|s| s.name)
            .filter(|n| wanted::is_function(n) || wanted::is_local(n))
            .collect();
        names.sort_unstable();
        names.dedup();
        // A program that never frees has the simple heap in place of the other.
        if names.contains(&"__simple_malloc") {
            names.retain(|n| *n == "__simple_malloc");
        }
        let found = match self.program.architecture {
            Isa::X86_64 => x86_64::operands(self.program, address, code)?,
            Isa::Aarch64 => aarch64::operands(address, code)?,
        };
        let mut called = Vec::new();
        let mut operands = Vec::new();
        for Located {
            mut operand,
            to,
            behind,
        } in found
        {
            let target = to.and_then(|to| self.target(to));
            operand.target = target.and_then(|symbol| {
                // The name of something that is not called may come from another library or the compiler.
                if symbol.kind != SymbolKind::Function && !wanted::is_known(symbol.name) {
                    return None;
                }
                // As with a relocation, the value is the symbol's address plus the addend.
                let addend = to?.wrapping_sub(symbol.address) as i64 - i64::from(behind);
                Some((symbol.name, i32::try_from(addend).ok()?))
            });
            if let Some(symbol) = target
                && to == Some(symbol.address)
                && symbol.kind == SymbolKind::Function
                && wanted::is_local(symbol.name)
            {
                called.push(symbol.address);
            }
            operands.push(operand);
        }
        Some((
            Raw {
                names,
                weak: Vec::new(),
                code,
                operands,
            },
            called,
        ))
    }

    /// The code of the function at `address`. Functions in assembly have no size: they end where the next one begins.
    fn code(&self, address: u64) -> Option<&'a [u8]> {
        let size = self.at(address).iter().map(|s| s.size).max()?;
        if size > 0 {
            return self.program.at(address, size);
        }
        let behind = self.all.partition_point(|s| s.address <= address);
        let segment = self
            .program
            .loads()
            .find(|s| s.is_code() && s.filled().contains(&address))?;
        let next = self.all.get(behind).map_or(u64::MAX, |s| s.address);
        let code = self
            .program
            .at(address, next.min(segment.filled().end) - address)?;
        let end = code.iter().rposition(|b| !matches!(b, 0 | 0x90 | 0xcc))?;
        code.get(..=end)
    }

    /// The symbol for an address. musl's names come before others; a function counts only at its first byte.
    fn target(&self, address: u64) -> Option<&Symbol<'a>> {
        let best = |symbols: &[Symbol<'a>]| -> Option<usize> {
            let usable = symbols
                .iter()
                .enumerate()
                .filter(|(_, s)| (1..=LONGEST).contains(&s.name.len()) && !is_mapping(s.name))
                .filter(|(_, s)| wanted::is_function(s.name) || !self.ambiguous.contains(s.name));
            let best = usable.min_by_key(|(_, s)| (!wanted::is_known(s.name), s.name));
            best.map(|(n, _)| n)
        };
        let here = self.at(address);
        if let Some(n) = best(here) {
            return here.get(n);
        }
        let before = self.all.partition_point(|s| s.address < address);
        let before = self.all[..before].iter().rev().take(64);
        before
            .filter(|s| s.kind == SymbolKind::Object && wanted::is_known(s.name))
            .find(|s| s.address.saturating_add(s.size) > address)
    }
}

/// Names of functions and objects that have more than one address.
fn ambiguous<'a>(symbols: &[Symbol<'a>]) -> HashSet<&'a str> {
    let mut places: HashMap<&str, u64> = HashMap::new();
    let named = symbols
        .iter()
        .filter(|s| (1..=LONGEST).contains(&s.name.len()));
    named
        .filter(|s| *places.entry(s.name).or_insert(s.address) != s.address)
        .map(|s| s.name)
        .collect()
}

/// Whether it is one of the mapping symbols of aarch64 for code and data (`$x`, `$d`), of which there are many.
fn is_mapping(name: &str) -> bool {
    let letter = name.strip_prefix('$').map(|rest| rest.split('.').next());
    matches!(letter, Some(Some("x" | "d")))
}
